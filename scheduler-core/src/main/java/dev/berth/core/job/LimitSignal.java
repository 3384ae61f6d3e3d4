package dev.berth.core.job;

import java.time.Duration;

/**
 * A signal that comes before the time limit, so that the program can keep what it has. Its text is {@code USR1@300}: the
 * signal, and how many seconds before.
 *
 * @param before how long before the limit, at least a second
 */
public record LimitSignal(Signal signal, Duration before) {
    /** As Slurm has it (sbatch, {@code --signal}). */
    private static final Duration USUAL = Duration.ofSeconds(60);

    public LimitSignal {
        if (before.compareTo(Duration.ofSeconds(1)) < 0 || before.compareTo(Limits.MAX) > 0) {
            throw new IllegalArgumentException(
                    "must come from 1 second to " + Limits.MAX.toSeconds() + " (ten years) before the time limit");
        }
    }

    /**
     * Reads {@code NAME[@SECONDS]}.
     *
     * @throws IllegalArgumentException whose message says the rule
     */
    public static LimitSignal parse(String text) {
        String[] parts = text.split("@", 2);
        Signal signal = Signal.parse(parts[0]);
        if (parts.length == 1) {
            return new LimitSignal(signal, USUAL);
        }
        if (!parts[1].matches("\\d{1,9}")) {
            throw new IllegalArgumentException("must be a signal, @ and a whole number of seconds, such as USR1@300");
        }
        return new LimitSignal(signal, Duration.ofSeconds(Long.parseLong(parts[1])));
    }

    @Override
    public String toString() {
        return signal.name() + "@" + before.toSeconds();
    }
}
