package dev.berth.cli.command;

import java.io.IOException;

/** One command. */
interface Verb {
    /** What its line may hold, and its help. */
    Shape shape();

    /** How many words of its line are Berth's before a program's begin; -1 where no program follows. */
    default int ownWords() {
        return -1;
    }

    /** Which server it can be about. */
    default Reach reach() {
        return Reach.SERVER;
    }

    /** Does it and returns the exit code; an {@link IOException} means that the server is away or broke off. */
    int run(Arguments arguments, Session session) throws IOException;
}
