package dev.berth.cli.command;

/** The servers that a command can be about. */
enum Reach {
    /** A server that answers, on this machine or another. */
    SERVER,
    /** A server of this machine alone: one that is started, or whose files are read. */
    MACHINE,
    /** None: what the line and the variables say about servers does not count. */
    NONE
}
