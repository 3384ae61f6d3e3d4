package dev.berth.server.container;

import dev.berth.server.code.Workspaces;
import dev.berth.server.gpu.occupy.GpuGate;
import dev.berth.server.log.LogStore;
import dev.berth.server.mount.Mounts;
import java.time.Duration;
import java.time.InstantSource;

/**
 * What carrying effects out needs beside the engine.
 *
 * @param mounts gives the machine's paths to those who may have them
 * @param gate where each attempt goes through before anything is made of it
 * @param stopGrace from TERM to KILL
 * @param orphanGrace how long a container that no job owns is left alone
 */
public record EffectParts(
        ContainerPlans plans,
        Workspaces workspaces,
        Mounts mounts,
        LogStore logs,
        GpuGate gate,
        Duration stopGrace,
        Duration orphanGrace,
        InstantSource clock) {

    /** The same with a gate that lets everybody through. */
    public EffectParts(
            ContainerPlans plans,
            Workspaces workspaces,
            Mounts mounts,
            LogStore logs,
            Duration stopGrace,
            Duration orphanGrace,
            InstantSource clock) {
        this(plans, workspaces, mounts, logs, GpuGate.OPEN, stopGrace, orphanGrace, clock);
    }
}
