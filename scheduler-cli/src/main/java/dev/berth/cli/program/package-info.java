/**
 * A program of this machine as a child of the command: started behind a gate, with its environment and its cores, waited
 * for, and sent signals. By the C library, because Java starts no program that waits and passes no descriptors on.
 */
@NullMarked
package dev.berth.cli.program;

import org.jspecify.annotations.NullMarked;
