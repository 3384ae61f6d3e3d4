package dev.berth.server.runner.docker;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.Program;
import dev.berth.server.code.Workspaces;
import dev.berth.server.gpu.occupy.GpuGate;
import dev.berth.server.log.LogStore;
import dev.berth.server.mount.Mounts;
import dev.berth.server.time.Clocks;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The parts that running jobs in containers needs beside the engine.
 *
 * @param mounts gives the machine's paths to those who may have them
 * @param programs what a job runs, read where it is launched; empty for one that is deleted
 * @param packed the tasks in a pack that have not ended, in order, read where it is launched or followed; none of a job that is no
 *     pack
 * @param gate is told which containers were made
 * @param starts finds out whose fault a failed start is
 * @param stopGrace from TERM to KILL
 */
public record ContainerParts(
        ContainerPlans plans,
        Workspaces workspaces,
        Mounts mounts,
        LogStore logs,
        Function<JobId, Optional<Program>> programs,
        Function<JobId, List<Job>> packed,
        GpuGate gate,
        StartCheck starts,
        Duration stopGrace,
        Clocks clock) {}
