package dev.berth.server.track.source;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A word of a line of output: a name, or name=value.
 *
 * @param value what stands behind the first equals sign outside of quotes; null where there is none
 */
record Word(String name, @Nullable String value) {

    /** The word with its equals sign: a path may have one. */
    String whole() {
        return value == null ? name : name + '=' + value;
    }

    /** The words of a line; null where a quote is not closed. */
    static @Nullable List<Word> split(String line) {
        Letters letters = new Letters();
        for (int at = 0; at < line.length(); at++) {
            char letter = line.charAt(at);
            if (letters.isQuoted && letter == '\\' && at + 1 < line.length() && isEscaped(line.charAt(at + 1))) {
                at++;
                letters.add(line.charAt(at));
            } else {
                letters.read(letter);
            }
        }
        letters.end();
        return letters.isQuoted ? null : letters.words;
    }

    private static boolean isEscaped(char letter) {
        return letter == '"' || letter == '\\';
    }

    /** The value of the last word of a name; null where there is none. */
    static @Nullable String value(List<Word> words, String name) {
        String value = null;
        for (Word word : words) {
            if (word.name.equals(name) && word.value != null) {
                value = word.value;
            }
        }
        return value;
    }

    /** The words so far, and the one that is being read. */
    private static final class Letters {
        private final List<Word> words = new ArrayList<>();
        private final StringBuilder word = new StringBuilder();
        private int equalsAt = -1;
        private boolean isBegun;
        private boolean isQuoted;

        void read(char letter) {
            if (letter == '"') {
                isQuoted = !isQuoted;
                isBegun = true;
            } else if (isQuoted || (letter != ' ' && letter != '\t')) {
                if (letter == '=' && !isQuoted && equalsAt < 0) {
                    equalsAt = word.length();
                }
                add(letter);
            } else {
                end();
            }
        }

        void add(char letter) {
            word.append(letter);
            isBegun = true;
        }

        void end() {
            if (isBegun) {
                words.add(
                        equalsAt < 0
                                ? new Word(word.toString(), null)
                                : new Word(word.substring(0, equalsAt), word.substring(equalsAt + 1)));
            }
            word.setLength(0);
            equalsAt = -1;
            isBegun = false;
        }
    }
}
