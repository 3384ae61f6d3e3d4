/**
 * The removal of what goes again: ended jobs with all that is kept of them, one by one when a user asks, and by age,
 * number and size as the configuration says. Running and waiting jobs are never touched here.
 */
@NullMarked
package dev.berth.server.retention;

import org.jspecify.annotations.NullMarked;
