package dev.berth.server.http;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.machine.Lane;
import dev.berth.core.machine.Machine;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.JobQueries.LaneFilter;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Places in the queue. A window begins at its queue's head, so a job in it knows its place without a query; behind it
 * jobs are counted, from the last one counted on. Lives for one answer.
 */
final class Places {
    private record Counted(JobId job, long ahead) {}

    private final Map<Lane, Counted> last = new EnumMap<>(Lane.class);
    private final Machine now;
    private final JobQueries queries;

    Places(Machine now, JobQueries queries) {
        this.now = now;
        this.queries = queries;
    }

    /** How many queued jobs of its lane were accepted before this one. */
    long ahead(Job job) {
        Lane lane = now.laneOf(job);
        List<Job> window = now.window(lane).jobs();
        for (int place = 0; place < window.size(); place++) {
            if (window.get(place).id().equals(job.id())) {
                return place;
            }
        }
        Counted before = last.get(lane);
        long ahead = before == null || before.job().compareTo(job.id()) >= 0
                ? queries.queuedBetween(0, job.id(), filter(lane))
                : before.ahead() + queries.queuedBetween(before.job().value() - 1, job.id(), filter(lane));
        last.put(lane, new Counted(job.id(), ahead));
        return ahead;
    }

    private LaneFilter filter(Lane lane) {
        if (now.capacity().cpuWorkers() == 0) {
            return LaneFilter.ALL;
        }
        return lane == Lane.CPU ? LaneFilter.WITHOUT_GPUS : LaneFilter.WITH_GPUS;
    }
}
