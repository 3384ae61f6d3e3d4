package dev.berth.cli.command;

/** The size of a terminal, in characters. */
public record Size(int columns, int rows) {}
