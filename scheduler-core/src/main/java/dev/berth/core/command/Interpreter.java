package dev.berth.core.command;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A program that is given a script, and the options that may stand before it. */
enum Interpreter {
    /** The options of python(1); -c and -m take the rest of the line. */
    PYTHON("bBdEhiIOPqsSuvVx", "WX"),
    /** The options of set and of bash(1) that take nothing; -c takes the rest of the line. */
    SHELL("abefhiklmnprtuvxBCEHPT", "oO");

    private static final Set<String> SHELLS = Set.of("sh", "bash", "dash", "zsh", "ksh");
    private static final String NAME = "python";

    private final String flags;
    private final String valued;

    Interpreter(String flags, String valued) {
        this.flags = flags;
        this.valued = valued;
    }

    /** The interpreter of a program's name; python3.12 is one, too. */
    static Optional<Interpreter> of(String name) {
        if (SHELLS.contains(name)) {
            return Optional.of(SHELL);
        }
        boolean isPython = name.startsWith(NAME)
                && name.substring(NAME.length()).chars().allMatch(each -> each == '.' || Character.isDigit(each));
        return isPython ? Optional.of(PYTHON) : Optional.empty();
    }

    /** The place of the script among the words behind the program; -1 where there is none, or nobody knows. */
    int script(List<String> words) {
        for (int at = 0; at < words.size(); at++) {
            String word = words.get(at);
            if (!word.startsWith("-")) {
                return at;
            }
            int taken = taken(word);
            if (taken < 0) {
                return -1;
            }
            at += taken;
        }
        return -1;
    }

    /** The words that an option takes behind it; -1 where it is not known, or the script is no file. */
    private int taken(String option) {
        if (option.length() < 2) {
            return -1;
        }
        for (int at = 1; at < option.length(); at++) {
            char letter = option.charAt(at);
            if (valued.indexOf(letter) >= 0) {
                return at == option.length() - 1 ? 1 : 0;
            }
            if (flags.indexOf(letter) < 0) {
                return -1;
            }
        }
        return 0;
    }

    /** The place of the program behind the variables of env(1); -1 where there is none, or nobody knows. */
    static int behindAssignments(List<String> words) {
        int at = 0;
        while (at < words.size()
                && (isAssignment(words.get(at)) || words.get(at).equals("-i"))) {
            at++;
        }
        return at < words.size() && !words.get(at).startsWith("-") ? at : -1;
    }

    /** Whether a shell takes the word for a variable and its value. */
    static boolean isAssignment(String word) {
        int equals = word.indexOf('=');
        return equals > 0
                && !Character.isDigit(word.charAt(0))
                && word.chars()
                        .limit(equals)
                        .allMatch(each -> each == '_' || (each < 128 && Character.isLetterOrDigit(each)));
    }
}
