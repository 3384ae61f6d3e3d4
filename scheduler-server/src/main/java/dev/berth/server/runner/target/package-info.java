/**
 * Jobs beyond this machine: the port to an engine that keeps a queue of its own ({@code TargetEngine}), and what is the same for
 * all of them: handing a job over, looking after those that were handed over, bringing their output back. What speaks to one kind of
 * engine is the business of {@code runner.slurm} and {@code runner.kubernetes}.
 */
@NullMarked
package dev.berth.server.runner.target;

import org.jspecify.annotations.NullMarked;
