/**
 * The commands, one class a verb, and what they share: how their lines are read, what they are given to work with. A
 * verb checks what it was asked, asks the server, and hands the answer to the output; rules about jobs are the server's.
 */
@NullMarked
package dev.berth.cli.command;

import org.jspecify.annotations.NullMarked;
