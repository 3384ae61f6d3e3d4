package dev.berth.core.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The server as the API shows it.
 *
 * @param url where the page is, null where TCP is off
 * @param since when it started
 * @param workers how many jobs run at once, those of the CPU lane not counted
 * @param image the image of a job that names none
 * @param engine the container engine's name and version
 * @param driver the version of NVIDIA's driver, null where it is not known
 * @param cuda the newest CUDA that the driver runs, such as 12.8, null where it is not known
 * @param gpuWay how GPUs come into containers, as in "by CDI"; null where none does
 * @param engineOutage since when the engine does not answer, null while it does
 * @param paused who wants nothing new started, null where starts are allowed
 * @param snapshotMaxFiles how many files, directories and links a submitted directory may have
 * @param snapshotMaxBytes how many bytes its files may have
 * @param warnings what the operator should know, a sentence each
 * @param failingTasks the background work that does not succeed
 */
public record ServerView(
        String version,
        long pid,
        String socket,
        @Nullable String url,
        String dataDirectory,
        String since,
        int workers,
        int cpuWorkers,
        String image,
        String engine,
        boolean simulated,
        @Nullable String driver,
        @Nullable String cuda,
        @Nullable String gpuWay,
        List<GpuView> gpus,
        List<StateCount> jobs,
        @Nullable EngineOutage engineOutage,
        @Nullable Pause paused,
        int snapshotMaxFiles,
        long snapshotMaxBytes,
        List<String> warnings,
        List<FailingTask> failingTasks) {
    /** Since when the container engine does not answer, and a sentence about it. */
    public record EngineOutage(String since, String sentence) {}

    /** The pause of a server: by whom, and when. */
    public record Pause(String by, String since) {}

    /**
     * Background work that does not succeed.
     *
     * @param task its name
     * @param since when it failed first
     * @param failures how often it has failed since
     * @param sentence what the last failure was; for who may not see everybody's jobs, that operators see it
     * @param nextTry when it is tried again
     */
    public record FailingTask(String task, String since, int failures, String sentence, String nextTry) {}

    /** The number of jobs in a state. */
    public record StateCount(String state, long jobs) {}
}
