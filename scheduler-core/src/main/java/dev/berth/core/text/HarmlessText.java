package dev.berth.core.text;

/**
 * Text that a process or a user chose, for people's eyes: a terminal obeys control characters, and marks of direction
 * let a text read as another.
 */
public final class HarmlessText {
    private static final int MAX_LENGTH = 80;
    private static final String CUT = "...";

    private HarmlessText() {}

    /** Without what is not to be seen as itself, and of at most 80 characters. */
    public static String of(String text) {
        StringBuilder harmless = new StringBuilder();
        text.codePoints()
                .limit(MAX_LENGTH + 1L)
                .forEach(character -> harmless.appendCodePoint(isPlain(character) ? character : '?'));
        return harmless.codePointCount(0, harmless.length()) <= MAX_LENGTH
                ? harmless.toString()
                : harmless.substring(0, harmless.offsetByCodePoints(0, MAX_LENGTH - CUT.length())) + CUT;
    }

    /** Whether it is seen as itself. */
    public static boolean isPlain(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.PRIVATE_USE,
                    Character.SURROGATE,
                    Character.UNASSIGNED -> false;
            default -> true;
        };
    }
}
