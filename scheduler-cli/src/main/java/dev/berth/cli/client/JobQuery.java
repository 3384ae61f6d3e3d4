package dev.berth.cli.client;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which jobs to list.
 *
 * @param scope {@link #ACTIVE}, {@link #ENDED} or {@link #ALL}
 * @param states only jobs in one of these; empty for any. Goes with {@link #ALL} only
 * @param user only jobs of this user; null for any
 * @param project only jobs of this project; null for any
 * @param name only jobs of this name; null for any
 * @param limit how many at most, at least 1
 */
public record JobQuery(
        String scope,
        List<String> states,
        @Nullable String user,
        @Nullable String project,
        @Nullable String name,
        int limit) {
    /** The jobs that run, then those that wait in their order. */
    public static final String ACTIVE = "active";

    /** The jobs that are over, newest first. */
    public static final String ENDED = "ended";

    /** Every job, newest first. */
    public static final String ALL = "all";

    /** Jobs whoever they belong to and whatever they are called. */
    public static JobQuery of(String scope, int limit) {
        return new JobQuery(scope, List.of(), null, null, null, limit);
    }

    public JobQuery withName(String wanted) {
        return new JobQuery(scope, states, user, project, wanted, limit);
    }

    public JobQuery withUser(String wanted) {
        return new JobQuery(scope, states, wanted, project, name, limit);
    }
}
