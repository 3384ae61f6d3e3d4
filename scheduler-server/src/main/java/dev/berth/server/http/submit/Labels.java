package dev.berth.server.http.submit;

import dev.berth.server.http.ApiException;
import org.jspecify.annotations.Nullable;

/** Words that people give things, and what of them may be shown. */
public final class Labels {
    static final int MAX_LENGTH = 128;

    private Labels() {}

    public static String checked(String field, @Nullable String value, String otherwise) {
        String label = value == null ? otherwise : value;
        if (label.isBlank() || label.length() > MAX_LENGTH) {
            throw ApiException.field(field, printable(label), "must have 1 to " + MAX_LENGTH + " characters");
        }
        if (hasInvisible(label)) {
            throw ApiException.field(field, printable(label), "must not hold control or formatting characters");
        }
        return label;
    }

    public static boolean hasInvisible(String text) {
        return text.codePoints().anyMatch(Labels::isInvisible);
    }

    private static boolean isInvisible(int character) {
        int type = Character.getType(character);
        return Character.isISOControl(character)
                || type == Character.FORMAT
                || type == Character.SURROGATE
                || type == Character.LINE_SEPARATOR
                || type == Character.PARAGRAPH_SEPARATOR;
    }

    /** The same without what a terminal would obey. */
    public static String printable(String text) {
        return text.codePoints()
                .map(c -> isInvisible(c) ? '?' : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }
}
