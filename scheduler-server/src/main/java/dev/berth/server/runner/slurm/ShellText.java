package dev.berth.server.runner.slurm;

import java.util.Collection;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Text for a POSIX shell, which takes nothing in it for anything but itself. */
final class ShellText {
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    private ShellText() {}

    /** The text as one word: in single quotes, within which a shell looks for nothing but their end. */
    static String quoted(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }

    /** The words as one line. */
    static String quoted(Collection<String> words) {
        return words.stream().map(ShellText::quoted).collect(Collectors.joining(" "));
    }

    /** Whether a shell can export a variable of that name. */
    static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }
}
