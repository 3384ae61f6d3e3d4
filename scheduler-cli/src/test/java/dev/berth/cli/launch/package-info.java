/** Tests. */
@NullMarked
package dev.berth.cli.launch;

import org.jspecify.annotations.NullMarked;
