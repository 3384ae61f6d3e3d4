package dev.berth.server.runner.docker;

import dev.berth.core.job.Submitter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * All a container is made of. Made on the server, never from options that a client supplies for the engine.
 *
 * @param name derives from server, job and attempt, so that every call can be repeated
 * @param imageId what was found when the job was queued
 * @param command program and arguments; the image's own entry point is not run
 * @param user whom it runs as
 * @param environment each variable once, Berth's own set last
 * @param withoutVariables variables of the image that are taken away
 * @param gpus by which means it comes to its GPUs
 * @param mounts what is mounted where
 * @param workingDirectory where the program starts
 * @param network the engine's network it is on
 * @param ipcOfHost whether it shares the machine's System V and POSIX shared memory, which the Multi-Process Service needs
 * @param limits what it may use
 * @param labels by which it is found again
 */
public record ContainerPlan(
        String name,
        String imageId,
        List<String> command,
        Submitter user,
        Map<String, String> environment,
        List<String> withoutVariables,
        GpuAccess gpus,
        List<Mount> mounts,
        String workingDirectory,
        String network,
        boolean ipcOfHost,
        Limits limits,
        Map<String, String> labels) {

    /** A path of this machine in the container. */
    public record Mount(Path source, String target, boolean readOnly) {}

    /**
     * Limits on what a container may use.
     *
     * @param cpuMilli thousandths of a CPU, as a share of time; 0 for all there are
     * @param nice how far it stands back where others want the CPUs, 0 to 19
     * @param cpus the cores it runs on, by the kernel's numbers; empty for all there are
     * @param memoryBytes memory, with no swap on top; 0 for all there is
     * @param shmBytes size of /dev/shm; memory is taken only for what is stored there
     * @param pids how many processes and threads
     * @param logBytes how much of its output the engine keeps for a server that was away
     */
    public record Limits(
            long cpuMilli, int nice, List<Integer> cpus, long memoryBytes, long shmBytes, long pids, long logBytes) {
        public Limits {
            cpus = List.copyOf(cpus);
        }
    }

    /** Makes a plan with an IPC namespace of its own, as all have but those under the Multi-Process Service. */
    public ContainerPlan(
            String name,
            String imageId,
            List<String> command,
            Submitter user,
            Map<String, String> environment,
            List<String> withoutVariables,
            GpuAccess gpus,
            List<Mount> mounts,
            String workingDirectory,
            String network,
            Limits limits,
            Map<String, String> labels) {
        this(
                name,
                imageId,
                command,
                user,
                environment,
                withoutVariables,
                gpus,
                mounts,
                workingDirectory,
                network,
                false,
                limits,
                labels);
    }

    public ContainerPlan {
        command = List.copyOf(command);
        environment = Map.copyOf(environment);
        withoutVariables = List.copyOf(withoutVariables);
        mounts = List.copyOf(mounts);
        labels = Map.copyOf(labels);
    }
}
