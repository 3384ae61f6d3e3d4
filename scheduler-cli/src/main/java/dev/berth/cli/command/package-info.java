/**
 * The commands, one class a verb, and what they share: what they are given to work with, and how a picture is drawn again.
 * A verb checks what it was asked, asks the server, and hands the answer to the output; rules about jobs are the server's.
 * Above 25 classes because there are as many verbs; how lines are read is in {@code line}, what hands jobs in in {@code
 * submit}.
 */
@NullMarked
package dev.berth.cli.command;

import org.jspecify.annotations.NullMarked;
