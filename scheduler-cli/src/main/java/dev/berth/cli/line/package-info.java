/**
 * The command line: what each command's line may hold ({@code Shape}), how words become values or a refusal, help and
 * the completion of shells. Nothing here knows a server or does what a command does.
 */
@NullMarked
package dev.berth.cli.line;

import org.jspecify.annotations.NullMarked;
