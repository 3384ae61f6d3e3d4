package dev.berth.core.api;

import org.jspecify.annotations.Nullable;

/**
 * The finding of {@code berth doctor} about one thing.
 *
 * @param check what was looked at, a stable word or two
 * @param verdict {@code ok}, {@code warning}, or {@code failure}: no job with a GPU could run
 * @param sentence what was found
 * @param mend the command that mends it, null where nothing is to be mended
 * @param details all that was said where the sentence is short for it; else null
 */
public record DoctorFinding(
        String check,
        String verdict,
        String sentence,
        @Nullable String mend,
        @Nullable String details) {
    public static final String OK = "ok";
    public static final String WARNING = "warning";
    public static final String FAILURE = "failure";
}
