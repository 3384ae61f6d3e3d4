package dev.berth.server.runner.docker;

import dev.berth.core.machine.Attempt;
import org.jspecify.annotations.Nullable;

/**
 * The owner of a container.
 *
 * @param name for people
 * @param attempt null for one that is none of the server's that asked
 */
public record ContainerOwner(String name, @Nullable Attempt attempt) {}
