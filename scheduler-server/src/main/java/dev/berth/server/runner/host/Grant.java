package dev.berth.server.runner.host;

import dev.berth.core.job.Allocation;

/** What a client that waited may start its program with. */
public record Grant(int attempt, Allocation allocation) {}
