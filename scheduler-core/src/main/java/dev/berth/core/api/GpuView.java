package dev.berth.core.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A GPU as the API shows it.
 *
 * @param memoryMiB total memory in MiB, 0 where unknown
 * @param holders the jobs that hold it, empty where it is free
 * @param shares how many jobs at most share it, 1 where it is allocated whole
 * @param labels the operator's words for it
 * @param drain why it is out of service until somebody resumes it, null where it is in service
 * @param obstacle what keeps it from being allocated for the time being, in a sentence; null where nothing does
 * @param cleaning the job that has left it, until it is known that nothing of that is left; null where there is none
 * @param cleaningNumber what people call that job, {@code 42_7} for a task; null where there is none
 * @param reading how it is now, null where nobody can tell
 * @param processes who is on it, as far as the driver tells
 */
public record GpuView(
        String index,
        String uuid,
        String name,
        long memoryMiB,
        List<Holder> holders,
        int shares,
        List<String> labels,
        @Nullable Drain drain,
        @Nullable String obstacle,
        @Nullable Long cleaning,
        @Nullable String cleaningNumber,
        @Nullable Reading reading,
        List<Occupant> processes) {
    /**
     * A job on a GPU.
     *
     * @param milli thousandths of the GPU that it holds
     * @param memoryMiB of the GPU's memory that its processes use, null where nobody can tell
     */
    public record Holder(
            long job, String user, int milli, @Nullable Long memoryMiB, String number) {}

    /**
     * The removal of a GPU from service: by whom, why and when.
     *
     * @param details all that was said where the reason is short for it; else null
     */
    public record Drain(
            String by,
            String reason,
            String since,
            @Nullable String details) {}

    /** The state of a GPU at one moment; null is what the driver does not tell. */
    public record Reading(
            String at,
            @Nullable Integer utilisationPercent,
            @Nullable Long memoryUsedMiB,
            @Nullable Integer temperatureCelsius,
            @Nullable Integer powerWatts) {}

    /**
     * A process on a GPU.
     *
     * @param user its owner's login name or number
     * @param command what it is, without its arguments where these are not the asker's own; empty for who does not see all
     * @param container the container it is in, null for none, and where it is not the asker's own, who does not see all
     * @param job the job it belongs to, null for a process that is none of Berth's
     * @param graphics whether it draws and does not compute
     * @param since when Berth first saw it there
     */
    public record Occupant(
            long pid,
            String user,
            String command,
            @Nullable String container,
            @Nullable Long job,
            boolean graphics,
            @Nullable Long memoryMiB,
            @Nullable String since) {}
}
