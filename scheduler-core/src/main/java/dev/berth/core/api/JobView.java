package dev.berth.core.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A job as the API shows it.
 *
 * @param state one of the state names
 * @param reason the stable code of why it waits or how it ended; null while it runs
 * @param sentence one true sentence about where it stands
 * @param command the program and its arguments; of one job, null in lists, which do not grow with what jobs run
 * @param gpus how many GPUs it asked for
 * @param gpuUuids the GPUs it holds, empty where it holds none
 * @param gpuIndices the same by index, for people; "other" for one that this server does not allocate
 * @param attempt which start this is, 0 before the first
 * @param exitCode the program's exit code, null where there is none
 * @param position its place in the queue from 1, null where it does not wait
 * @param environment the names of the variables it was given, never their values; of one job, null in lists
 * @param tags words of the submitter's
 * @param workingDirectory where in the container the program starts, null for the workspace
 * @param pull when its image is pulled
 * @param cpuMilli thousandths of a CPU that it may use, null for all
 * @param memoryBytes memory that it may use, null for all
 * @param shmBytes size of its /dev/shm, null for the server's choice
 * @param network the engine's network it is on
 * @param volumes paths of the machine that it sees, as {@code /source:/target[:ro]}
 * @param requeue whether it goes back to its place when the machine loses it
 * @param resubmitOf the job that this one repeats, null for none
 * @param latestStart when it starts at the latest as far as time limits tell, null where they do not
 * @param outputDirectory where on the server's machine its output lands
 * @param ranSeconds for how long its program has run, or ran, by a clock that nobody sets; null where it did not
 * @param git what git said of the submitted directory, of one job asked for by its number; null in lists, and where it lay
 *     in no work tree
 * @param gpuMilli how much GPU it asked for, in thousandths of one
 * @param gpuMemoryBytes how much memory each of its GPUs must have for it, null for any
 * @param gpuType a word of the model's name that each must bear, null for any
 * @param gpuLabels the operator's words that each must bear
 * @param idleTimeoutSeconds how long it may leave all its GPUs idle, null for as long as it likes
 * @param host whether it runs on the machine itself and in no container
 * @param cpus the cores that are its own while it runs, by the kernel's numbers
 * @param warnings what somebody should know of it beside its state, those that are over included; of one job asked for by
 *     its number, and of those that run in lists
 * @param usage what it made of its GPUs, null for one that has never held any
 */
public record JobView(
        long id,
        String state,
        @Nullable String reason,
        String sentence,
        String name,
        String project,
        String user,
        @Nullable List<String> command,
        String image,
        String snapshot,
        int gpus,
        List<String> gpuUuids,
        List<String> gpuIndices,
        int attempt,
        @Nullable Integer exitCode,
        @Nullable Long position,
        @Nullable Long timeLimitSeconds,
        @Nullable List<String> environment,
        List<String> tags,
        @Nullable String workingDirectory,
        String pull,
        @Nullable Integer cpuMilli,
        @Nullable Long memoryBytes,
        @Nullable Long shmBytes,
        String network,
        List<String> volumes,
        boolean requeue,
        @Nullable Long resubmitOf,
        @Nullable String latestStart,
        String outputDirectory,
        String submittedAt,
        @Nullable String startedAt,
        @Nullable String endedAt,
        @Nullable Long ranSeconds,
        @Nullable GitView git,
        int gpuMilli,
        @Nullable Long gpuMemoryBytes,
        @Nullable String gpuType,
        List<String> gpuLabels,
        @Nullable Long idleTimeoutSeconds,
        boolean host,
        List<Integer> cpus,
        List<WarningView> warnings,
        @Nullable UsageView usage) {
    /** The index of a GPU that this server does not allocate. */
    public static final String OTHER_GPU = "other";
}
