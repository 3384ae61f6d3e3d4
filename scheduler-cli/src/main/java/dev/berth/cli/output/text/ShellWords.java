package dev.berth.cli.output.text;

import java.util.List;

/** Words as a POSIX shell would read them again. */
public final class ShellWords {
    private static final String PLAIN = "@%+=:,./-_^~";

    private ShellWords() {}

    /** The words on one line, quoted where they need it. */
    public static String join(List<String> words) {
        StringBuilder line = new StringBuilder();
        for (String word : words) {
            line.append(line.isEmpty() ? "" : " ").append(quoted(word));
        }
        return line.toString();
    }

    private static String quoted(String word) {
        for (int at = 0; at < word.length(); at++) {
            char next = word.charAt(at);
            if (!Character.isLetterOrDigit(next) && PLAIN.indexOf(next) < 0) {
                return "'" + word.replace("'", "'\\''") + "'";
            }
        }
        return word.isEmpty() || word.startsWith("~") ? "'" + word + "'" : word;
    }
}
