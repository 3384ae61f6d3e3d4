/**
 * A job's output brought to this side: an archive read by hand and unpacked without trust in it. What the archive is
 * about, and how it comes here, belongs to the callers.
 */
@NullMarked
package dev.berth.cli.fetch;

import org.jspecify.annotations.NullMarked;
