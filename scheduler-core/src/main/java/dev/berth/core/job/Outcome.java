package dev.berth.core.job;

import org.jspecify.annotations.Nullable;

/**
 * The end of a job.
 *
 * @param state the final state
 * @param reason the stable code
 * @param sentence one true sentence for people
 * @param exitCode the program's exit code as the engine reports it (128 + n for signal n), or null where no program
 *     ran or nobody saw it end
 */
public record Outcome(
        StateName state,
        OutcomeReason reason,
        String sentence,
        @Nullable Integer exitCode) {
    public Outcome {
        if (!state.isFinal()) {
            throw new IllegalArgumentException(state + " is not an end");
        }
    }
}
