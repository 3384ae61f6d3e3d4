package dev.berth.server.container;

import dev.berth.server.code.Workspaces;
import dev.berth.server.log.LogStore;
import dev.berth.server.mount.Mounts;
import java.time.Duration;
import java.time.InstantSource;

/**
 * What carrying effects out needs beside the engine.
 *
 * @param mounts gives the machine's paths to those who may have them
 * @param stopGrace from TERM to KILL
 * @param orphanGrace how long a container that no job owns is left alone
 */
public record EffectParts(
        ContainerPlans plans,
        Workspaces workspaces,
        Mounts mounts,
        LogStore logs,
        Duration stopGrace,
        Duration orphanGrace,
        InstantSource clock) {}
