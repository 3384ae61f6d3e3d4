/**
 * The rules: what may happen to a job, who starts next, what a restart owes. Pure functions from a state and an input
 * to a state and effects; no clock, no I/O, no logging, no randomness. Carrying effects out belongs to the server. Above 25
 * classes because inputs, events, effects and rules know each other: apart, each would be public to the rest.
 */
@NullMarked
package dev.berth.core.machine;

import org.jspecify.annotations.NullMarked;
