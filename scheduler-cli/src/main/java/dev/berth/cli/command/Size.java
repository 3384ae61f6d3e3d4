package dev.berth.cli.command;

/** How large a terminal is, in characters. */
public record Size(int columns, int rows) {}
