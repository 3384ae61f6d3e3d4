/** Tests. */
@NullMarked
package dev.berth.cli.command.submit;

import org.jspecify.annotations.NullMarked;
