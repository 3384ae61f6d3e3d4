/** Tests. */
@NullMarked
package dev.berth.cli.command;

import org.jspecify.annotations.NullMarked;
