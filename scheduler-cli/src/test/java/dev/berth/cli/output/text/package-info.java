/** Tests. */
@NullMarked
package dev.berth.cli.output.text;

import org.jspecify.annotations.NullMarked;
