package dev.berth.core.job;

import dev.berth.core.text.Utf8;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of a target that will do for a job, as the profile says that it was submitted with.
 *
 * @param labels that a node must bear, by their names
 * @param tolerations the taints of nodes that are no matter
 */
public record NodeTraits(Map<String, String> labels, List<Toleration> tolerations) {
    public static final NodeTraits ANY = new NodeTraits(Map.of(), List.of());

    public NodeTraits {
        labels = Collections.unmodifiableMap(new TreeMap<>(labels));
        tolerations = List.copyOf(tolerations);
    }

    /**
     * A taint that is no matter, as in a pod's own {@code tolerations}.
     *
     * @param key empty for all
     * @param value null for any
     * @param effect null for all of them
     * @param seconds for how long it is no matter to a program that runs; null for ever
     */
    public record Toleration(
            String key,
            @Nullable String value,
            @Nullable String effect,
            @Nullable Long seconds) {
        private long bytes() {
            return Utf8.length(key)
                    + (value == null ? 0 : Utf8.length(value))
                    + (effect == null ? 0 : Utf8.length(effect));
        }
    }

    /** The same but for one label. */
    public NodeTraits without(String label) {
        Map<String, String> others = new TreeMap<>(labels);
        others.remove(label);
        return new NodeTraits(others, tolerations);
    }

    public boolean areAny() {
        return labels.isEmpty() && tolerations.isEmpty();
    }

    long bytes() {
        return labels.entrySet().stream()
                        .mapToLong(label -> Utf8.length(label.getKey()) + Utf8.length(label.getValue()))
                        .sum()
                + tolerations.stream().mapToLong(Toleration::bytes).sum();
    }
}
