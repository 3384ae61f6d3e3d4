/**
 * The rules: what may happen to a job, who starts next, what a restart owes. Pure functions from a state and an input
 * to a state and effects; no clock, no I/O, no logging, no randomness. Carrying effects out belongs to the server.
 */
@NullMarked
package dev.berth.core.machine;

import org.jspecify.annotations.NullMarked;
