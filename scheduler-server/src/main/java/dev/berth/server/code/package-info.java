/**
 * The submitted directories: kept as snapshots from the upload on, laid out as a job's workspace before its start.
 * What is uploaded is hostile, and so is what a job leaves behind.
 */
@NullMarked
package dev.berth.server.code;

import org.jspecify.annotations.NullMarked;
