package dev.berth.server.config;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Something said of one GPU, as in {@code 0=fast}.
 *
 * @param gpu its index or its UUID
 */
public record GpuWord(String gpu, String word) {
    private static final Pattern FORM = Pattern.compile(
            "([0-9]{1,4}(?::[0-9]{1,4})?|(?:GPU|MIG)-[A-Za-z0-9-]{1,80})=([A-Za-z0-9][A-Za-z0-9._-]{0,63})");

    static Optional<GpuWord> parse(String text) {
        Matcher match = FORM.matcher(text);
        return match.matches() ? Optional.of(new GpuWord(match.group(1), match.group(2))) : Optional.empty();
    }

    /** The word that says how many jobs share a GPU. */
    static Optional<GpuWord> parseCount(String text) {
        return parse(text).filter(said -> said.word.matches("[1-9][0-9]?"));
    }

    @Override
    public String toString() {
        return gpu + "=" + word;
    }
}
