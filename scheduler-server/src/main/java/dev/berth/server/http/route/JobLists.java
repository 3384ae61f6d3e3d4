package dev.berth.server.http.route;

import dev.berth.core.api.JobView;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.server.bounds.MemoryBudget;
import dev.berth.server.bounds.MemoryBudget.Share;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.http.exchange.Exchange;
import dev.berth.server.http.exchange.Parameters;
import dev.berth.server.http.exchange.PrintableText;
import dev.berth.server.http.exchange.Router;
import dev.berth.server.http.exchange.TextTable;
import dev.berth.server.http.route.ListFilters.Scope;
import dev.berth.server.http.view.JobViews;
import dev.berth.server.http.view.JobViews.Values;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.JobQueries.Active;
import dev.berth.server.store.JobQueries.Filter;
import dev.berth.server.store.Rows;
import dev.berth.server.track.condition.ToldName;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * {@code GET /jobs}: the running ones and the queue in its order, or the newest first, page by page.
 *
 * @param told gives the values that jobs told, where a list asks for them
 */
record JobLists(JobQueries queries, JobViews views, ListFilters filters, ToldColumns told, MemoryBudget memory) {

    private static final int JOBS_A_PIECE = 100;

    /** Of these, which are read by their numbers, all of a piece are in memory. */
    private static final int SORTED_A_PIECE = 10;

    /** The memory that the jobs of a piece, their views and the buffers take: a careful guess. */
    private static final long MEMORY_A_PIECE = 256L << 10;

    void addTo(Router router) {
        router.add("GET", "/api/v1/jobs", (exchange, caller, _) -> list(exchange, caller));
    }

    private void list(Exchange exchange, Caller caller) throws IOException {
        int limit = (int) Parameters.number(exchange, "limit", PageBounds.DEFAULT_LIMIT, 1, PageBounds.MAX_LIMIT);
        Scope scope = filters.scope(exchange, Scope.ACTIVE);
        Filter filter = filters.filter(exchange, caller, scope);
        Optional<SortedJobs> sorted = sorted(exchange, filter, scope);
        boolean active = scope == Scope.ACTIVE && sorted.isEmpty();
        if (!active && filter.tasks() && filter.array() == null) {
            throw ApiException.field("tasks", "true", "goes with scope active, or with the id of an array");
        }
        long cursor = active || sorted.isPresent()
                ? Parameters.number(exchange, "cursor", 0, 0, Long.MAX_VALUE)
                : Parameters.number(exchange, "cursor", Long.MAX_VALUE, 1, Long.MAX_VALUE);
        Map<String, String> parameters = parameters(exchange, filter);
        List<ToldName> columns = ToldColumns.columns(exchange);
        JobSearch search = JobSearch.of(exchange, caller, told.tracking());
        Page page = new Page(
                caller, filter, parameters, search, told.values(columns, caller), active, cursor, limit, sorted);
        try (Share share = memory.share(caller.uid())) {
            boolean asText = TextTable.isWanted(exchange);
            share.take((asText ? PageBounds.MAX_BYTES : MEMORY_A_PIECE) + ToldColumns.memory(columns.size()));
            show(exchange, page, asText);
        }
    }

    /** Answers the first page of the jobs that run and wait, with this JSON before and after the list. */
    void active(Exchange exchange, Caller caller, String before, String after) throws IOException {
        int limit = (int) Parameters.number(exchange, "limit", PageBounds.DEFAULT_LIMIT, 1, PageBounds.MAX_LIMIT);
        Filter filter = new Filter(caller.seesAll() ? null : Long.valueOf(caller.uid()), List.of(), null, null);
        try (Share share = memory.share(caller.uid())) {
            share.take(MEMORY_A_PIECE);
            JobListAnswer answer = new JobListAnswer(exchange, before, after);
            JobSearch all = JobSearch.ofAll(caller, told.tracking());
            answer.end(show(
                    new Page(caller, filter, Map.of(), all, ToldColumns.NONE, true, 0, limit, Optional.empty()),
                    answer::show));
        }
    }

    /** Tasks that are to come are in no order but that of their array. */
    private Optional<SortedJobs> sorted(Exchange exchange, Filter filter, Scope scope) {
        Filter meant = scope == Scope.ACTIVE ? filter.with(ListFilters.states(false)) : filter;
        Optional<SortedJobs> sorted = filters.sorted(exchange, meant);
        if (sorted.isPresent() && (filter.tasks() || filter.array() != null)) {
            throw ApiException.field(
                    "sort",
                    exchange.query("sort").orElse(""),
                    "goes with a list in which an array stands for its tasks: leave out tasks and array");
        }
        return sorted;
    }

    private void show(Exchange exchange, Page page, boolean asText) throws IOException {
        if (asText) {
            TextTable table = new TextTable("ID", "STATE", "USER", "GPUS", "NAME", "WHY");
            Long _ = show(page, job -> row(table, job));
            table.answer(exchange);
        } else {
            JobListAnswer answer = new JobListAnswer(exchange, "", "");
            answer.end(show(page, answer::show));
        }
    }

    private static long row(TextTable table, JobView job) {
        return table.row(job.number(), job.state(), job.user(), job.gpus(), job.name(), job.sentence());
    }

