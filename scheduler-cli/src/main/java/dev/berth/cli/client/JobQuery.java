package dev.berth.cli.client;

import dev.berth.cli.client.http.Percent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The choice of jobs to list.
 *
 * @param scope {@link #ACTIVE}, {@link #ENDED} or {@link #ALL}
 * @param states only jobs in one of these; empty for any. Goes with {@link #ALL} only
 * @param owner whose jobs
 * @param project only jobs of this project; null for any
 * @param name only jobs of this name; null for any
 * @param before only jobs whose id is lower; null for any. Goes with {@link #ALL} and {@link #ENDED} only
 * @param limit how many at most, at least 1
 * @param array only tasks of this array; null for any
 * @param tasks whether tasks are listed beside their arrays
 * @param param only tasks of a sweep with this parameter, {@code lr=0.1}; null for any. Goes with tasks only
 */
public record JobQuery(
        String scope,
        List<String> states,
        Owner owner,
        @Nullable String project,
        @Nullable String name,
        @Nullable Long before,
        int limit,
        @Nullable Long array,
        boolean tasks,
        @Nullable String param) {
    /** The jobs that run, then those that wait in their order. */
    public static final String ACTIVE = "active";

    /** The jobs that are over, newest first. */
    public static final String ENDED = "ended";

    /** Every job, newest first. */
    public static final String ALL = "all";

    /** The owner of the jobs. */
    public sealed interface Owner {
        /** Anybody whose jobs the caller may see; of those with a name, the caller's own. */
        record Any() implements Owner {}

        /** The caller. */
        record Self() implements Owner {}

        /** The user of this name. */
        record User(String name) implements Owner {}
    }

    /** Jobs of all users and of all names. */
    public static JobQuery of(String scope, int limit) {
        return new JobQuery(scope, List.of(), new Owner.Any(), null, null, null, limit, null, false, null);
    }

    /** The caller's own. */
    public static JobQuery own(String scope, int limit) {
        return of(scope, limit).with(new Owner.Self());
    }

    public JobQuery withName(String wanted) {
        return new JobQuery(scope, states, owner, project, wanted, before, limit, array, tasks, param);
    }

    public JobQuery withStates(List<String> wanted) {
        return new JobQuery(scope, wanted, owner, project, name, before, limit, array, tasks, param);
    }

    public JobQuery with(Owner wanted) {
        return new JobQuery(scope, states, wanted, project, name, before, limit, array, tasks, param);
    }

    public JobQuery before(long id) {
        return new JobQuery(scope, states, owner, project, name, id, limit, array, tasks, param);
    }

    /** The tasks of an array, whosever it is. */
    public JobQuery ofArray(long id) {
        return new JobQuery(scope, states, owner, project, name, before, limit, id, true, param);
    }

    /** The same with the tasks beside their arrays. */
    public JobQuery unfolded() {
        return new JobQuery(scope, states, owner, project, name, before, limit, array, true, param);
    }

    public JobQuery withParam(@Nullable String wanted) {
        return new JobQuery(scope, states, owner, project, name, before, limit, array, tasks, wanted);
    }

    /** As the API asks for them, but for the pages. */
    String parameters() {
        String whose = switch (owner) {
            case Owner.Any() -> "";
            case Owner.Self() -> "&own=true";
            case Owner.User(String user) -> filter("user", user);
        };
        return (states.isEmpty() ? "" : "&state=" + String.join(",", states))
                + whose
                + filter("project", project)
                + filter("name", name)
                + filter("array", array == null ? null : array.toString())
                + (tasks ? "&tasks=true" : "")
                + filter("param", param);
    }

    private static String filter(String parameter, @Nullable String value) {
        return value == null ? "" : "&" + parameter + "=" + Percent.encoded(value);
    }
}
