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
import dev.berth.server.http.route.ListFilters.Scope;
import dev.berth.server.http.view.JobViews;
import dev.berth.server.http.view.JobViews.Listing;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.JobQueries.Filter;
import dev.berth.server.store.track.ToldValues;
import dev.berth.server.store.track.TrackLists;
import dev.berth.server.store.track.TrackLists.Rank;
import dev.berth.server.track.Tracking;
import dev.berth.server.track.condition.Condition;
import dev.berth.server.track.condition.ConditionParser;
import dev.berth.server.track.condition.ConditionParser.NoCondition;
import dev.berth.server.track.condition.ToldName;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * {@code GET /tracked}: the jobs that told something, tasks of arrays among them, which meet a condition: the newest first, page
 * by page, or the best by a metric. A caller sees those whose output they may have.
 */
record TrackedLists(
        Tracking tracking,
        JobQueries queries,
        JobViews views,
        ListFilters filters,
        ToldColumns told,
        MemoryBudget memory) {
    private static final int JOBS_A_PIECE = 200;

    /** The jobs that are read and shown at a time: each may be large. */
    private static final int SHOWN_AT_A_TIME = 10;

    /** The memory that jobs, their views and what a condition asks for take: a careful guess. */
    private static final long MEMORY = 1L << 20;

    /** The same for each name that a condition asks for. */
    private static final long MEMORY_A_NAME = 128L << 10;

    /** The ids of ranked jobs, eight bytes each, of which there are a million at the most. */
    private static final long MEMORY_OF_RANKED = 8L << 20;

    private static final int SHOWN_NAMES = 10;

    /** What is asked for. */
    private record Wanted(
            Filter filter, @Nullable Condition where, JobSearch search, int limit, Optional<SortedJobs> sorted) {
        Set<String> names() {
            return where == null ? Set.of() : where.names().map(ToldName::name).collect(Collectors.toSet());
        }
    }

    void addTo(Router router) {
        router.add("GET", "/api/v1/tracked", (exchange, caller, _) -> list(exchange, caller));
    }

    private void list(Exchange exchange, Caller caller) throws IOException {
        int limit = (int) Parameters.number(exchange, "limit", PageBounds.DEFAULT_LIMIT, 1, PageBounds.MAX_LIMIT);
        List<ToldName> columns = new ArrayList<>(ToldColumns.columns(exchange));
        String metric = metric(exchange);
        boolean isHighest = isHighest(exchange, metric);
        Wanted wanted = wanted(exchange, caller, metric, limit);
        long cursor = Parameters.number(exchange, "cursor", Long.MAX_VALUE, 1, Long.MAX_VALUE);
        if (metric != null && exchange.query("cursor").isPresent()) {
            throw ApiException.field("cursor", Long.toString(cursor), "does not go with best, which has one page");
        }
        boolean isOfLast = Parameters.flag(exchange, "last");
        if (isOfLast && metric == null) {
            throw ApiException.field("last", "true", "goes with best, which names the metric");
        }
        if (metric != null) {
            columns.add(ToldName.ranked(metric, isHighest, isOfLast));
        }
        tracking.refresh();
        try (Share share = memory.share(caller.uid())) {
            share.take(MEMORY
                    + ToldColumns.memory(columns.size())
                    + wanted.names().size() * MEMORY_A_NAME
                    + (metric == null ? 0 : MEMORY_OF_RANKED));
            JobListAnswer answer = new JobListAnswer(exchange, "", "");
            Listing listing = views.listing(caller, told.values(columns, caller));
            if (metric == null) {
                answer.end(newest(wanted, cursor, listing, answer));
            } else {
                show(best(wanted, metric, isHighest, isOfLast), listing, answer);
                answer.end(null);
            }
        }
    }

    private Wanted wanted(Exchange exchange, Caller caller, @Nullable String metric, int limit) {
        Filter filter = filter(exchange, caller);
        Condition where = where(exchange);
        String sort = exchange.query("sort").orElse(null);
        if (sort != null && (metric != null || where == null)) {
            throw ApiException.field(
                    "sort",
                    PrintableText.of(sort),
                    metric == null
                            ? "goes with where; without it: GET /jobs"
                            : "and best exclude each other; give one");
        }
        Optional<SortedJobs> sorted = metric == null ? filters.sorted(exchange, filter) : Optional.empty();
        return new Wanted(filter, where, JobSearch.of(exchange, caller, tracking), limit, sorted);
    }

    private Filter filter(Exchange exchange, Caller caller) {
        if (exchange.query("param").isPresent()) {
            throw ApiException.field(
                    "param", PrintableText.of(exchange.query("param").orElse("")), "is asked for by where here");
        }
        Scope scope = filters.scope(exchange, Scope.ALL);
        Filter unfolded = filters.filter(exchange, caller, scope).unfolded();
        Filter meant = scope == Scope.ACTIVE ? unfolded.with(ListFilters.states(false)) : unfolded;
        return ListFilters.ofWhatIsOwn(meant, caller);
    }

    private static @Nullable Condition where(Exchange exchange) {
        String text = exchange.query("where").orElse(null);
        if (text == null) {
            return null;
        }
        try {
            return ConditionParser.parse(text);
        } catch (NoCondition e) {
            throw ApiException.field("where", PrintableText.of(text), String.valueOf(e.getMessage()));
        }
    }

    private static @Nullable String metric(Exchange exchange) {
        String metric = exchange.query("best").orElse(null);
        if (metric != null && metric.isEmpty()) {
            throw ApiException.field("best", "", "must be the name of a metric");
        }
        return metric;
    }

    private static boolean isHighest(Exchange exchange, @Nullable String metric) {
        String order = exchange.query("order").orElse(null);
        if (metric == null && order != null && exchange.query("sort").isEmpty()) {
            throw ApiException.field("order", PrintableText.of(order), "goes with best, which names the metric");
        }
        if (metric == null) {
            return false;
        }
        if (!"max".equals(order) && !"min".equals(order)) {
            throw ApiException.field(
                    "order",
                    PrintableText.of(order == null ? "" : order),
                    "must be max or min, the best value of a metric");
        }
        return "max".equals(order);
    }

    /** Shows the newest before an id, or those in the order that is asked for; the id of the last one looked at is answered where there may be more. */
    private @Nullable Long newest(Wanted wanted, long before, Listing listing, JobListAnswer answer)
            throws IOException {
        long at = before;
        long bytes = 0;
        int left = wanted.limit();
        for (int looked = 0; looked < PageBounds.MAX_LOOKED && bytes < PageBounds.MAX_BYTES; looked += JOBS_A_PIECE) {
            List<JobId> piece = piece(wanted, at);
            List<JobId> meant = meant(wanted, piece);
            boolean isCut = meant.size() > left;
            List<JobId> shown = isCut ? meant.subList(0, left) : meant;
            bytes += show(shown, listing, answer);
            if (isCut) {
                return shown.isEmpty() ? at : (Long) shown.getLast().value();
            }
            left -= shown.size();
            if (piece.size() < JOBS_A_PIECE) {
                return null;
            }
            at = piece.getLast().value();
        }
        return at;
    }

    private List<JobId> piece(Wanted wanted, long before) {
        return wanted.sorted()
                .map(sorted -> sorted.next(JOBS_A_PIECE, SortedJobs.MANY))
                .orElseGet(() -> lists().tracked(before, JOBS_A_PIECE));
    }

    /** Shows jobs, and says how many bytes that took. */
    private long show(List<JobId> jobs, Listing listing, JobListAnswer answer) throws IOException {
        long bytes = 0;
        for (int from = 0; from < jobs.size(); from += SHOWN_AT_A_TIME) {
            List<JobId> some = jobs.subList(from, Math.min(jobs.size(), from + SHOWN_AT_A_TIME));
            for (JobView job : listing.of(queries.all(some))) {
                bytes += answer.show(job);
            }
        }
        return bytes;
    }

    private List<JobId> best(Wanted wanted, String metric, boolean isHighest, boolean isOfLast) {
        Rank rank = isHighest ? isOfLast ? Rank.HIGHEST_LAST : Rank.HIGHEST : isOfLast ? Rank.LOWEST_LAST : Rank.LOWEST;
        long[] ranked = lists().ranked(metric, rank);
        List<JobId> best = new ArrayList<>();
        for (int from = 0; from < ranked.length && best.size() < wanted.limit(); from += JOBS_A_PIECE) {
            List<JobId> piece = Arrays.stream(ranked, from, Math.min(ranked.length, from + JOBS_A_PIECE))
                    .mapToObj(JobId::new)
                    .toList();
            best.addAll(meant(wanted, piece));
        }
        if (best.isEmpty() && wanted.where() == null && wanted.search().isAll()) {
            throw noSuchMetric(wanted, metric);
        }
        return best.subList(0, Math.min(best.size(), wanted.limit()));
    }

    private TrackLists lists() {
        return tracking.queries().lists();
    }

    /** Those of some jobs that are asked for, in the same order. */
    private List<JobId> meant(Wanted wanted, List<JobId> jobs) {
        List<JobId> filtered = searched(wanted, queries.those(wanted.filter(), jobs));
        Condition where = wanted.where();
        if (where == null) {
            return filtered;
        }
        Set<String> names = wanted.names();
        int piece = ToldColumns.jobsAPiece(names.size());
        List<JobId> meant = new ArrayList<>();
        for (int from = 0; from < filtered.size(); from += piece) {
            List<JobId> some = filtered.subList(from, Math.min(filtered.size(), from + piece));
            Map<JobId, ToldValues> values = lists().values(some, names);
            some.stream()
                    .filter(job -> where.holds(values.getOrDefault(job, ToldValues.NONE)))
                    .forEach(meant::add);
        }
        return meant;
    }

    private List<JobId> searched(Wanted wanted, List<JobId> jobs) {
        return wanted.search().isAll()
                ? jobs
                : wanted.search().those(queries.all(jobs)).stream().map(Job::id).toList();
    }

    private ApiException noSuchMetric(Wanted wanted, String metric) {
        long at = Long.MAX_VALUE;
        List<JobId> newest = List.of();
        for (int looked = 0; newest.isEmpty() && looked < PageBounds.MAX_LOOKED; looked += JOBS_A_PIECE) {
            List<JobId> piece = lists().tracked(at, JOBS_A_PIECE);
            newest = queries.those(wanted.filter(), piece);
            if (piece.size() < JOBS_A_PIECE) {
                break;
            }
            at = piece.getLast().value();
        }
        List<String> names = lists().metricNames(newest, SHOWN_NAMES);
        return ApiException.of(
                404,
                "NO_SUCH_METRIC",
                newest.isEmpty()
                        ? "no job that is meant has told anything; a program tells in the file $BERTH_TRACK"
                        : "metric: none of these jobs has told a number for '" + PrintableText.of(metric) + "'; "
                                + (names.isEmpty()
                                        ? "the newest have told no metric at all"
                                        : "the newest have told " + PrintableText.of(String.join(", ", names))));
    }
}
