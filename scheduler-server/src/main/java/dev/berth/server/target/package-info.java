/**
 * The targets that the configuration's files set up: reading them, and refusing what is wrong, line by line. What becomes of them
 * belongs to {@code runner.target} and to the engines' own packages.
 */
@NullMarked
package dev.berth.server.target;

import org.jspecify.annotations.NullMarked;
