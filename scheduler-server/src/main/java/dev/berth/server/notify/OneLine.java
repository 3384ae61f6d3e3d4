package dev.berth.server.notify;

/** Text of users on one line, without what a terminal, a mail program or a chat would obey. */
final class OneLine {
    private OneLine() {}

    /** The text with at most so many characters. */
    static String of(String text, int max) {
        StringBuilder line = new StringBuilder();
        text.codePoints().limit(max).map(c -> isVisible(c) ? c : ' ').forEach(line::appendCodePoint);
        return text.codePointCount(0, text.length()) > max ? line.append("...").toString() : line.toString();
    }

    private static boolean isVisible(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }
}
