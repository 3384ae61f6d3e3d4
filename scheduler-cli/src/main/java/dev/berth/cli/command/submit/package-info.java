/**
 * The commands that hand jobs in, {@code submit}, {@code run} and {@code lease}: the options of a job, the upload of
 * a directory, and following what was handed in.
 */
@NullMarked
package dev.berth.cli.command.submit;

import org.jspecify.annotations.NullMarked;
