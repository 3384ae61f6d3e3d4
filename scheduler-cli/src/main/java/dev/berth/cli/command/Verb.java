package dev.berth.cli.command;

import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.CommandForm;
import java.io.IOException;
import java.util.List;

/** A command. */
public interface Verb extends CommandForm {
    /** The servers that it can be about. */
    default Reach reach() {
        return Reach.SERVER;
    }

    /**
     * The lines of standard output where the command does not succeed, for the program that reads them; none mostly.
     *
     * @param line the words after the command's name, which may be wrong
     */
    default List<String> refusal(List<String> line) {
        return List.of();
    }

    /** Does it and returns the exit code; an {@link IOException} means that the server is away or broke off. */
    int run(Arguments arguments, Session session) throws IOException;
}
