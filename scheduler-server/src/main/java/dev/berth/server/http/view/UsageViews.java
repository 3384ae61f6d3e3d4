package dev.berth.server.http.view;

import dev.berth.core.api.GpuHistoryView;
import dev.berth.core.api.GpuView;
import dev.berth.core.api.MachineUsageView;
import dev.berth.core.api.UsageView;
import dev.berth.core.job.Gpu;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.JobState.Live;
import dev.berth.core.job.JobState.Packed;
import dev.berth.server.gpu.GpuProcess;
import dev.berth.server.gpu.GpuReading;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.StoredMachineUsage;
import dev.berth.server.store.StoredUsage;
import dev.berth.server.store.TaskUsage;
import dev.berth.server.time.Clocks;
import dev.berth.server.usage.GpuHistory.Stretch;
import dev.berth.server.usage.GpuStatus;
import dev.berth.server.usage.ObservedProcess;
import dev.berth.server.usage.Resolution;
import dev.berth.server.usage.Sample;
import dev.berth.server.usage.Usage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The use of GPUs, past and present, as the API shows it. */
public record UsageViews(Usage usage, JobQueries queries, Clocks clock) {
    private static final int WHOLE = 1_000;

    @Nullable
    GpuStatus status(Gpu gpu) {
        return usage.board().of(gpu.id()).orElse(null);
    }

    static GpuView.@Nullable Reading reading(@Nullable GpuStatus status) {
        if (status == null) {
            return null;
        }
        GpuReading reading = status.reading();
        Long bytes = reading.memoryUsedBytes();
        Integer milliwatts = reading.powerMilliwatts();
        return new GpuView.Reading(
                JobViews.text(status.at()),
                reading.utilisationPercent(),
                bytes == null ? null : Long.valueOf(bytes >> 20),
                reading.temperatureCelsius(),
                milliwatts == null ? null : Integer.valueOf((milliwatts + WHOLE / 2) / WHOLE));
    }

    /**
     * The processes on a GPU. What a process runs, and in which container, is for its owner and for who sees all; its
     * arguments may hold secrets, and are for its owner alone.
     */
    static List<GpuView.Occupant> occupants(@Nullable GpuStatus status, Caller asker) {
        return status == null
                ? List.of()
                : status.processes().stream()
                        .map(process -> occupant(process, asker))
                        .toList();
    }

    private static GpuView.Occupant occupant(ObservedProcess process, Caller asker) {
        boolean isOwn = process.identity().user().equals(asker.name());
        String command = asker.seesAll() ? process.identity().command() : "";
        JobId job = process.job();
        return new GpuView.Occupant(
                process.process().pid(),
                process.identity().user(),
                isOwn ? process.identity().line() : command,
                isOwn || asker.seesAll() ? process.identity().container() : null,
                job == null ? null : Long.valueOf(job.value()),
                process.process().kind() == GpuProcess.Kind.GRAPHICS,
                process.memoryMiB(),
                JobViews.text(process.since()));
    }

    /** The usage known of the jobs of a list; nothing of those that never ran on a GPU. */
    Map<JobId, UsageView> of(List<Job> jobs) {
        Map<JobId, StoredUsage> stored = new HashMap<>();
        List<JobId> ended = new ArrayList<>();
        for (Job job : jobs) {
            if (job.state().startedAt() != null && hasGpus(job)) {
                Optional<StoredUsage> running = usage.keeper().running(job.id());
                running.ifPresent(known -> stored.put(job.id(), known));
                if (running.isEmpty() && job.state() instanceof Finished) {
                    ended.add(job.id());
                }
            }
        }
        // After the look above: the keeper lets go of what has ended once it is in the database.
        if (!ended.isEmpty()) {
            queries.usages(ended).forEach(known -> stored.put(known.job(), known));
        }
        Map<JobId, UsageView> views = new HashMap<>();
        for (Job job : jobs) {
            if (hasGpus(job)) {
                Duration before = ranBefore(job);
                if (before.isPositive() || job.state().startedAt() != null) {
                    views.put(job.id(), view(job, before, stored.get(job.id())));
                }
            }
        }
        return views;
    }

    /** For how long the attempts ran after which it began another. */
    private Duration ranBefore(Job job) {
        int attempt = job.state().attempt();
        if (job.state() instanceof Finished end) {
            // One that ended while it waited for its next attempt has the number of the last.
            boolean hasOthers = attempt > 1 || (attempt == 1 && end.startedAt() == null);
            return hasOthers ? queries.ranBefore(Integer.MAX_VALUE, job.id(), job.id()) : Duration.ZERO;
        }
        return attempt > 1 ? queries.ranBefore(attempt, job.id(), job.id()) : Duration.ZERO;
    }

