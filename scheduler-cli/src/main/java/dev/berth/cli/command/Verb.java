package dev.berth.cli.command;

import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.CommandForm;
import java.io.IOException;

/** A command. */
public interface Verb extends CommandForm {
    /** The servers that it can be about. */
    default Reach reach() {
        return Reach.SERVER;
    }

    /** Does it and returns the exit code; an {@link IOException} means that the server is away or broke off. */
    int run(Arguments arguments, Session session) throws IOException;
}
