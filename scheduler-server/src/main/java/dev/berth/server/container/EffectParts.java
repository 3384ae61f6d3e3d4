package dev.berth.server.container;

import dev.berth.server.code.Workspaces;
import dev.berth.server.log.LogStore;
import java.time.Duration;
import java.time.InstantSource;

/**
 * What carrying effects out needs beside the engine.
 *
 * @param stopGrace from TERM to KILL
 */
public record EffectParts(
        ContainerPlans plans, Workspaces workspaces, LogStore logs, Duration stopGrace, InstantSource clock) {}
