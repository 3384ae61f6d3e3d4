package dev.berth.cli.command.submit;

import dev.berth.cli.client.WorkingDirectory;
import dev.berth.cli.exit.Failure;
import dev.berth.core.command.TargetName;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;

/**
 * Words of a submit line: where the job goes, what directory, what command.
 *
 * @param target where it goes; {@link #TARGET} is the queue of the server's machine
 * @param directory as the user wrote it
 * @param command the program's words
 */
public record SubmitWords(String target, Path directory, List<String> command) {
    static final String EXAMPLE = "berth submit scheduler . main.py --num-gpus 2";

    static final String TARGET = "scheduler";

    /**
     * @param mayLackCommand whether the command may be empty, as an entry point or a file says what runs
     */
    static SubmitWords of(List<String> words, boolean mayLackCommand) {
        if (words.isEmpty()) {
            throw Failure.usage("berth submit needs a target, a directory and a command: " + EXAMPLE);
        }
        if (!TargetName.isGood(words.getFirst())) {
            throw Failure.usage("target: '" + words.getFirst() + "' is not known; there is " + TARGET
                    + ", the queue of the server's machine: " + EXAMPLE);
        }
        if (words.size() < (mayLackCommand ? 2 : 3)) {
            throw words.size() > 1
                    ? noCommand(words, "")
                    : Failure.usage("berth submit needs a directory" + (mayLackCommand ? "" : " and a command")
                            + " behind '" + words.getLast() + "': " + EXAMPLE);
        }
        Path directory = path("directory", words.get(1));
        // To Java the empty path is the current directory; to a user who has forgotten to set a variable it is not.
        boolean isNamed = !words.get(1).isEmpty();
        String _ = WorkingDirectory.checked("directory:", words.get(1));
        String fault = isNamed ? fault(directory) : "not there";
        if (!fault.isEmpty()) {
            throw Failure.usage("directory: '" + directory + "' is " + fault + "; name the one that holds your code,"
                    + " for example . for this one");
        }
        List<String> command = List.copyOf(words.subList(2, words.size()));
        return new SubmitWords(words.getFirst(), directory, command);
    }

    /** The same with another command. */
    SubmitWords with(List<String> others) {
        return new SubmitWords(target, directory, others);
    }

    /** @param file the job file that was read, and has none either; empty where none was */
    static Failure noCommand(List<String> words, String file) {
        return Failure.usage("berth submit needs a command behind '" + words.getLast() + "'"
                + (file.isEmpty() ? "" : ", or in " + file + ", which has none (command: python main.py)") + ": "
                + EXAMPLE);
    }

    /** The fault of a directory, empty where it has none. */
    private static String fault(Path directory) {
        try {
            return Files.readAttributes(directory, BasicFileAttributes.class).isDirectory() ? "" : "not a directory";
        } catch (AccessDeniedException denied) {
            return "not to be entered by you (permission denied)";
        } catch (IOException none) {
            return "not there";
        }
    }

    private static Path path(String field, String word) {
        try {
            return Path.of(word);
        } catch (InvalidPathException impossible) {
            throw Failure.usage(field + ": '" + word + "' is no path: " + impossible.getReason());
        }
    }
}
