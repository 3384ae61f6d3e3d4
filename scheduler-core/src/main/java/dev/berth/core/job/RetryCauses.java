package dev.berth.core.job;

import java.util.Collections;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The ends of an attempt after which a job is started again.
 *
 * @param kinds the kinds of ends
 * @param codes the exit codes, each from 1 to 255
 */
public record RetryCauses(Set<Kind> kinds, SortedSet<Integer> codes) {
    private static final String CODE = "code:";
    private static final int MAX_CODE = 255;

    /** The rule for their words. */
    public static final String RULE = "must be of exit, oom, lost, timeout and code:N with N from 1 to " + MAX_CODE;

    /** The causes of a job that asks for retries and does not say after what: all but the end of its time. */
    public static final RetryCauses USUAL =
            new RetryCauses(EnumSet.of(Kind.EXIT, Kind.OOM, Kind.LOST), new TreeSet<>());

    /** The end by a limit alone. */
    public static final RetryCauses TIMEOUT = new RetryCauses(EnumSet.of(Kind.TIMEOUT), new TreeSet<>());

    /** A kind of end. */
    public enum Kind {
        /** The program ended with another code than 0. */
        EXIT("exit"),
        /** The kernel ended it for want of memory. */
        OOM("oom"),
        /** The machine or the container engine lost it. */
        LOST("lost"),
        /** It was ended at its time limit, or at its limit of idle time. */
        TIMEOUT("timeout");

        private final String word;

        Kind(String word) {
            this.word = word;
        }
    }

    public RetryCauses {
        kinds = Set.copyOf(kinds);
        codes = Collections.unmodifiableSortedSet(new TreeSet<>(codes));
    }

    /**
     * The causes of words with commas between them.
     *
     * @throws IllegalArgumentException whose message is {@link #RULE}, which goes on from the text
     */
    public static RetryCauses parse(String text) {
        Set<Kind> kinds = EnumSet.noneOf(Kind.class);
        SortedSet<Integer> codes = new TreeSet<>();
        for (String word : text.split(",", -1)) {
            Kind kind = kind(word);
            if (kind != null) {
                kinds.add(kind);
            } else {
                codes.add(code(word));
            }
        }
        return new RetryCauses(kinds, codes);
    }

    /** These and others. */
    public RetryCauses and(RetryCauses others) {
        Set<Kind> allKinds = new HashSet<>(kinds);
        allKinds.addAll(others.kinds);
        SortedSet<Integer> allCodes = new TreeSet<>(codes);
        allCodes.addAll(others.codes);
        return new RetryCauses(allKinds, allCodes);
    }

    private static @Nullable Kind kind(String word) {
        for (Kind kind : Kind.values()) {
            if (kind.word.equals(word)) {
                return kind;
            }
        }
        return null;
    }

    private static int code(String word) {
        String digits = word.startsWith(CODE) ? word.substring(CODE.length()) : "";
        boolean isNumber = TaskSet.areDigits(digits) && digits.length() <= 3;
        int code = isNumber ? Integer.parseInt(digits) : 0;
        if (code < 1 || code > MAX_CODE) {
            throw new IllegalArgumentException(RULE);
        }
        return code;
    }

    boolean cover(Outcome end) {
        return switch (end.state()) {
            case FAILED ->
                end.reason() == OutcomeReason.EXITED_NONZERO
                        && (kinds.contains(Kind.EXIT) || (end.exitCode() != null && codes.contains(end.exitCode())));
            case OUT_OF_MEMORY -> kinds.contains(Kind.OOM);
            case LOST -> kinds.contains(Kind.LOST);
            case TIMEOUT -> kinds.contains(Kind.TIMEOUT);
            case COMPLETED, CANCELLED, QUEUED, HELD, STARTING, RUNNING, STOPPING -> false;
        };
    }

    /** Their words, in one order. */
    public List<String> words() {
        return Stream.concat(
                        Stream.of(Kind.values()).filter(kinds::contains).map(kind -> kind.word),
                        codes.stream().map(code -> CODE + code))
                .toList();
    }

    @Override
    public String toString() {
        return String.join(",", words());
    }
}
