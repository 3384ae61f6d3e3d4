package dev.berth.server.policy;

import java.util.Map;

/**
 * All that is decided about jobs on this server.
 *
 * @param sources where a value of {@link JobDefaults} was set, by the name of its component; one that is missing is
 *     built in
 */
public record JobPolicy(
        JobDefaults defaults, MountPolicy mounts, PrivilegePolicy privileges, Map<String, String> sources) {
    public JobPolicy {
        sources = Map.copyOf(sources);
    }

    /** As without any configuration. */
    public static JobPolicy builtIn(String image) {
        return new JobPolicy(JobDefaults.of(image), MountPolicy.BUILT_IN, PrivilegePolicy.BUILT_IN, Map.of());
    }

    /** Where the default of that name was set. */
    public String source(String name) {
        return sources.getOrDefault(name, "default");
    }
}
