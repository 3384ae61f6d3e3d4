package dev.berth.cli.command;

/** Which server a command can be about. */
enum Reach {
    /** One that answers, on this machine or another. */
    SERVER,
    /** One of this machine alone: that is started, or whose files are read. */
    MACHINE,
    /** None: what the line and the variables say about servers does not count. */
    NONE
}
