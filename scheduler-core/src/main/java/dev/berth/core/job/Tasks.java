package dev.berth.core.job;

import org.jspecify.annotations.Nullable;

/**
 * The tasks that an array is to have, as its submitter asked. Its text is {@code 0-31%4}, as Slurm's.
 *
 * @param all their indices, never none
 * @param atOnce how many of them may run at the same time, 0 for as many as there is room for
 * @param packing how they share containers, or null where each has one of its own
 */
public record Tasks(TaskSet all, int atOnce, @Nullable Packing packing) {
    private static final int MAX_DIGITS = 9;
    private static final int MAX_AT_ONCE = 999_999_999;

    public Tasks {
        if (all.isEmpty() || atOnce < 0) {
            throw new IllegalArgumentException("no array: " + all + "%" + atOnce);
        }
    }

    /** Makes those that have a container each. */
    public Tasks(TaskSet all, int atOnce) {
        this(all, atOnce, null);
    }

    /** The same, sharing containers so. */
    public Tasks with(@Nullable Packing other) {
        return new Tasks(all, atOnce, other);
    }

    /** The number of packs that they make; 0 where each has a container of its own. */
    int packs() {
        return packing == null ? 0 : Math.ceilDiv(all.size(), packing.size());
    }

    /**
     * The tasks of such a text.
     *
     * @throws IllegalArgumentException whose message is the rule that the text breaks, and goes on from the text
     */
    public static Tasks parse(String text) {
        int percent = text.indexOf('%');
        if (percent < 0) {
            return new Tasks(TaskSet.parse(text), 0);
        }
        String throttle = text.substring(percent + 1);
        boolean isNumber = TaskSet.areDigits(throttle) && throttle.length() <= MAX_DIGITS;
        if (!isNumber || Integer.parseInt(throttle) == 0) {
            throw new IllegalArgumentException("must have a number from 1 to " + MAX_AT_ONCE
                    + " behind %: how many of its tasks may run at the same time");
        }
        return new Tasks(TaskSet.parse(text.substring(0, percent)), Integer.parseInt(throttle));
    }

    @Override
    public String toString() {
        return atOnce == 0 ? all.toString() : all + "%" + atOnce;
    }
}
