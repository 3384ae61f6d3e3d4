package dev.berth.server.http.view;

import dev.berth.core.text.Utf8;
import dev.berth.server.http.exchange.PrintableText;

/** A program's own words in a sentence of Berth's: marked as such, bounded, and nothing that a terminal would obey. */
final class ProgramWords {
    private static final int MAX_BYTES = 200;

    private ProgramWords() {}

    static String quoted(String line) {
        StringBuilder text = new StringBuilder("\"");
        Utf8.cut(line, MAX_BYTES).codePoints().forEach(each -> {
            if (each == '"' || each == '\\') {
                text.append('\\').appendCodePoint(each);
            } else if (PrintableText.isInvisible(each)) {
                text.append(each <= 0xff ? "\\x%02x".formatted(each) : "\\u%04x".formatted(each));
            } else {
                text.appendCodePoint(each);
            }
        });
        return text.append('"').toString();
    }
}
