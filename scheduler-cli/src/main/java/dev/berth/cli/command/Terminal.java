package dev.berth.cli.command;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The terminal that a command was typed at, as far as something can be done on it.
 *
 * @param rows how high it is, where lines can be drawn in place on standard output; 0 where they cannot
 * @param colour whether standard output takes colours
 * @param unicode whether it shows more than ASCII
 * @param size how large it is now; what it was before where that cannot be told
 * @param question asks the user; null where nobody can be asked
 */
public record Terminal(
        int rows, boolean colour, @Nullable Question question, boolean unicode, UnaryOperator<Size> size) {
    /** Standard output goes elsewhere, and nobody can be asked. */
    public static final Terminal NONE = new Terminal(0, false, null);

    /** A terminal that knows ASCII alone and stays as it is. */
    public Terminal(int rows, boolean colour, @Nullable Question question) {
        this(rows, colour, question, false, UnaryOperator.identity());
    }

    /** Reads a line from the user. */
    public interface Question {
        /** The text that the user typed; empty where that was nothing. */
        String answer();
    }

    /**
     * A terminal that is there; NO_COLOR is that of no-color.org, and a dumb terminal neither draws nor colours.
     *
     * @param columns 0 where standard output goes elsewhere
     */
    public static Terminal of(
            int columns,
            int rows,
            Map<String, String> variables,
            @Nullable Question question,
            UnaryOperator<Size> size) {
        boolean draws = columns > 0 && !"dumb".equals(variables.get("TERM"));
        return new Terminal(
                draws ? rows : 0,
                draws && variables.getOrDefault("NO_COLOR", "").isEmpty(),
                question,
                isUnicode(variables),
                size);
    }

    /** Whether the variables that setlocale(3) looks at, in its order, name UTF-8. */
    private static boolean isUnicode(Map<String, String> variables) {
        for (String name : List.of("LC_ALL", "LC_CTYPE", "LANG")) {
            String locale = variables.getOrDefault(name, "");
            if (!locale.isEmpty()) {
                String codeset = locale.toUpperCase(Locale.ROOT).replace("-", "");
                return codeset.contains("UTF8");
            }
        }
        return false;
    }
}
