package dev.berth.server.http.exchange;

/** Text of users that is shown to others, on terminals too. */
public final class PrintableText {
    private PrintableText() {}

    public static boolean hasInvisible(String text) {
        return text.codePoints().anyMatch(PrintableText::isInvisible);
    }

    /** Whether a terminal would obey the character, or show nothing of it. */
    public static boolean isInvisible(int character) {
        int type = Character.getType(character);
        return Character.isISOControl(character)
                || type == Character.FORMAT
                || type == Character.SURROGATE
                || type == Character.LINE_SEPARATOR
                || type == Character.PARAGRAPH_SEPARATOR;
    }

    /** The text without what a terminal would obey. */
    public static String of(String text) {
        return text.codePoints()
                .map(c -> isInvisible(c) ? '?' : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }
}
