/**
 * All background work of the server, supervised: what fails is logged, tried again with growing pauses, and shown by
 * {@code berth server status} and {@code berth doctor} until it succeeds. What the work does belongs elsewhere.
 */
@NullMarked
package dev.berth.server.upkeep;

import org.jspecify.annotations.NullMarked;
