package dev.berth.server.usage;

import dev.berth.core.job.GpuId;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobState.Live;
import dev.berth.server.gpu.GpuProcess;
import dev.berth.server.gpu.GpuReading;
import dev.berth.server.gpu.occupy.ProcessIdentity;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongFunction;

/**
 * Status of each GPU at the last look, and who was on it. A GPU that could not be read has none. Written by the
 * sampler's thread, read by any.
 */
public final class LatestGpuStatus {
    /** After which it is asked again who a process is that belongs to no job: its container may not have been known. */
    private static final Duration ASK_AGAIN = Duration.ofSeconds(10);

    private final LongFunction<ProcessIdentity> identify;
    private volatile Map<GpuId, GpuStatus> statuses = Map.of();

    /** Processes that are known; the sampler's own. */
    private Map<Place, Known> known = new HashMap<>();

    private record Place(GpuId gpu, long pid) {}

    private record Known(ProcessIdentity identity, Instant since, Instant asked) {}

    public LatestGpuStatus(LongFunction<ProcessIdentity> identify) {
        this.identify = identify;
    }

    /** Takes a look in. */
    public void look(GpuReadings look) {
        Map<Place, Known> still = new HashMap<>();
        Map<GpuId, GpuStatus> next = new HashMap<>();
        look.readings().forEach((gpu, reading) -> next.put(gpu, status(look.at(), gpu, reading, still)));
        known = still;
        statuses = Map.copyOf(next);
    }

    private GpuStatus status(Instant at, GpuId gpu, GpuReading reading, Map<Place, Known> still) {
        List<ObservedProcess> processes = new ArrayList<>();
        for (GpuProcess process : reading.processes()) {
            Place place = new Place(gpu, process.pid());
            Known now = known(place, at);
            still.put(place, now);
            processes.add(new ObservedProcess(process, now.identity, now.since));
        }
        return new GpuStatus(at, reading, processes);
    }

    private Known known(Place place, Instant at) {
        Known before = known.get(place);
        if (before != null
                && (before.identity.job() != null
                        || Duration.between(before.asked, at).compareTo(ASK_AGAIN) < 0)) {
            return before;
        }
        return new Known(identify.apply(place.pid()), before == null ? at : before.since, at);
    }

    static boolean holds(Job job, GpuId gpu) {
        return job.state() instanceof Live live && live.allocation().gpus().contains(gpu);
    }

    /** Status of a GPU at the last look; empty for one that nobody looks at, or that could not be read. */
    public Optional<GpuStatus> of(GpuId gpu) {
        return Optional.ofNullable(statuses.get(gpu));
    }
}
