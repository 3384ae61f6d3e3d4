/** Tests. */
@NullMarked
package dev.berth.cli.snapshot;

import org.jspecify.annotations.NullMarked;
