/**
 * Carrying effects out: the {@code Runner} interface to whatever runs jobs, and what is the same for all of them: the order of
 * a job's effects, the look at its GPUs, the repetition of what failed. What runs jobs in containers or on the machine itself is
 * the business of {@code runner.docker} and {@code runner.host}.
 */
@NullMarked
package dev.berth.server.runner;

import org.jspecify.annotations.NullMarked;
