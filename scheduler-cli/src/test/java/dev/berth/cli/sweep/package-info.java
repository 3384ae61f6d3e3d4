/** Tests. */
@NullMarked
package dev.berth.cli.sweep;

import org.jspecify.annotations.NullMarked;
