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
 * @param told what is asked for of what the jobs told
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
        @Nullable String param,
        Told told) {
    /** The jobs that run, then those that wait in their order. */
    public static final String ACTIVE = "active";

    /** The jobs that are over, newest first. */
    public static final String ENDED = "ended";

    /** Every job, newest first. */
    public static final String ALL = "all";

    /**
     * What is asked for of what jobs told of themselves.
     *
     * @param columns the names whose values are wanted beside the jobs
     * @param where only jobs that meet this condition; null for any
     * @param best only jobs that told this; null for any order of the newest
     * @param isOfTold whether only jobs that told something are meant, tasks of arrays among them
     * @param text only jobs with this text in number, name, project or a tag; null for any
     * @param tag only jobs with this tag; null for any
     * @param sort the order of the list; null for that of its scope
     */
    public record Told(
            List<String> columns,
            @Nullable String where,
            @Nullable Best best,
            boolean isOfTold,
            @Nullable String text,
            @Nullable String tag,
            @Nullable Sort sort) {
        /** The same with any text and any tag, in the order of the scope. */
        public Told(List<String> columns, @Nullable String where, @Nullable Best best, boolean isOfTold) {
            this(columns, where, best, isOfTold, null, null, null);
        }

        /** Nothing is asked for. */
        public static final Told NOTHING = new Told(List.of(), null, null, false);
    }

    /**
     * The best jobs by a metric.
     *
     * @param isHighest whether the highest value is the best, and not the lowest
     * @param isOfLast whether the last value of a job counts, and not its best
     */
    public record Best(String metric, boolean isHighest, boolean isOfLast) {}

    /**
     * The order of a list by a column of the API.
     *
     * @param isDown whether the greatest value comes first
     */
    public record Sort(String column, boolean isDown) {}

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
        return new JobQuery(
                scope, List.of(), new Owner.Any(), null, null, null, limit, null, false, null, Told.NOTHING);
    }

    /** The caller's own. */
    public static JobQuery own(String scope, int limit) {
        return of(scope, limit).with(new Owner.Self());
    }

    public JobQuery withName(String wanted) {
        return new JobQuery(scope, states, owner, project, wanted, before, limit, array, tasks, param, told);
    }

    public JobQuery withStates(List<String> wanted) {
        return new JobQuery(scope, wanted, owner, project, name, before, limit, array, tasks, param, told);
    }

    public JobQuery with(Owner wanted) {
        return new JobQuery(scope, states, wanted, project, name, before, limit, array, tasks, param, told);
    }

    public JobQuery before(long id) {
        return new JobQuery(scope, states, owner, project, name, id, limit, array, tasks, param, told);
    }

    /** The tasks of an array, whosever it is. */
    public JobQuery ofArray(long id) {
        return new JobQuery(scope, states, owner, project, name, before, limit, id, true, param, told);
    }

    /** The same with the tasks beside their arrays. */
    public JobQuery unfolded() {
        return new JobQuery(scope, states, owner, project, name, before, limit, array, true, param, told);
    }

    public JobQuery withParam(@Nullable String wanted) {
        return new JobQuery(scope, states, owner, project, name, before, limit, array, tasks, wanted, told);
    }

    public JobQuery with(Told wanted) {
        return new JobQuery(scope, states, owner, project, name, before, limit, array, tasks, param, wanted);
    }

    /** Whether the list is of jobs that told something, which is another. */
    boolean isOfTold() {
        return told.where() != null || told.best() != null || told.isOfTold();
    }

    /** As the API asks for them, but for the pages. */
    String parameters() {
        Best best = told.best();
        Sort sort = told.sort();
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
                + (tasks && !isOfTold() ? "&tasks=true" : "")
                + filter("param", param)
                + filter("text", told.text())
                + filter("tag", told.tag())
                + filter("columns", told.columns().isEmpty() ? null : String.join(",", told.columns()))
                + filter("where", told.where())
                + (sort == null ? "" : filter("sort", sort.column()) + (sort.isDown() ? "&order=desc" : ""))
                + (best == null
                        ? ""
                        : filter("best", best.metric()) + "&order=" + (best.isHighest() ? "max" : "min")
                                + (best.isOfLast() ? "&last=true" : ""));
    }

    private static String filter(String parameter, @Nullable String value) {
        return value == null ? "" : "&" + parameter + "=" + Percent.encoded(value);
    }
}