    /** The values that a task's parameters must have; empty for any. */
    private static Map<String, String> parameters(Exchange exchange, Filter filter) {
        String wanted = exchange.query("param").orElse(null);
        if (wanted == null) {
            return Map.of();
        }
        if (!filter.tasks()) {
            throw ApiException.field(
                    "param", PrintableText.of(wanted), "goes with tasks: only tasks of a sweep have any");
        }
        int equals = wanted.indexOf('=');
        if (equals < 1) {
            throw ApiException.field("param", PrintableText.of(wanted), "must be a name and its value, as in lr=0.1");
        }
        return Map.of(wanted.substring(0, equals), wanted.substring(equals + 1));
    }

    /** A page that is asked for: the running jobs and the queue in its order, or the newest before an id. */
    private record Page(
            Caller asker,
            Filter filter,
            Map<String, String> parameters,
            JobSearch search,
            Values values,
            boolean active,
            long cursor,
            int limit,
            Optional<SortedJobs> sorted) {
        /** Those of the one array that is asked for; of all that wait nobody is told task by task. */
        Optional<WaitingTasks> waiting(JobQueries queries) {
            return active || filter.array() == null
                    ? Optional.empty()
                    : parameters.entrySet().stream()
                            .findFirst()
                            .flatMap(wanted -> WaitingTasks.of(queries, filter, wanted.getKey(), wanted.getValue()));
        }

        /** The views of those among some jobs that are meant. */
        List<JobView> meant(JobViews.Listing listing, List<Job> jobs) {
            return listing.of(search.those(jobs)).stream().filter(this::has).toList();
        }

        private boolean has(JobView job) {
            Map<String, String> own = job.parameters();
            return parameters.isEmpty() || (own != null && own.entrySet().containsAll(parameters.entrySet()));
        }

        /** Whether few may be shown of those that are looked at. */
        boolean isChosen() {
            return !parameters.isEmpty() || !search.isAll();
        }
    }

    /** Shows a job, and says how many bytes that took. */
    @FunctionalInterface
    private interface Shown {
        long show(JobView job) throws IOException;
    }

    /**
     * Shows a page, piece by piece, so that it is never whole in memory. It ends early where it has become large, and not
     * before its first piece: the next page is behind that.
     *
     * @return the cursor of the last job shown, where there are more jobs behind it
     */
    private @Nullable Long show(Page page, Shown to) throws IOException {
        JobViews.Listing listing = views.listing(page.asker(), page.values());
        long bytes = 0;
        long at = page.cursor();
        int left = page.limit();
        int looked = 0;
        Rows<Job> piece;
        // Before any row is read: a task that has its turn meanwhile is then a row, and is shown as that.
        Optional<WaitingTasks> waiting = page.waiting(queries);
        if (page.active() && at == 0) {
            Active active = queries.active(page.filter(), Math.min(left, JOBS_A_PIECE));
            for (int from = 0; from < active.live().size(); from += JOBS_A_PIECE) {
                int end = Math.min(active.live().size(), from + JOBS_A_PIECE);
                for (JobView job : page.meant(listing, active.live().subList(from, end))) {
                    bytes += to.show(job);
                }
            }
            piece = active.waiting();
        } else {
            piece = piece(page, waiting, at, left);
        }
        while (true) {
            boolean isCut = false;
            Map<Long, JobView> meant = page.meant(listing, piece.items()).stream()
                    .collect(Collectors.toMap(JobView::id, Function.identity()));
            for (Job job : piece.items()) {
                isCut = left == 0;
                if (isCut) {
                    break;
                }
                at = cursor(page, job);
                looked++;
                JobView shown = meant.get(job.id().value());
                if (shown != null) {
                    bytes += to.show(shown);
                    left--;
                }
            }
            if (isCut
                    || !piece.more()
                    || left == 0
                    || bytes >= PageBounds.MAX_BYTES
                    || looked >= PageBounds.MAX_LOOKED) {
                return isCut || piece.more() ? Long.valueOf(at) : null;
            }
            piece = piece(page, waiting, at, left);
        }
    }

    /** What stands behind a job of a page is found by its turn where the page is of the queue, else by its number. */
    private static long cursor(Page page, Job job) {
        boolean isByTurn = page.active() && page.filter().array() == null;
        return (isByTurn ? job.turn() : job.id()).value();
    }

    private Rows<Job> piece(Page page, Optional<WaitingTasks> waiting, long at, int left) {
        int limit = page.isChosen() ? JOBS_A_PIECE : Math.min(left, JOBS_A_PIECE);
        if (page.active()) {
            return queries.waiting(page.filter(), at, limit);
        }
        if (page.sorted().isPresent()) {
            SortedJobs sorted = page.sorted().get();
            List<JobId> next = page.isChosen()
                    ? sorted.next(JOBS_A_PIECE, SortedJobs.MANY)
                    : sorted.next(Math.min(left, SORTED_A_PIECE), left);
            return new Rows<>(queries.all(next), sorted.isMore());
        }
        Rows<Job> rows = queries.newest(page.filter(), at, limit);
        return waiting.map(tasks -> tasks.with(rows, at, limit)).orElse(rows);
    }
}
