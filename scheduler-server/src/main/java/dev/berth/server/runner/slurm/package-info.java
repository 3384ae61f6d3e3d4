/**
 * Slurm as a target, by its own programs as the submitter: {@code sbatch}, {@code squeue}, {@code sacct}, {@code scancel},
 * {@code scontrol}, on this machine or by {@code ssh} on a login node. What is the same for every target is in
 * {@code runner.target}.
 */
@NullMarked
package dev.berth.server.runner.slurm;

import org.jspecify.annotations.NullMarked;
