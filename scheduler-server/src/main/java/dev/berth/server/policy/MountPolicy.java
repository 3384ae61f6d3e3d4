package dev.berth.server.policy;

import java.nio.file.Path;
import java.util.List;

/**
 * Which of the machine's paths jobs may have mounted, within what their submitters may reach anyway.
 *
 * @param enabled whether there are mounts at all
 * @param allow at or below which paths sources lie
 * @param readOnly at or below which paths sources are given read-only, whatever is asked for
 */
public record MountPolicy(boolean enabled, List<Path> allow, List<Path> readOnly) {
    /** Everywhere, as far as the submitter's own rights go. */
    public static final MountPolicy BUILT_IN = new MountPolicy(true, List.of(Path.of("/")), List.of());

    public MountPolicy {
        allow = List.copyOf(allow);
        readOnly = List.copyOf(readOnly);
    }
}
