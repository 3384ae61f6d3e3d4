package dev.berth.server.http.route;

import dev.berth.core.job.JobId;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Exchange;
import dev.berth.server.http.exchange.Parameters;
import dev.berth.server.http.exchange.PrintableText;
import dev.berth.server.store.JobOrder;
import dev.berth.server.store.JobOrder.Column;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.JobQueries.Filter;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * The numbers of the jobs of a list that is ordered by {@code sort} and {@code order}, behind a job of it. Where few of them may be
 * shown, many are read at once, as each question looks at all jobs. For one thread.
 */
final class SortedJobs {
    /** So many numbers take 100 KB. */
    static final int MANY = 5_000;

    private final JobQueries queries;
    private final Filter filter;
    private final JobOrder order;
    private final Instant now;
    private final Deque<JobId> ahead = new ArrayDeque<>();
    private long at;
    private boolean isMoreBehind = true;

    private SortedJobs(JobQueries queries, Filter filter, JobOrder order, Instant now, long behind) {
        this.queries = queries;
        this.filter = filter;
        this.order = order;
        this.now = now;
        this.at = behind;
    }

    /** Whether a request names an order; where it does not, it must not name its direction either. */
    static boolean isWanted(Exchange exchange) {
        Optional<String> direction = exchange.query("order");
        boolean isWanted = exchange.query("sort").isPresent();
        if (!isWanted && direction.isPresent()) {
            throw ApiException.field(
                    "order", PrintableText.of(direction.get()), "goes with sort, which names the column");
        }
        return isWanted;
    }

    /** The list that a request asks for, up to {@code now} for those that still run. */
    static SortedJobs of(Exchange exchange, JobQueries queries, Filter filter, Instant now) {
        String word = exchange.query("sort").orElse("");
        Column column = Column.parse(word)
                .orElseThrow(() -> ApiException.field(
                        "sort", PrintableText.of(word), "must be one of " + String.join(", ", Column.words())));
        String direction = exchange.query("order").orElse("asc");
        if (!direction.equals("asc") && !direction.equals("desc")) {
            throw ApiException.field("order", PrintableText.of(direction), "must be asc or desc");
        }
        long behind = Parameters.number(exchange, "cursor", 0, 0, Long.MAX_VALUE);
        // Of another's job not even its place among one's own is told.
        if (behind > 0
                && queries.those(Filter.of(filter.uid()).unfolded(), List.of(new JobId(behind)))
                        .isEmpty()) {
            throw ApiException.field(
                    "cursor",
                    Long.toString(behind),
                    "must be the next of the page before, and that job is not there any more; ask for the first page");
        }
        return new SortedJobs(queries, filter, new JobOrder(column, direction.equals("desc")), now, behind);
    }

    /**
     * The next ones, at most so many; none where there are no more.
     *
     * @param atOnce how many are read where more have to be
     */
    List<JobId> next(int limit, int atOnce) {
        if (ahead.isEmpty() && isMoreBehind) {
            List<JobId> read = queries.sorted(filter, order, at, atOnce + 1, now);
            isMoreBehind = read.size() > atOnce;
            ahead.addAll(isMoreBehind ? read.subList(0, atOnce) : read);
        }
        List<JobId> next = new ArrayList<>();
        while (next.size() < limit && !ahead.isEmpty()) {
            next.add(ahead.remove());
        }
        if (!next.isEmpty()) {
            at = next.getLast().value();
        }
        return next;
    }

    /** Whether there are more. */
    boolean isMore() {
        return isMoreBehind || !ahead.isEmpty();
    }
}
