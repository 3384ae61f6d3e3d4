package dev.berth.server.http;

import dev.berth.server.container.ContainerEngine;
import dev.berth.server.container.ContainerPlans;
import dev.berth.server.container.EngineFacts;
import dev.berth.server.mount.Mounts;
import dev.berth.server.policy.JobPolicy;

/**
 * What a submit is held against.
 *
 * @param machine what the engine said of its machine at the server's start
 */
public record SubmitParts(
        JobPolicy policy, EngineFacts machine, Mounts mounts, ContainerPlans plans, ContainerEngine engine) {}
