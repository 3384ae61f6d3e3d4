/**
 * Requests of every kind and none, drawn from a seed and from the API's own description, so that a new route is tried
 * without a word here. What they are sent to, and what must hold, is in {@code http.FuzzTest}.
 */
@NullMarked
package dev.berth.server.fuzz;

import org.jspecify.annotations.NullMarked;
