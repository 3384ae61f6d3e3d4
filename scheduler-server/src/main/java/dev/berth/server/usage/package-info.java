/**
 * The use of the GPUs: one look at every GPU each second, what of that is kept and for how long, which job it was, and
 * jobs that leave their GPUs idle; and the cores and memory that jobs use. What a GPU is and how it is read belongs to
 * {@code gpu}; what follows for a job, the core decides.
 */
@NullMarked
package dev.berth.server.usage;

import org.jspecify.annotations.NullMarked;
