package dev.berth.core.sweep;

import java.util.List;

/** Part of a run's name that stands for one parameter and its value, shortened as CW2 does it. */
final class ShortName {
    private static final int PARENT_LETTERS = 3;

    private ShortName() {}

    /** Of each parent's name three letters, of the last one the first letter of each of its words, and the value. */
    static String of(List<String> path, SweepValue value) {
        List<String> words = List.of(String.join(".", path).split("\\.", -1));
        StringBuilder name = new StringBuilder();
        for (String parent : words.subList(0, words.size() - 1)) {
            name.append(begin(parent, PARENT_LETTERS)).append('.');
        }
        for (String word : words.getLast().split("_", -1)) {
            name.append(begin(word, 1));
        }
        return cleaned(name.append(PythonText.of(value.plain())));
    }

    private static String begin(String word, int letters) {
        return word.codePointCount(0, word.length()) <= letters
                ? word
                : word.substring(0, word.offsetByCodePoints(0, letters));
    }

    private static String cleaned(CharSequence text) {
        StringBuilder clean = new StringBuilder(text.length());
        for (int at = 0; at < text.length(); at++) {
            char each = text.charAt(at);
            switch (each) {
                case '\'', '"', ' ', ')', ']' -> {}
                case '(', '[', ',' -> clean.append('_');
                default -> clean.append(each);
            }
        }
        return clean.toString();
    }
}
