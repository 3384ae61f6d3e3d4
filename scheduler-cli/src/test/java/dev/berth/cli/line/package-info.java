/** Tests. */
@NullMarked
package dev.berth.cli.line;

import org.jspecify.annotations.NullMarked;
