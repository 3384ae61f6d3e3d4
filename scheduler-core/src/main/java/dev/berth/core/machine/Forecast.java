package dev.berth.core.machine;

import dev.berth.core.job.GpuId;
import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.GpuShare;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState.Live;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The latest start of a queued job, as far as time limits tell: the queue is played through as if every program ran as
 * long as it may. One without a limit that has to end first leaves it unknown.
 */
public final class Forecast {
    /** The GPUs and workers that become free when a program ends. */
    private record Release(int gpus, int workers) {
        Release and(Release other) {
            return new Release(gpus + other.gpus, workers + other.workers);
        }
    }

    private final NavigableMap<Instant, Release> releases = new TreeMap<>(Comparator.naturalOrder());
    private final Lane lane;
    private Instant now;
    private int freeGpus;
    private int freeWorkers;

    private Forecast(Machine machine, Lane lane, Instant now) {
        this.lane = lane;
        this.now = now;
        this.freeGpus = machine.freeGpus().size();
        this.freeWorkers = Math.toIntExact(machine.capacity().workers(lane) - machine.busyWorkers(lane));
        machine.live()
                .values()
                .forEach(job -> endOf(machine, job, now).ifPresent(end -> add(end, ofLive(machine, job))));
    }

    /** The latest start of a job that waits in the window; empty where time limits do not tell. */
    public static Optional<Instant> latestStart(Machine machine, JobId id, Instant now) {
        if (!machine.isStarting() || !isCounted(machine)) {
            return Optional.empty();
        }
        return machine.find(id)
                .filter(job -> !(job.state() instanceof Live))
                .flatMap(job -> new Forecast(machine, machine.laneOf(job), now).startOf(machine, id));
    }

    /** Whether all that anybody waits for is a number of GPUs and workers: what else there may be has no known end. */
    private static boolean isCounted(Machine machine) {
        GpuConditions gpus = machine.gpus();
        boolean isPlain = gpus.lock() == null
                && gpus.obstacles().isEmpty()
                && gpus.drains().isEmpty()
                && gpus.cleaning().isEmpty();
        return isPlain
                && Stream.concat(
                                machine.live().values().stream(),
                                machine.queue().values().stream().flatMap(window -> window.jobs().stream()))
                        .allMatch(job -> isCounted(machine.capacity(), job));
    }

    private static boolean isCounted(Capacity capacity, Job job) {
        return !job.spec().gpus().isShare()
                && capacity.gpus().stream().allMatch(gpu -> capacity.suits(gpu, job.spec()))
                && capacity.cores(job.spec()) == 0
                && (job.spec().resources().memoryBytes() == null || capacity.memoryBytes() == Long.MAX_VALUE);
    }

    private Optional<Instant> startOf(Machine machine, JobId id) {
        for (Job job : machine.window(lane).jobs()) {
            if (!Machine.hasImage(job) || !waitFor(job.spec().gpus())) {
                return Optional.empty();
            }
            if (job.id().equals(id)) {
                return Optional.of(now);
            }
            freeGpus -= job.spec().gpus().count();
            freeWorkers--;
            Duration limit = job.spec().timeLimit();
            if (limit != null) {
                add(now.plus(limit), new Release(job.spec().gpus().count(), 1));
            }
        }
        return Optional.empty();
    }

    /** Lets time go on until the request fits; false where no end that is known makes it fit. */
    private boolean waitFor(GpuRequest request) {
        while (freeGpus < request.count() || freeWorkers < 1) {
            if (releases.isEmpty()) {
                return false;
            }
            Map.Entry<Instant, Release> first = releases.pollFirstEntry();
            Instant next = first.getKey();
            Release release = first.getValue();
            now = next.isAfter(now) ? next : now;
            freeGpus += release.gpus();
            freeWorkers += release.workers();
        }
        return true;
    }

    private void add(Instant end, Release release) {
        releases.merge(end, release, Release::and);
    }

    /** GPUs are everybody's, workers are a lane's. */
    private Release ofLive(Machine machine, Job job) {
        List<GpuId> gpus = new ArrayList<>(((Live) job.state())
                .allocation().shares().stream().map(GpuShare::gpu).toList());
        return new Release(gpus.size(), machine.laneOf(job) == lane ? 1 : 0);
    }

    /** The end of a job by its time limit. A job that starts right now has its whole limit before it. */
    private static Optional<Instant> endOf(Machine machine, Job job, Instant now) {
        Duration limit = job.spec().timeLimit();
        return machine.endOf(job).or(() -> Optional.ofNullable(limit).map(now::plus));
    }
}
