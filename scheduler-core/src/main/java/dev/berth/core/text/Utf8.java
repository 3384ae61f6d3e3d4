package dev.berth.core.text;

/** The size that a text takes on disk and on the wire. */
public final class Utf8 {
    private static final int ONE_BYTE = 0x80;
    private static final int TWO_BYTES = 0x800;
    private static final int FOUR_BYTES = 0x10000;

    private Utf8() {}

    /** The bytes of a text in UTF-8, counted without making them; half a surrogate pair counts as three. */
    public static long length(String text) {
        long bytes = 0;
        for (int at = 0; at < text.length(); ) {
            int character = text.codePointAt(at);
            bytes += bytes(character);
            at += Character.charCount(character);
        }
        return bytes;
    }

    /** The bytes of several texts. */
    public static long length(Iterable<String> texts) {
        long bytes = 0;
        for (String text : texts) {
            bytes += length(text);
        }
        return bytes;
    }

    private static int bytes(int character) {
        if (character < ONE_BYTE) {
            return 1;
        }
        if (character < TWO_BYTES) {
            return 2;
        }
        return character < FOUR_BYTES ? 3 : 4;
    }

    /** As much of a text's front as fits into so many bytes, and three dots where that is not all of it. */
    public static String cut(String text, int most) {
        if (text.length() <= most && length(text) <= most) {
            return text;
        }
        int at = 0;
        for (long bytes = 3; at < text.length(); at += Character.charCount(text.codePointAt(at))) {
            bytes += bytes(text.codePointAt(at));
            if (bytes > most) {
                break;
            }
        }
        return text.substring(0, at) + "...";
    }
}
