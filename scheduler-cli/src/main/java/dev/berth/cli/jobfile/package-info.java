/**
 * Files that say what a job is, read with the user's rights: {@code berth.yaml}, Atlas's {@code job.config.yaml}, and the
 * {@code #BERTH} and {@code #SBATCH} lines of a script. What their values mean is for the command to say.
 */
@NullMarked
package dev.berth.cli.jobfile;

import org.jspecify.annotations.NullMarked;
