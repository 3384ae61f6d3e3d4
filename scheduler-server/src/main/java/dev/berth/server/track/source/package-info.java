/**
 * Readers of what training code writes: lines of the file of a job and of its output, TensorBoard's event files, CW2's
 * CSV files. They are given bytes or an open file and a position, and give entries and problems; which files there are,
 * with whose rights they are opened and what becomes of the entries is decided elsewhere.
 */
@NullMarked
package dev.berth.server.track.source;

import org.jspecify.annotations.NullMarked;
