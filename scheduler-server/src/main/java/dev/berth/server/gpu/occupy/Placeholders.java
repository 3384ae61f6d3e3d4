package dev.berth.server.gpu.occupy;

import dev.berth.core.job.GpuId;
import dev.berth.core.machine.Attempt;
import dev.berth.server.gpu.GpuException;
import dev.berth.server.gpu.GpuProcess;
import dev.berth.server.gpu.GpuReader;
import dev.berth.server.gpu.process.RunningProcess;
import dev.berth.server.gpu.process.RunningProcesses;
import dev.berth.server.time.TimedWait;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Processes that hold an empty CUDA context on the GPUs of an attempt, so that safe-gpu's users see them as taken before
 * the job's own CUDA begins. They outlive the server, and are found again by their words. Safe for any thread.
 */
public final class Placeholders implements OwnProcesses {
    private static final Logger LOG = LoggerFactory.getLogger(Placeholders.class);
    private static final Duration PATIENCE = Duration.ofSeconds(15);
    private static final String PYTHON = "python";
    private static final Duration LOOK_AGAIN = Duration.ofMillis(50);
    private static final long END_SECONDS = 5;

    /** The time for which a driver may show a process that has ended. */
    private static final Duration SHOWN = Duration.ofSeconds(10);

    private final Map<Attempt, RunningProcess> running = new ConcurrentHashMap<>();

    /** The numbers of those that have ended lately, each with the time until which it is one of ours. */
    private final Map<Long, Instant> ended = new ConcurrentHashMap<>();

    private final GpuReader reader;
    private final RunningProcesses processes;
    private final Predicate<GpuId> isExclusive;
    private final PlaceholderProgram program;
    private final InstantSource clock;

    /** Placeholders of one server. */
    public static Placeholders of(
            GpuReader reader,
            RunningProcesses processes,
            Predicate<GpuId> isExclusive,
            String server,
            InstantSource clock) {
        return new Placeholders(reader, processes, isExclusive, new PlaceholderProgram(server, Map.of()), clock);
    }

    /**
     * Placeholders that are this program.
     *
     * @param isExclusive whether a GPU takes one process only, so that a placeholder would keep the job itself out
     */
    Placeholders(
            GpuReader reader,
            RunningProcesses processes,
            Predicate<GpuId> isExclusive,
            PlaceholderProgram program,
            InstantSource clock) {
        this.reader = reader;
        this.processes = processes;
        this.isExclusive = isExclusive;
        this.program = program;
        this.clock = clock;
    }

    @Override
    public Optional<Attempt> attemptOf(RunningProcess process) {
        return running.entrySet().stream()
                .filter(entry -> isSame(entry.getValue(), process))
                .map(Map.Entry::getKey)
                .findFirst();
    }

    private static boolean isSame(RunningProcess one, RunningProcess other) {
        return one.pid() == other.pid() && one.startTicks() == other.startTicks();
    }

    /** Finds those that an earlier server started; only processes of this server's own user can be some. */
    public void adopt() {
        long uid = processes
                .find(ProcessHandle.current().pid())
                .map(RunningProcess::uid)
                .orElse(-1L);
        for (RunningProcess process : processes.all()) {
            if (process.uid() == uid && process.name().startsWith(PYTHON)) {
                program.attempt(processes.words(process.pid())).ifPresent(attempt -> running.put(attempt, process));
            }
        }
    }

    /** Ends those of all other attempts. */
    public void retain(Set<Attempt> attempts) {
        running.keySet().stream().filter(attempt -> !attempts.contains(attempt)).forEach(this::end);
    }

    /** Starts one, and returns when the GPUs show it. Where that cannot be, this is said, and the job goes on without. */
    void start(Attempt attempt, List<GpuId> gpus) {
        if (running.containsKey(attempt)) {
            return;
        }
        Optional<GpuId> exclusive = gpus.stream().filter(isExclusive).findFirst();
        if (exclusive.isPresent()) {
            LOG.warn(
                    "job={} no placeholder on its GPUs: {} is in compute mode Exclusive_Process, and the job itself"
                            + " could not use it beside one",
                    attempt.job(),
                    exclusive.get());
            return;
        }
        try {
            keepPlace(attempt, gpus);
        } catch (IOException e) {
            LOG.warn("job={} no placeholder on its GPUs: {}", attempt.job(), e.getMessage());
        }
    }

    private void keepPlace(Attempt attempt, List<GpuId> gpus) throws IOException {
        Instant limit = clock.instant().plus(PATIENCE);
        Process process = program.start(attempt, gpus);
        processes.find(process.pid()).ifPresent(it -> running.put(attempt, it));
        String said = PlaceholderProgram.firstLine(process, PATIENCE);
        if (!said.equals(PlaceholderProgram.READY)) {
            LOG.warn("job={} no placeholder on its GPUs: {}", attempt.job(), said);
            end(attempt);
        } else if (!isSeen(process.pid(), gpus, limit)) {
            LOG.warn(
                    "job={} its placeholder, process {}, does not show on its GPUs within {} s; the job starts all the"
                            + " same",
                    attempt.job(),
                    process.pid(),
                    PATIENCE.toSeconds());
        }
    }

    private boolean isSeen(long pid, List<GpuId> gpus, Instant limit) {
        try {
            while (!gpus.stream().allMatch(gpu -> isOn(pid, gpu))) {
                if (!clock.instant().isBefore(limit)) {
                    return false;
                }
                TimedWait.of(LOOK_AGAIN);
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private boolean isOn(long pid, GpuId gpu) {
        try {
            return reader.processes(gpu).stream().mapToLong(GpuProcess::pid).anyMatch(there -> there == pid);
        } catch (GpuException e) {
            return false;
        }
    }

    /** Ends that of an attempt, where there is one; returns when it has ended, or after a few seconds. */
    public void end(Attempt attempt) {
        RunningProcess process = running.get(attempt);
        if (process == null) {
            return;
        }
        Optional<ProcessHandle> there = processes
                .find(process.pid())
                .filter(now -> isSame(now, process))
                .flatMap(now -> ProcessHandle.of(now.pid()));
        if (there.isPresent() && !(there.get().destroyForcibly() && hasEnded(there.get()))) {
            // It stays one of ours.
            LOG.warn("job={} its placeholder, process {}, cannot be ended", attempt.job(), process.pid());
            return;
        }
        ended.put(process.pid(), clock.instant().plus(SHOWN));
        running.remove(attempt, process);
    }

    @Override
    public boolean hasJustEnded(long pid) {
        Instant now = clock.instant();
        ended.values().removeIf(until -> until.isBefore(now));
        return ended.containsKey(pid);
    }

    private static boolean hasEnded(ProcessHandle handle) {
        try {
            return !handle.onExit().get(END_SECONDS, TimeUnit.SECONDS).isAlive();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (ExecutionException | TimeoutException e) {
            // Where its number is another's by now, that one was waited for.
            return !handle.isAlive();
        }
    }
}
