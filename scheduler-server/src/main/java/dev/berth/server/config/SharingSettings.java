package dev.berth.server.config;

import java.util.List;

/**
 * How GPUs are given out.
 *
 * @param shares how many jobs at most share one
 * @param sharesOf the same for single ones
 * @param labels words for single ones
 * @param maxFailedStarts after so many starts in a row that fail on one it is drained
 */
public record SharingSettings(int shares, List<GpuWord> sharesOf, List<GpuWord> labels, int maxFailedStarts) {
    public SharingSettings {
        sharesOf = List.copyOf(sharesOf);
        labels = List.copyOf(labels);
    }

    static SharingSettings of(Values values) {
        return new SharingSettings(
                values.get(Keys.GPU_SHARES),
                values.get(Keys.GPU_SHARES_OF),
                values.get(Keys.GPU_LABELS),
                values.get(Keys.MAX_FAILED_STARTS));
    }
}
