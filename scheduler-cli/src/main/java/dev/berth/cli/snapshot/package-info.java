/**
 * A submitted directory on its way to the server: what of it is taken, what is left out, what is refused, and the
 * archive it travels in. Nothing here speaks to the server, and no file is ever whole in memory.
 */
@NullMarked
package dev.berth.cli.snapshot;

import org.jspecify.annotations.NullMarked;
