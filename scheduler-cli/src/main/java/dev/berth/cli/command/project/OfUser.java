package dev.berth.cli.command.project;

import dev.berth.cli.exit.Failure;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The words by which a line names a project, and whose it is. */
final class OfUser {
    private static final String USER = "--user";

    private OfUser() {}

    static Shape addTo(Shape shape) {
        return shape.value("USER", "Of this user, for administrators.", USER);
    }

    static @Nullable String user(Arguments arguments) {
        return arguments.value(USER);
    }

    /**
     * The words of a line.
     *
     * @param needs what they must be, as in "the name of a project"
     */
    static List<String> words(Arguments arguments, int least, int most, String needs) {
        List<String> words = arguments.words();
        if (words.size() < least) {
            throw Failure.usage("berth " + arguments.command() + " needs " + needs + "; berth projects lists them");
        }
        if (words.size() > most) {
            throw Failure.usage("berth " + arguments.command() + " takes no '" + words.get(most)
                    + "'; a name with blanks stands in quotes");
        }
        return words;
    }
}
