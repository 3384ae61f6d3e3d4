package dev.berth.cli.program;

import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The place where a shell would find a program. */
public final class ProgramPath {
    private static final String USUAL = "/usr/local/bin:/usr/bin:/bin";
    private static final char REPLACED = '\uFFFD';

    private ProgramPath() {}

    /** Refuses a word that did not come through as it was. */
    public static void checkText(String word) {
        if (word.indexOf(REPLACED) >= 0) {
            throw Failure.usage("command: '" + word + "' is not UTF-8, which is all that berth reads");
        }
    }

    /**
     * Refuses a word that names no program, before anybody waits for its turn.
     *
     * @param path the variable PATH, or null
     */
    public static void check(String word, @Nullable String path) {
        boolean isThere = false;
        for (String directory :
                word.indexOf('/') >= 0 ? new String[] {""} : (path == null ? USUAL : path).split(":", -1)) {
            Path candidate = path(directory.isEmpty() ? word : directory + "/" + word);
            if (Files.isRegularFile(candidate) && Files.isExecutable(candidate)) {
                return;
            }
            isThere |= Files.exists(candidate) && !word.isEmpty();
        }
        if (isThere) {
            throw Failure.of(
                    ExitCode.NOT_EXECUTABLE,
                    "NOT_EXECUTABLE",
                    "command: '" + word
                            + "' is there and cannot be run; make it executable, or name the program that runs"
                            + " it, as in: berth run -- python3 " + word);
        }
        throw Failure.of(
                ExitCode.NOT_FOUND,
                "NOT_FOUND",
                "command: '" + word + "' is no program on this machine; " + advice(word));
    }

    private static String advice(String word) {
        if (word.strip().chars().anyMatch(Character::isWhitespace)) {
            return "it is one word with blanks in it: take the quotes away";
        }
        boolean isHere = !word.isEmpty() && word.indexOf('/') < 0 && Files.isRegularFile(path(word));
        return isHere ? "the file here is ./" + word : "berth run runs programs as your shell finds them";
    }

    private static Path path(String text) {
        try {
            return Path.of(text);
        } catch (InvalidPathException impossible) {
            throw Failure.usage("command: '" + text + "' is no path: " + impossible.getReason());
        }
    }
}
