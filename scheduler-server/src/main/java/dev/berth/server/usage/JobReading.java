package dev.berth.server.usage;

import dev.berth.core.job.GpuShare;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobState.Live;
import dev.berth.core.machine.Machine;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A job's reading at one look at the GPUs.
 *
 * @param utilisationPercent the mean of its GPUs, null where it cannot be told of each
 * @param memoryMiB that it holds on all its GPUs, null where it cannot be told of each
 * @param milliwatts of all its GPUs, null where it cannot be told of each
 */
record JobReading(
        Activity activity,
        @Nullable Integer utilisationPercent,
        @Nullable Long memoryMiB,
        @Nullable Long milliwatts) {

    /** Whether a job computes. */
    enum Activity {
        IDLE,
        BUSY,
        /** Nobody can tell. */
        UNKNOWN
    }

    /** The reading of one of the job's GPUs. */
    private record Part(
            Activity activity,
            @Nullable Long percent,
            @Nullable Long memoryMiB,
            @Nullable Long milliwatts) {
        static final Part UNKNOWN = new Part(Activity.UNKNOWN, null, null, null);
    }

    static JobReading of(Machine machine, LatestGpuStatus board, Job job) {
        List<Part> parts = new ArrayList<>();
        for (GpuShare share : ((Live) job.state()).allocation().shares()) {
            Optional<GpuStatus> status = board.of(share.gpu());
            parts.add(status.map(it -> part(it, job, isAlone(machine, job, share)))
                    .orElse(Part.UNKNOWN));
        }
        Long percent = sum(parts, Part::percent);
        return new JobReading(
                activity(parts),
                percent == null ? null : (int) ((2 * percent + parts.size()) / (2L * parts.size())),
                sum(parts, Part::memoryMiB),
                sum(parts, Part::milliwatts));
    }

    private static boolean isAlone(Machine machine, Job job, GpuShare share) {
        return machine.live().values().stream()
                .noneMatch(other -> !other.id().equals(job.id()) && LatestGpuStatus.holds(other, share.gpu()));
    }

    /** Of a GPU that jobs share, the driver's figures are those of all of them together. */
    private static Part part(GpuStatus status, Job job, boolean alone) {
        Integer percent = status.reading().utilisationPercent();
        Integer milliwatts = status.reading().powerMilliwatts();
        Long own = status.memoryMiB(job.id());
        Long used = status.reading().memoryUsedBytes();
        return alone
                ? new Part(
                        percent == null ? Activity.UNKNOWN : percent == 0 ? Activity.IDLE : Activity.BUSY,
                        percent == null ? null : Long.valueOf(percent),
                        own != null || used == null ? own : Long.valueOf(used >> 20),
                        milliwatts == null ? null : Long.valueOf(milliwatts))
                : new Part(
                        sharedActivity(status, job, percent), percent != null && percent == 0 ? 0L : null, own, null);
    }

    private static Activity sharedActivity(GpuStatus status, Job job, @Nullable Integer percent) {
        boolean isAbsent = !status.processes().isEmpty()
                && status.processes().stream().allMatch(process -> process.job() != null)
                && !status.has(job.id());
        return (percent != null && percent == 0) || isAbsent ? Activity.IDLE : Activity.UNKNOWN;
    }

    private static Activity activity(List<Part> parts) {
        if (parts.stream().anyMatch(part -> part.activity() == Activity.BUSY)) {
            return Activity.BUSY;
        }
        return parts.stream().allMatch(part -> part.activity() == Activity.IDLE) ? Activity.IDLE : Activity.UNKNOWN;
    }

    private static @Nullable Long sum(List<Part> parts, Function<Part, @Nullable Long> figure) {
        List<Long> known = parts.stream().map(figure).filter(Objects::nonNull).toList();
        return known.size() < parts.size() || parts.isEmpty()
                ? null
                : Long.valueOf(known.stream().mapToLong(Long::longValue).sum());
    }
}
