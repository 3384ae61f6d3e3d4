/**
 * The options of a job: one table, from which follow the command line with its help, completion and reference, the request,
 * what a dry run and {@code berth status} show, and how a refusal names an option. What an option does is elsewhere.
 */
@NullMarked
package dev.berth.core.option;

import org.jspecify.annotations.NullMarked;