    /**
     * The usage of an array, which is that of its tasks in all; null where none had a GPU.
     *
     * @param live those that hold a worker
     */
    @Nullable
    UsageView ofTasks(Job array, List<Job> live) {
        // Before the database is asked: the keeper lets go of what has ended once it is in there.
        Map<JobId, StoredUsage> kept = usage.keeper().ended();
        TaskUsage all = queries.taskUsage(array.id(), kept.keySet());
        for (Job task : live) {
            kept.remove(task.id());
            if (task.state().startedAt() != null) {
                all = all.andRan(ran(task.state()).toMillis());
                StoredUsage known = usage.keeper().running(task.id()).orElse(null);
                if (known != null && known.attempt() == task.state().attempt()) {
                    all = all.and(known);
                }
            }
        }
        for (StoredUsage known : kept.values()) {
            Optional<Job> task = queries.find(known.job())
                    .filter(job -> array.id().equals(job.arrayOfTurn()))
                    .filter(job ->
                            job.state() instanceof Finished && job.state().attempt() == known.attempt());
            if (task.isPresent()) {
                all = all.and(known);
            }
        }
        Duration earlier =
                queries.ranBefore(Integer.MAX_VALUE, new JobId(array.id().value() + 1), new JobId(array.lastId()));
        if ((all.tasks() == 0 && earlier.isZero()) || !hasGpus(array)) {
            return null;
        }
        Long energy = all.energyMillijoules();
        return new UsageView(
                gpuSeconds(earlier.plusMillis(all.ranMillis()), array),
                mean(all.utilisationMillis(), all.knownMillis()),
                all.peakMemoryMiB(),
                all.knownMillis() == 0 ? null : Long.valueOf(all.idleMillis() / 1_000),
                energy == null ? null : Long.valueOf(energy / 1_000),
                1,
                List.of());
    }

    private static @Nullable Integer mean(long weightedMillis, long knownMillis) {
        return knownMillis == 0
                ? null
                : Integer.valueOf((int) ((2 * weightedMillis + knownMillis) / (2 * knownMillis)));
    }

    private static boolean hasGpus(Job job) {
        return job.spec().gpus().milli() > 0;
    }

    /** The time that the program has run, or ran; nothing where it did not. */
    Duration ran(JobState state) {
        Instant began = state instanceof Live live ? live.countedFrom() : null;
        if (state instanceof Packed packed && packed.startedAt() != null) {
            return positive(Duration.between(packed.startedAt(), clock.instant()));
        }
        if (began == null) {
            return state instanceof Finished end ? end.ran() : Duration.ZERO;
        }
        return positive(Duration.between(began, clock.steady().instant()));
    }

    private static Duration positive(Duration time) {
        return time.isNegative() ? Duration.ZERO : time;
    }

    /** To the nearest second: two clocks tell an hour some milliseconds short. */
    private static long gpuSeconds(Duration ran, Job job) {
        return (ran.toMillis() * job.spec().gpus().milli() / WHOLE + 500) / 1_000;
    }

    private UsageView view(Job job, Duration before, @Nullable StoredUsage known) {
        long gpuSeconds = gpuSeconds(before.plus(ran(job.state())), job);
        if (known == null || known.attempt() != job.state().attempt()) {
            return new UsageView(gpuSeconds, null, null, null, null, 1, List.of());
        }
        Long energy = known.energyMillijoules();
        return new UsageView(
                gpuSeconds,
                mean(known.utilisationMillis(), known.knownMillis()),
                known.peakMemoryMiB(),
                known.idleMillis() / 1_000,
                energy == null ? null : Long.valueOf(energy / 1_000),
                known.curveStep(),
                nullable(known.curve(), percent -> percent == StoredUsage.UNKNOWN ? null : percent));
    }

    /** The cores and memory that a job's last attempt used; null where nobody looked at it. */
    @Nullable
    MachineUsageView machine(Job job) {
        if (job.state().startedAt() == null) {
            return null;
        }
        StoredMachineUsage known = usage.machine().of(job.id()).orElse(null);
        if (known == null || known.attempt() != job.state().attempt() || known.ranMillis() == 0) {
            return null;
        }
        return new MachineUsageView(
                known.cpuMillis() / 1_000,
                (int) (known.cpuMillis() * WHOLE / known.ranMillis()),
                known.peakMemoryMiB(),
                known.curveStep(),
                nullable(known.cpuMilli(), UsageViews::known),
                nullable(known.memoryMiB(), UsageViews::known));
    }

    private static @Nullable Integer known(int value) {
        return value == StoredMachineUsage.UNKNOWN ? null : Integer.valueOf(value);
    }

    /** The newest {@code last} values that there are. */
    public GpuHistoryView history(Gpu gpu, Resolution resolution, int last) {
        Stretch stretch = usage.keeper()
                .history(gpu.id())
                .map(history -> history.upTo(clock.instant(), resolution))
                .orElseGet(() -> new Stretch(clock.instant(), resolution, List.of()));
        int from = Math.max(0, stretch.samples().size() - last);
        List<Sample> samples = stretch.samples().subList(from, stretch.samples().size());
        return new GpuHistoryView(
                gpu.id().uuid(),
                resolution.word(),
                stretch.start().plusSeconds((long) from * resolution.step()).toString(),
                resolution.step(),
                nullable(samples, Sample::utilisationPercent),
                nullable(samples, Sample::memoryMiB),
                nullable(samples, Sample::temperatureCelsius),
                nullable(samples, Sample::powerWatts));
    }

    private static <T> List<@Nullable Integer> nullable(List<T> values, Function<T, @Nullable Integer> figure) {
        List<@Nullable Integer> list = new ArrayList<>(values.size());
        values.forEach(value -> list.add(figure.apply(value)));
        return list;
    }
}
