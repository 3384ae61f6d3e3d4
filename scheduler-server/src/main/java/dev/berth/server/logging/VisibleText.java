package dev.berth.server.logging;

import dev.berth.core.text.HarmlessText;
import java.util.HexFormat;

/** Text for the server's log with nothing in it that begins a line, steers a terminal or turns the direction of text. */
final class VisibleText {
    /** No event is worth more; an engine or a registry can say as much as it likes. */
    private static final int MAX_LENGTH = 16 << 10;

    private static final int LAST_SHORT = 0xff;

    private VisibleText() {}

    /** The text, where such a character is written as in Java: {@code \n}, {@code \x1b}, {@code \u202e}. */
    static String of(String text) {
        StringBuilder visible = new StringBuilder(text.length());
        text.codePoints().limit(MAX_LENGTH).forEach(character -> append(visible, character));
        int left = text.codePointCount(0, text.length()) - MAX_LENGTH;
        return left > 0 ? visible.append("... (").append(left).append(" more)").toString() : visible.toString();
    }

    private static void append(StringBuilder visible, int character) {
        if (HarmlessText.isPlain(character)) {
            visible.appendCodePoint(character);
        } else if (character == '\n') {
            visible.append("\\n");
        } else if (character == '\r') {
            visible.append("\\r");
        } else if (character == '\t') {
            visible.append("\\t");
        } else if (character <= LAST_SHORT) {
            visible.append("\\x").append(HexFormat.of().toHexDigits((byte) character));
        } else {
            for (char half : Character.toChars(character)) {
                visible.append("\\u").append(HexFormat.of().toHexDigits(half));
            }
        }
    }
}
