package dev.berth.cli.command;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What can be done on the terminal that a command was typed at.
 *
 * @param rows how high it is, where lines can be drawn in place on standard output; 0 where they cannot
 * @param colour whether standard output takes colours
 * @param question asks the user; null where nobody can be asked
 */
public record Terminal(int rows, boolean colour, @Nullable Question question) {
    /** Standard output goes elsewhere, and nobody can be asked. */
    public static final Terminal NONE = new Terminal(0, false, null);

    /** Reads a line from the user. */
    public interface Question {
        /** What the user typed; empty where that was nothing. */
        String answer();
    }

    /**
     * A terminal that is there; NO_COLOR is that of no-color.org, and a dumb terminal neither draws nor colours.
     *
     * @param columns 0 where standard output goes elsewhere
     */
    public static Terminal of(int columns, int rows, Map<String, String> variables, @Nullable Question question) {
        boolean draws = columns > 0 && !"dumb".equals(variables.get("TERM"));
        return new Terminal(
                draws ? rows : 0,
                draws && variables.getOrDefault("NO_COLOR", "").isEmpty(),
                question);
    }
}
