/**
 * Whether a GPU may be allocated now, and whether it is clean when it comes back: who is on it that is none of ours,
 * the looks under safe-gpu's lock, the processes that keep a GPU's place. What follows for jobs, the core decides.
 */
@NullMarked
package dev.berth.server.gpu.occupy;

import org.jspecify.annotations.NullMarked;
