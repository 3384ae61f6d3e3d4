/** Tests. */
@NullMarked
package dev.berth.cli.output;

import org.jspecify.annotations.NullMarked;
