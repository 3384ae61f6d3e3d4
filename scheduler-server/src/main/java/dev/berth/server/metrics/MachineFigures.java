package dev.berth.server.metrics;

import dev.berth.core.api.ServerView.StateCount;
import dev.berth.core.job.Gpu;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState.Live;
import dev.berth.core.job.StateName;
import dev.berth.core.machine.Lane;
import dev.berth.core.machine.Machine;
import dev.berth.core.machine.Starts;
import dev.berth.server.gpu.GpuReading;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.JobQueries.LaneFilter;
import dev.berth.server.usage.GpuStatus;
import dev.berth.server.usage.LatestGpuStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Metrics of the queue, the jobs and the GPUs, by the state as last committed. */
record MachineFigures(Machine now, JobQueries queries, LatestGpuStatus gpus, Instant at) {
    private static final double PERCENT = 100;
    private static final double MILLI = 1_000;
    private static final List<String> GPU_STATES = List.of("free", "held", "drained", "obstacle", "cleaning");

    void addTo(Points points) {
        Map<String, Long> counts =
                queries.counts(null).stream().collect(Collectors.toMap(StateCount::state, StateCount::jobs));
        for (StateName state : StateName.values()) {
            if (!state.isFinal()) {
                points.add(Figure.JOBS, counts.getOrDefault(state.name(), 0L), state.name());
            }
        }
        points.add(Figure.PAUSED, now.starts() instanceof Starts.Paused ? 1 : 0);
        queue(points);
        gpus(points);
    }

    private void queue(Points points) {
        JobId last = new JobId(Long.MAX_VALUE);
        long queued = queries.queuedBefore(last);
        long withoutGpus =
                now.capacity().cpuWorkers() == 0 ? 0 : queries.queuedBetween(0, last, LaneFilter.WITHOUT_GPUS);
        for (Lane lane : now.capacity().ownLanes()) {
            String name = lane.name().toLowerCase(Locale.ROOT);
            long waiting = lane == Lane.CPU ? withoutGpus : Math.max(0, queued - withoutGpus);
            points.add(Figure.QUEUE_JOBS, waiting, name);
            Duration waited = now.window(lane)
                    .head()
                    .map(head -> Duration.between(head.submittedAt(), at))
                    .orElse(Duration.ZERO);
            points.add(Figure.QUEUE_WAIT, Math.max(0, waited.toMillis()) / MILLI, name);
        }
    }

    private void gpus(Points points) {
        List<String> states = new ArrayList<>();
        for (Gpu gpu : now.capacity().gpus()) {
            String index = gpu.index().toString();
            states.add(state(gpu.id()));
            points.add(Figure.GPU_DRAINED, now.gpus().drains().containsKey(gpu.id()) ? 1 : 0, index);
            Optional<GpuReading> reading = gpus.of(gpu.id()).map(GpuStatus::reading);
            points.add(Figure.GPU_READ, reading.isPresent() ? 1 : 0, index);
            reading.ifPresent(seen -> reading(points, seen, index));
        }
        GPU_STATES.forEach(state -> points.add(Figure.GPUS, Collections.frequency(states, state), state));
    }

    private String state(GpuId gpu) {
        if (now.gpus().drains().containsKey(gpu)) {
            return "drained";
        }
        if (now.live().values().stream()
                .anyMatch(job -> job.state() instanceof Live live
                        && live.allocation().gpus().contains(gpu))) {
            return "held";
        }
        if (now.gpus().cleaning().values().stream().anyMatch(left -> left.gpus().contains(gpu))) {
            return "cleaning";
        }
        return now.gpus().obstacles().containsKey(gpu) ? "obstacle" : "free";
    }

    private static void reading(Points points, GpuReading seen, String gpu) {
        add(points, Figure.GPU_UTILISATION, seen.utilisationPercent(), PERCENT, gpu);
        add(points, Figure.GPU_MEMORY_USED, seen.memoryUsedBytes(), 1, gpu);
        add(points, Figure.GPU_MEMORY, seen.memoryTotalBytes(), 1, gpu);
        add(points, Figure.GPU_TEMPERATURE, seen.temperatureCelsius(), 1, gpu);
        add(points, Figure.GPU_POWER, seen.powerMilliwatts(), MILLI, gpu);
    }

    /** What the driver does not tell is left out. */
    private static void add(Points points, Figure figure, @Nullable Number value, double parts, String gpu) {
        if (value != null) {
            points.add(figure, value.doubleValue() / parts, gpu);
        }
    }
}
