/**
 * A submitted directory on its way to the server: what of it is taken, what is left out, what is refused, what git says
 * of it, its manifest and its contents. Nothing here speaks to the server, no file is ever whole in memory, and nothing
 * is written to the directory.
 */
@NullMarked
package dev.berth.cli.snapshot;

import org.jspecify.annotations.NullMarked;
