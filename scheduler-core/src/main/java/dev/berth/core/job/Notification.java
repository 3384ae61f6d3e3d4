package dev.berth.core.job;

import dev.berth.core.text.Utf8;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * A wish to be told of jobs: of which moments, and where. The receiver may hold a secret, so that it is in {@link #text} and in
 * no other text of this.
 *
 * @param receiver an address of the web, {@code mail:} and an address, or {@code cmd:} and a command; not checked here
 */
public record Notification(Set<Moment> moments, String receiver) {
    /** The longest text of one. */
    public static final int MAX_LENGTH = 2_048;

    private static final String RULE = "must be MOMENT[,MOMENT...]:RECEIVER, of the moments start, end and fail";

    public Notification {
        moments = Collections.unmodifiableSet(EnumSet.copyOf(moments));
    }

    /**
     * The wish in such a text as {@code end,fail:https://example.org/hook}. Without a moment it is the end.
     *
     * @throws IllegalArgumentException with the rule that the text breaks
     */
    public static Notification parse(String text) {
        int colon = text.indexOf(':');
        if (text.length() > MAX_LENGTH || colon < 0) {
            throw new IllegalArgumentException(colon < 0 ? RULE : "must have at most " + MAX_LENGTH + " characters");
        }
        List<String> words = List.of(text.substring(0, colon).split(",", -1));
        Set<Moment> moments = EnumSet.noneOf(Moment.class);
        for (Moment moment : Moment.values()) {
            if (words.contains(moment.word())) {
                moments.add(moment);
            }
        }
        if (moments.isEmpty() && words.size() == 1) {
            return new Notification(EnumSet.of(Moment.END), text);
        }
        String receiver = text.substring(colon + 1);
        if (moments.size() != words.size() || receiver.isEmpty()) {
            throw new IllegalArgumentException(RULE + ", each once");
        }
        return new Notification(moments, receiver);
    }

    /** The text that it is parsed from, with its secret: for the database alone. */
    public String text() {
        return words() + ":" + receiver;
    }

    /** The words of its moments, with commas between them. */
    public String words() {
        List<String> words = new ArrayList<>();
        moments.forEach(moment -> words.add(moment.word()));
        return String.join(",", words);
    }

    long bytes() {
        return Utf8.length(receiver) + Long.BYTES;
    }

    /** Without the receiver, which may hold a secret. */
    @Override
    public String toString() {
        return words() + ":...";
    }
}
