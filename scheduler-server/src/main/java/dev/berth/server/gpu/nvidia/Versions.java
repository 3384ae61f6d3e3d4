package dev.berth.server.gpu.nvidia;

import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Versions of numbers and dots; what is missing at the end counts as zero. */
public final class Versions {
    private static final Pattern VERSION = Pattern.compile("[0-9]{1,9}(\\.[0-9]{1,9}){0,5}");

    private Versions() {}

    /** Negative, zero or positive, as comparators do it; empty where one is no version. */
    static Optional<Integer> compare(String one, String other) {
        if (!VERSION.matcher(one).matches() || !VERSION.matcher(other).matches()) {
            return Optional.empty();
        }
        int[] left = parts(one);
        int[] right = parts(other);
        for (int place = 0; place < Math.max(left.length, right.length); place++) {
            int difference =
                    Integer.compare(place < left.length ? left[place] : 0, place < right.length ? right[place] : 0);
            if (difference != 0) {
                return Optional.of(difference);
            }
        }
        return Optional.of(0);
    }

    /** Whether the first is the second or later; false where one is no version. */
    public static boolean isAtLeast(String one, String other) {
        return compare(one, other).filter(order -> order >= 0).isPresent();
    }

    private static int[] parts(String version) {
        return Stream.of(version.split("\\.")).mapToInt(Integer::parseInt).toArray();
    }
}
