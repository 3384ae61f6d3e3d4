/** The {@code berth} command: where a process becomes a command. The only place that reads the clock or lets time pass. */
@NullMarked
package dev.berth.cli;

import org.jspecify.annotations.NullMarked;
