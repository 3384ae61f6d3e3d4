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
import dev.berth.server.http.view.JobViews.Values;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.JobQueries.Filter;
import dev.berth.server.store.track.ToldValues;
import dev.berth.server.store.track.TrackQueries.Rank;
import dev.berth.server.track.Tracking;
import dev.berth.server.track.condition.Condition;
import dev.berth.server.track.condition.ConditionParser;
import dev.berth.server.track.condition.ConditionParser.NoCondition;
import dev.berth.server.track.condition.ToldName;
import java.io.IOException;
import java.util.List;
import java.util.Map;
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
    private static final int DEFAULT_LIMIT = 100;
    private static final int MAX_LIMIT = 1_000;
    private static final int JOBS_A_PIECE = 200;

    /** With that many bytes a page ends, however few jobs it has; what is behind them is another page. */
    private static final long MAX_PAGE_BYTES = 4L << 20;

    /** With so many jobs looked at a page ends, however few of them are shown. */
    private static final int MAX_LOOKED = 20_000;

    /** The memory that the jobs of a piece, their views and what they told take: a careful guess. */
    private static final long MEMORY_A_PIECE = 1L << 20;

    private static final int SHOWN_NAMES = 10;

    /** What is asked for. */
    private record Wanted(Filter filter, @Nullable Condition where, int limit) {}

    void addTo(Router router) {
        router.add("GET", "/api/v1/tracked", (exchange, caller, _) -> list(exchange, caller));
    }

    private void list(Exchange exchange, Caller caller) throws IOException {
        int limit = (int) Parameters.number(exchange, "limit", DEFAULT_LIMIT, 1, MAX_LIMIT);
        Wanted wanted = new Wanted(filter(exchange, caller), where(exchange), limit);
        Values values = told.values(exchange, caller);
        String metric = exchange.query("best").orElse(null);
        long cursor = Parameters.number(exchange, "cursor", Long.MAX_VALUE, 1, Long.MAX_VALUE);
        if (metric != null && exchange.query("cursor").isPresent()) {
            throw ApiException.field("cursor", Long.toString(cursor), "does not go with best, which has one page");
        }
        Rank rank = rank(exchange, metric);
        try (Share share = memory.share(caller.uid())) {
            share.take(MEMORY_A_PIECE);
            JobListAnswer answer = new JobListAnswer(exchange, "", "");
            Listing listing = views.listing(caller, values);
            if (metric == null) {
                answer.end(newest(wanted, cursor, listing, answer));
            } else {
                best(wanted, metric, rank, listing, answer);
                answer.end(null);
            }
        }
    }

    private Filter filter(Exchange exchange, Caller caller) {
        Scope scope = filters.scope(exchange, Scope.ALL);
        Filter asked = filters.filter(exchange, caller, scope);
        Filter unfolded = new Filter(asked.uid(), asked.states(), asked.project(), asked.name(), asked.array(), true);
        Filter meant = scope == Scope.ACTIVE ? unfolded.with(ListFilters.states(false)) : unfolded;
        return ListFilters.ofWhatIsOwn(meant, caller);
    }

    private static @Nullable Condition where(Exchange exchange) {
        String text = exchange.query("where").orElse("");
        if (text.isBlank()) {
            return null;
        }
        try {
            return ConditionParser.parse(text);
        } catch (NoCondition e) {
            throw ApiException.field("where", PrintableText.of(text), String.valueOf(e.getMessage()));
        }
    }

    private static Rank rank(Exchange exchange, @Nullable String metric) {
        String order = exchange.query("order").orElse(null);
        boolean isOfLast = Parameters.flag(exchange, "last");
        if (metric == null) {
            if (order != null) {
                throw ApiException.field("order", PrintableText.of(order), "goes with best, which names the metric");
            }
            return Rank.HIGHEST;
        }
        if (order == null || !(order.equals("max") || order.equals("min"))) {
            throw ApiException.field(
                    "order",
                    PrintableText.of(order == null ? "" : order),
                    "must be max or min, the best value of a metric");
        }
        return order.equals("max")
                ? isOfLast ? Rank.HIGHEST_LAST : Rank.HIGHEST
                : isOfLast ? Rank.LOWEST_LAST : Rank.LOWEST;
    }

    /** Shows the newest before an id; the id of the last one shown is answered where there may be more. */
    private @Nullable Long newest(Wanted wanted, long before, Listing listing, JobListAnswer answer)
            throws IOException {
        long bytes = 0;
        long at = before;
        int left = wanted.limit();
        for (int looked = 0; looked < MAX_LOOKED && bytes < MAX_PAGE_BYTES; looked += JOBS_A_PIECE) {
            List<JobId> piece = tracking.queries().tracked(at, JOBS_A_PIECE);
            for (JobView job : listing.of(meant(wanted, piece))) {
                if (left == 0) {
                    return at;
                }
                bytes += answer.show(job);
                left--;
                at = job.id();
            }
            if (piece.size() < JOBS_A_PIECE) {
                return null;
            }
            if (left > 0) {
                at = piece.getLast().value();
            }
        }
        return at;
    }

    private void best(Wanted wanted, String metric, Rank rank, Listing listing, JobListAnswer answer)
            throws IOException {
        long bytes = 0;
        int left = wanted.limit();
        for (int without = 0; ; without += JOBS_A_PIECE) {
            List<JobId> piece = tracking.queries().ranked(metric, rank, without, JOBS_A_PIECE);
            List<Job> meant = meant(wanted, piece);
            for (JobView job : listing.of(meant.subList(0, Math.min(left, meant.size())))) {
                bytes += answer.show(job);
                left--;
            }
            if (piece.size() < JOBS_A_PIECE || left == 0 || bytes >= MAX_PAGE_BYTES) {
                break;
            }
        }
        if (left == wanted.limit() && wanted.where() == null) {
            throw noSuchMetric(wanted.filter(), metric);
        }
    }

    private List<Job> meant(Wanted wanted, List<JobId> jobs) {
        Condition where = wanted.where();
        if (where == null) {
            return queries.those(wanted.filter(), jobs);
        }
        Set<String> names = where.names().map(ToldName::name).collect(Collectors.toSet());
        Map<JobId, ToldValues> values = tracking.queries().values(jobs, names);
        return queries.those(
                wanted.filter(),
                jobs.stream()
                        .filter(job -> where.holds(values.getOrDefault(job, ToldValues.NONE)))
                        .toList());
    }

    private ApiException noSuchMetric(Filter filter, String metric) {
        List<JobId> newest = queries.those(filter, tracking.queries().tracked(Long.MAX_VALUE, JOBS_A_PIECE)).stream()
                .map(Job::id)
                .toList();
        List<String> names = tracking.queries().metricNames(newest, SHOWN_NAMES);
        return ApiException.of(
                404,
                "NO_SUCH_METRIC",
                "metric: none of these jobs has told a number for '" + PrintableText.of(metric) + "'; "
                        + (names.isEmpty()
                                ? "the newest have told no metric at all"
                                : "the newest have told " + PrintableText.of(String.join(", ", names))));
    }
}
