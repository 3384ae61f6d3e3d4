package dev.berth.server.gpu.occupy;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.server.gpu.GpuException;
import dev.berth.server.gpu.GpuReading;
import dev.berth.server.gpu.process.RunningProcess;
import dev.berth.server.gpu.process.RunningProcesses;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees that nothing of an attempt is left on its GPUs before anybody else has them: what is left of its processes is
 * ended, nobody else's ever, and the memory has to come back to what it was. A GPU on which that does not come about
 * in time is not allocated again. Safe for any thread.
 */
public final class GpuCleaner {
    private static final Logger LOG = LoggerFactory.getLogger(GpuCleaner.class);
    private static final Duration FIRST = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofSeconds(1);

    /** The driver's own use of memory goes up and down by less than that. */
    private static final long SLACK_BYTES = 256L << 20;

    private static final int MIB_BITS = 20;

    private final Parts parts;
    private final Duration within;
    private final BiConsumer<Duration, Runnable> later;
    private final Function<JobId, String> number;
    private final BiConsumer<Attempt, SortedMap<GpuId, String>> news;

    /**
     * The parts that a cleaner looks with.
     *
     * @param placeholders null where there are none
     */
    public record Parts(
            GpuOccupants look,
            RunningProcesses processes,
            MemoryLevels levels,
            @Nullable Placeholders placeholders,
            InstantSource clock) {}

    /** GPUs of an attempt, until they are clean or the time is up. */
    private record Course(Attempt attempt, Allocation left, Instant limit, Duration pause) {
        Course longer() {
            Duration next = pause.multipliedBy(2);
            return new Course(attempt, left, limit, next.compareTo(LONGEST) > 0 ? LONGEST : next);
        }
    }

    /**
     * A cleaner.
     *
     * @param within how long a GPU may take to become clean
     * @param later does work after a while, on a thread of its own
     * @param number what people call a job
     * @param news hears that an attempt's GPUs are free, but for those that have a reason; returns at once
     */
    public GpuCleaner(
            Parts parts,
            Duration within,
            BiConsumer<Duration, Runnable> later,
            Function<JobId, String> number,
            BiConsumer<Attempt, SortedMap<GpuId, String>> news) {
        this.parts = parts;
        this.within = within;
        this.later = later;
        this.number = number;
        this.news = news;
    }

    /** Looks at what an attempt has left; returns after the first look, by which all is told in the usual case. */
    public void clean(Attempt attempt, Allocation left) {
        Placeholders placeholders = parts.placeholders();
        if (placeholders != null) {
            placeholders.end(attempt);
        }
        look(new Course(attempt, left, parts.clock().instant().plus(within), FIRST));
    }

    private void look(Course course) {
        SortedMap<GpuId, String> dirty = new TreeMap<>();
        ParallelLook.of(course.left().gpus(), gpu -> found(course, gpu))
                .forEach((gpu, sentence) -> sentence.ifPresent(it -> dirty.put(gpu, it)));
        if (dirty.isEmpty()) {
            news.accept(course.attempt(), dirty);
        } else if (parts.clock().instant().isBefore(course.limit())) {
            later.accept(course.pause(), () -> look(course.longer()));
        } else {
            SortedMap<GpuId, String> reasons = new TreeMap<>();
            String job = number.apply(course.attempt().job());
            dirty.forEach((gpu, sentence) -> reasons.put(
                    gpu, "after job " + job + " it was not clean within " + within.toSeconds() + " s: " + sentence));
            LOG.warn(
                    "job={} has left GPUs that are not clean: {}",
                    course.attempt().job(),
                    reasons);
            news.accept(course.attempt(), reasons);
        }
    }

    /** The remains of the attempt on a GPU, in words. */
    private Optional<String> found(Course course, GpuId gpu) {
        try {
            GpuOccupants.Inspection inspection = parts.look().inspect(gpu);
            List<RunningProcess> left = parts.look().of(course.attempt(), inspection);
            left.forEach(this::end);
            if (!left.isEmpty()) {
                return Optional.of(named(left));
            }
            // Only of a GPU that it had for itself can be said whose memory that is.
            return course.left().isShared() ? Optional.empty() : memory(gpu, inspection.reading());
        } catch (GpuException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            // Nobody answers for the containers: nobody can say that it is clean.
            LOG.warn(
                    "job={} what it has left on {} could not be looked at",
                    course.attempt().job(),
                    gpu,
                    e);
            return Optional.of("what is left of it could not be looked at: " + e.getMessage());
        }
    }

    private String named(List<RunningProcess> left) {
        return String.join(
                ", ",
                left.stream()
                        .map(process -> "process " + process.pid() + " ("
                                + parts.processes().command(process) + " of "
                                + parts.processes().user(process) + ") of it does not end")
                        .toList());
    }

    private void end(RunningProcess process) {
        boolean isStillIt = parts.processes()
                .find(process.pid())
                .filter(now -> now.startTicks() == process.startTicks())
                .isPresent();
        if (isStillIt) {
            ProcessHandle.of(process.pid()).ifPresent(ProcessHandle::destroyForcibly);
            LOG.warn(
                    "process {} ({}) of an ended job was left on its GPU, and is ended", process.pid(), process.name());
        }
    }

    private Optional<String> memory(GpuId gpu, GpuReading reading) {
        Optional<Long> level = parts.levels().of(gpu);
        Long used = reading.memoryUsedBytes();
        if (level.isEmpty()
                || used == null
                || reading.processes().stream().anyMatch(process -> process.memoryBytes() == null)) {
            return Optional.empty();
        }
        long others = reading.processes().stream()
                .mapToLong(process -> process.memoryBytes() == null ? 0 : process.memoryBytes())
                .sum();
        long leftover = used - others - level.get();
        return leftover <= SLACK_BYTES
                ? Optional.empty()
                : Optional.of((leftover >> MIB_BITS)
                        + " MiB of its memory are still in use, by no process that the driver" + " names");
    }
}
