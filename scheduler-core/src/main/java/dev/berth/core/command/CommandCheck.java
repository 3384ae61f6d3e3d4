package dev.berth.core.command;

import dev.berth.core.command.SentFiles.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The check of a command against the files of its directory. What it does not know (the image, what another program will
 * have made by then) is never at fault.
 */
public final class CommandCheck {
    private static final String PYTHON = ".py";
    private static final String WORKSPACE = "/workspace";
    private static final String MISSING = "is not a file in the directory";

    /** Null where nobody knows what is in the directory. */
    private final @Nullable SentFiles files;

    private CommandCheck(@Nullable SentFiles files) {
        this.files = files;
    }

    /** Whether a job starts in the submitted directory, and finds there what was submitted and nothing else. */
    public static boolean startsInSubmitted(
            @Nullable String workingDirectory, List<? extends @Nullable String> volumes) {
        return (workingDirectory == null || workingDirectory.equals(WORKSPACE))
                && volumes.stream().noneMatch(volume -> String.valueOf(volume).contains(":" + WORKSPACE));
    }

    /**
     * The fault of a job's command; empty for one that may run.
     *
     * @param entrypoint the program before it, null for none
     * @param files null where it is not known what is in the directory in which it starts
     */
    public static Optional<CommandFault> of(
            List<String> command, @Nullable String entrypoint, @Nullable SentFiles files) {
        CommandCheck check = new CommandCheck(files);
        if (entrypoint != null) {
            List<String> all = new ArrayList<>(List.of(entrypoint));
            all.addAll(command);
            return check.program(all);
        }
        String first = command.getFirst();
        return first.endsWith(PYTHON) && !check.isLine(first) ? check.ownScript(first) : check.program(command);
    }

    /** Whether a word is a whole line in quotes, and not the name of a file with blanks in it. */
    private boolean isLine(String word) {
        String path = RelativePath.of(word);
        return hasBlank(word) && files != null && (path == null || files.kind(path) == null);
    }

    /** The fault of a script that a program of this machine is to read; whether there is the program is another question. */
    public static Optional<CommandFault> ofScript(List<String> command, SentFiles files) {
        return new CommandCheck(files).operand(command.getFirst(), command.subList(1, command.size()));
    }

    /** A first word that ends in .py is run by the image's Python, from the submitted directory. */
    private Optional<CommandFault> ownScript(String word) {
        String path = RelativePath.of(word);
        if (files == null) {
            return Optional.empty();
        }
        if (path == null) {
            return certain(
                    word,
                    "is outside of the submitted directory; name a script in it by its path from there, for example"
                            + " main.py");
        }
        return files.kind(path) == Kind.DIRECTORY ? certain(word, missing(path, "")) : script(word, true);
    }

    private Optional<CommandFault> program(List<String> command) {
        String word = command.getFirst();
        String path = RelativePath.of(word);
        Kind kind = files == null || path == null ? null : files.kind(path);
        if (kind == null && hasBlank(word)) {
            String rule = "is one word with blanks in it, and names no program; take the quotes away: " + word.strip()
                    + "; or have a shell read it: sh -c '...'";
            return fault(word, rule, !word.startsWith("/"));
        }
        if (word.indexOf('/') < 0) {
            return isAssignment(word) ? certain(word, assignment(word)) : named(word, kind, command);
        }
        if (files == null || path == null || RelativePath.isBehindLink(path, files)) {
            return operand(word, command.subList(1, command.size()));
        }
        if (kind == null) {
            return certain(word, missing(path, "./"));
        }
        return switch (kind) {
            case DIRECTORY -> certain(word, "is a directory; name a program");
            case FILE ->
                certain(
                        word,
                        "has no run bit; give it one (chmod +x " + path + "), or name what runs it, as in: bash "
                                + path);
            case PROGRAM, LINK -> Optional.empty();
        };
    }

    /** A word without a slash is looked for in the image's PATH, which is not known. */
    private Optional<CommandFault> named(String word, @Nullable Kind kind, List<String> command) {
        boolean isScript = word.indexOf('.') > 0;
        if (kind == Kind.FILE || kind == Kind.PROGRAM) {
            String there = kind == Kind.PROGRAM ? "./" + word : "bash " + word;
            return fault(
                    word,
                    "has no / in it, so that it is looked for in the image's PATH and not in the directory, where there"
                            + " is a file of that name: " + there + " runs that; name a program of the image by its"
                            + " absolute path",
                    isScript);
        }
        String nearest = isScript && files != null ? nearest(word) : null;
        if (nearest != null) {
            return fault(
                    word,
                    "has no / in it, so that it is looked for in the image's PATH; did you mean ./" + nearest + "?",
                    false);
        }
        return operand(word, command.subList(1, command.size()));
    }

    /** What a program that reads a script, or runs another program, is given. */
    private Optional<CommandFault> operand(String program, List<String> words) {
        String name = program.substring(program.lastIndexOf('/') + 1);
        if (name.equals("env")) {
            int at = Interpreter.behindAssignments(words);
            return at < 0 ? Optional.empty() : program(words.subList(at, words.size()));
        }
        Optional<Interpreter> interpreter = Interpreter.of(name);
        int at = interpreter.map(found -> found.script(words)).orElse(-1);
        // A shell looks for a name without a slash in its PATH, too.
        return at < 0
                ? Optional.empty()
                : script(
                        words.get(at),
                        interpreter.get() == Interpreter.PYTHON || words.get(at).indexOf('/') >= 0);
    }

    private Optional<CommandFault> script(String word, boolean certain) {
        String path = RelativePath.of(word);
        if (files == null || path == null || RelativePath.isBehindLink(path, files) || files.kind(path) != null) {
            return Optional.empty();
        }
        return fault(word, missing(path, ""), certain);
    }

    private String missing(String path, String before) {
        if (files != null && files.isLeftOut(path)) {
            return MISSING
                    + " as it is sent: a line of a .berthignore, or Berth's own list (berth submit --help), leaves"
                    + " it out; a line !" + path + " in .berthignore brings it back";
        }
        String nearest = nearest(path);
        return MISSING
                + (nearest == null
                        ? "; name a script that is there, or submit the directory that holds it"
                        : "; did you mean " + before + nearest + "?");
    }

    private @Nullable String nearest(String path) {
        return files == null ? null : NearestPath.of(path, files.names());
    }

    private static String assignment(String word) {
        int equals = word.indexOf('=');
        return "sets a variable in a shell alone, and no shell reads the line; -e " + word.substring(0, equals)
                + "=VALUE gives the program the variable, or the word env stands before it";
    }

    private static boolean isAssignment(String word) {
        return Interpreter.isAssignment(word);
    }

    private static boolean hasBlank(String word) {
        return word.strip().chars().anyMatch(Character::isWhitespace);
    }

    private static Optional<CommandFault> certain(String word, String rule) {
        return fault(word, rule, true);
    }

    private static Optional<CommandFault> fault(String word, String rule, boolean certain) {
        return Optional.of(new CommandFault(word, rule, certain));
    }
}
