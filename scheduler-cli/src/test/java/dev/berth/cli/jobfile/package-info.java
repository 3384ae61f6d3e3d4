/** Tests of the files that say what a job is. */
@NullMarked
package dev.berth.cli.jobfile;

import org.jspecify.annotations.NullMarked;
