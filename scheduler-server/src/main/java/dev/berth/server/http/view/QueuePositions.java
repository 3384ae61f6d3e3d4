package dev.berth.server.http.view;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.machine.Lane;
import dev.berth.core.machine.Machine;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.JobQueries.LaneFilter;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Positions in the queue. A window begins at its queue's head, so a job in it knows its place without a query; behind it
 * jobs are counted, from the last one counted on. Lives for one answer.
 */
public final class QueuePositions {
    private record Counted(JobId turn, long ahead) {}

    private final Map<Lane, Counted> last = new EnumMap<>(Lane.class);
    private final Map<Lane, List<Job>> inTurn = new EnumMap<>(Lane.class);
    private final Machine now;
    private final JobQueries queries;

    public QueuePositions(Machine now, JobQueries queries) {
        this.now = now;
        this.queries = queries;
    }

    /** The machine by which they are counted. */
    Machine now() {
        return now;
    }

    /** The number of queued jobs of its lane whose turn comes before that of this one. */
    public long ahead(Job job) {
        Lane lane = now.laneOf(job);
        List<Job> window = inTurn.computeIfAbsent(lane, any -> now.inTurn(any).toList());
        for (int place = 0; place < window.size(); place++) {
            if (window.get(place).id().equals(job.id())) {
                return place;
            }
        }
        long windowEnd =
                window.isEmpty() ? 0 : now.window(lane).jobs().getLast().turn().value();
        long ahead = counted(job.turn(), windowEnd, last.get(lane), filter(lane));
        last.put(lane, new Counted(job.turn(), ahead));
        return ahead;
    }

    /** From the last one counted on, forward or back: a page of a list costs one long count at most. */
    private long counted(JobId turn, long windowEnd, @Nullable Counted from, LaneFilter filter) {
        if (from == null) {
            // From the nearer end: the place of a job that was just accepted must not cost more the longer the queue
            // is.
            return filter == LaneFilter.ALL && now.lastId() - turn.value() < turn.value() - windowEnd
                    ? queries.queuedBefore(turn)
                    : queries.queuedBetween(0, turn, filter);
        }
        return from.turn().compareTo(turn) < 0
                ? from.ahead() + queries.queuedBetween(from.turn().value() - 1, turn, filter)
                : Math.max(0, from.ahead() - queries.queuedBetween(turn.value() - 1, from.turn(), filter));
    }

    private LaneFilter filter(Lane lane) {
        if (lane == Lane.TARGET) {
            return LaneFilter.OF_TARGETS;
        }
        if (now.capacity().cpuWorkers() == 0) {
            return LaneFilter.ALL;
        }
        return lane == Lane.CPU ? LaneFilter.WITHOUT_GPUS : LaneFilter.WITH_GPUS;
    }
}
