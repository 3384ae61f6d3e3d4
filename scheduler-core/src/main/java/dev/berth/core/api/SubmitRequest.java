package dev.berth.core.api;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * {@code POST /api/v1/jobs}: what somebody wants to run. What is null is as the server's configuration says.
 *
 * @param name what to call the job; null for the command's first word
 * @param project what it belongs to; null for the snapshot's directory name, which the client knows
 * @param tags words to find it again by
 * @param command the program and its arguments; without an entry point a first word that ends in {@code .py} is run by
 *     the image's Python
 * @param entrypoint a program to put before the command
 * @param workingDirectory where in the container it starts, from the workspace on; null for the workspace
 * @param environment variables for the program
 * @param snapshot the digest that {@code POST /api/v1/snapshots} answered; null for an empty workspace
 * @param image the container image
 * @param pull {@code missing}, {@code always} or {@code never}
 * @param gpus how many GPUs; null for none
 * @param cpuMilli how many thousandths of a CPU it may use
 * @param memoryBytes how much memory it may use
 * @param shmBytes how large its /dev/shm is
 * @param network the engine's network it is on
 * @param volumes paths of the machine, as {@code /source:/target} or {@code /source:/target:ro}
 * @param timeLimitSeconds how long it may run
 * @param requeue whether it goes back to its place when the machine loses it
 * @param gpuMilli thousandths of one GPU, 1 to 999, in place of {@code gpus}
 * @param gpuMemoryBytes how much memory each of its GPUs must have for it
 * @param gpuType a word of the model's name that each must bear, as in {@code a100}
 * @param gpuLabels the operator's words that each must bear
 * @param idleTimeoutSeconds how long it may leave all its GPUs idle
 * @param host whether it runs on the machine itself, started by the client ({@code berth run}), and in no container
 * @param directory where a program of the machine itself is started
 * @param noWait whether to refuse it where it does not start at once
 * @param shell whether it is a shell that is there already ({@code berth lease})
 */
public record SubmitRequest(
        @Nullable String name,
        @Nullable String project,
        @Nullable List<String> tags,
        @Nullable List<String> command,
        @Nullable String entrypoint,
        @Nullable String workingDirectory,
        @Nullable Map<String, String> environment,
        @Nullable String snapshot,
        @Nullable String image,
        @Nullable String pull,
        @Nullable Integer gpus,
        @Nullable Integer cpuMilli,
        @Nullable Long memoryBytes,
        @Nullable Long shmBytes,
        @Nullable String network,
        @Nullable List<String> volumes,
        @Nullable Long timeLimitSeconds,
        @Nullable Boolean requeue,
        @Nullable Integer gpuMilli,
        @Nullable Long gpuMemoryBytes,
        @Nullable String gpuType,
        @Nullable List<String> gpuLabels,
        @Nullable Long idleTimeoutSeconds,
        @Nullable Boolean host,
        @Nullable String directory,
        @Nullable Boolean noWait,
        @Nullable Boolean shell) {}
