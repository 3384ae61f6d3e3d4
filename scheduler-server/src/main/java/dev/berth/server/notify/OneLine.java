package dev.berth.server.notify;

import dev.berth.core.text.HarmlessText;

/** Text of users on one line, without what a terminal, a mail program or a chat would obey. */
final class OneLine {
    private OneLine() {}

    /** The text with at most so many characters. */
    static String of(String text, int max) {
        StringBuilder line = new StringBuilder();
        text.codePoints().limit(max).map(c -> HarmlessText.isPlain(c) ? c : ' ').forEach(line::appendCodePoint);
        return text.codePointCount(0, text.length()) > max ? line.append("...").toString() : line.toString();
    }
}
