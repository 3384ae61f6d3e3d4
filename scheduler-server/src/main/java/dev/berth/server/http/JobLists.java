package dev.berth.server.http;

import dev.berth.core.api.JobList;
import dev.berth.core.job.Job;
import dev.berth.core.job.StateName;
import dev.berth.core.job.Submitter;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.JobQueries.Filter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code GET /jobs}: the running ones and the queue in its order, or the newest first, page by page.
 *
 * @param accounts turns a user's name into a number
 */
record JobLists(JobQueries queries, JobViews views, Accounts accounts) {
    private static final int DEFAULT_LIMIT = 100;
    private static final int MAX_LIMIT = 1_000;

    /** Of a user that nobody is, so that a list of theirs is empty. */
    private static final long NOBODY = -1;

    void addTo(Router router) {
        router.add("GET", "/api/v1/jobs", (exchange, caller, _) -> list(exchange, caller));
    }

    private void list(Exchange exchange, Caller caller) throws IOException {
        int limit = (int) Parameters.number(exchange, "limit", DEFAULT_LIMIT, 1, MAX_LIMIT);
        List<StateName> states = Parameters.states(exchange);
        String scope = exchange.query("scope").orElse(states.isEmpty() ? "active" : "all");
        if (!scope.equals("all") && !states.isEmpty()) {
            throw ApiException.field("state", exchange.query("state").orElse(""), "goes with scope all");
        }
        Filter filter = new Filter(
                uid(exchange, caller),
                scope.equals("ended") ? ended() : states,
                exchange.query("project").orElse(null),
                exchange.query("name").orElse(null));
        JobList page = switch (scope) {
            case "active" -> active(filter, Parameters.number(exchange, "cursor", 0, 0, Long.MAX_VALUE), limit);
            case "all", "ended" ->
                newest(filter, Parameters.number(exchange, "cursor", Long.MAX_VALUE, 1, Long.MAX_VALUE), limit);
            default -> throw ApiException.field("scope", scope, "must be active, ended or all");
        };
        if (TextTable.isWanted(exchange)) {
            text(page).answer(exchange);
        } else {
            JobsResource.answer(exchange, 200, page);
        }
    }

    private static TextTable text(JobList page) {
        TextTable table = new TextTable("ID", "STATE", "USER", "GPUS", "NAME", "WHY");
        page.jobs()
                .forEach(job -> table.row(job.id(), job.state(), job.user(), job.gpus(), job.name(), job.sentence()));
        return table;
    }

    private static List<StateName> ended() {
        return Arrays.stream(StateName.values()).filter(StateName::isFinal).toList();
    }

    /** Whose jobs: the caller's own, or for those who see all whom they name. */
    private @Nullable Long uid(Exchange exchange, Caller caller) {
        String user = exchange.query("user").orElse(null);
        if (user == null) {
            return caller.seesAll() ? null : Long.valueOf(caller.uid());
        }
        if (!caller.seesAll()) {
            return user.equals(caller.name()) ? caller.uid() : NOBODY;
        }
        return accounts.find(user).map(Submitter::uid).orElse(NOBODY);
    }

    /** The running ones first, then the queue in its order; the cursor is the last waiting id shown. */
    private JobList active(Filter filter, long cursor, int limit) {
        List<Job> jobs = new ArrayList<>(cursor == 0 ? queries.live(filter) : List.of());
        List<Job> waiting = queries.waiting(filter, cursor, limit + 1);
        jobs.addAll(page(waiting, limit));
        return new JobList(views.of(jobs), next(waiting, limit));
    }

    private JobList newest(Filter filter, long cursor, int limit) {
        List<Job> jobs = queries.newest(filter, cursor, limit + 1);
        return new JobList(views.of(page(jobs, limit)), next(jobs, limit));
    }

    private static List<Job> page(List<Job> jobs, int limit) {
        return jobs.subList(0, Math.min(limit, jobs.size()));
    }

    /** One job more than a page holds was asked for, so that the last page knows that it is the last. */
    private static @Nullable Long next(List<Job> jobs, int limit) {
        return jobs.size() <= limit ? null : jobs.get(limit - 1).id().value();
    }
}
