/**
 * The output that the user sees: one interface with an implementation each for people, for programs and for scripts
 * that want ids only. Results go to standard output, everything else to standard error. Nothing here speaks to the
 * server.
 */
@NullMarked
package dev.berth.cli.output;

import org.jspecify.annotations.NullMarked;
