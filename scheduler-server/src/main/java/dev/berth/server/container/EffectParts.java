package dev.berth.server.container;

import dev.berth.core.job.JobId;
import dev.berth.core.job.Program;
import dev.berth.server.code.Workspaces;
import dev.berth.server.gpu.occupy.GpuGate;
import dev.berth.server.log.LogStore;
import dev.berth.server.mount.Mounts;
import dev.berth.server.time.Clocks;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/**
 * What carrying effects out needs beside the engine.
 *
 * @param mounts gives the machine's paths to those who may have them
 * @param programs what a job runs, read where it is launched; empty for one that is deleted
 * @param gate where each attempt goes through before anything is made of it
 * @param starts finds out whose fault a failed start is
 * @param stopGrace from TERM to KILL
 * @param orphanGrace how long a container that no job owns is left alone
 */
public record EffectParts(
        ContainerPlans plans,
        Workspaces workspaces,
        Mounts mounts,
        LogStore logs,
        Function<JobId, Optional<Program>> programs,
        GpuGate gate,
        StartCheck starts,
        Duration stopGrace,
        Duration orphanGrace,
        Clocks clock) {

    /** The same with a gate that lets everybody through, and nobody who knows of starts. */
    public EffectParts(
            ContainerPlans plans,
            Workspaces workspaces,
            Mounts mounts,
            LogStore logs,
            Function<JobId, Optional<Program>> programs,
            Duration stopGrace,
            Duration orphanGrace,
            Clocks clock) {
        this(plans, workspaces, mounts, logs, programs, GpuGate.OPEN, StartCheck.NONE, stopGrace, orphanGrace, clock);
    }
}
