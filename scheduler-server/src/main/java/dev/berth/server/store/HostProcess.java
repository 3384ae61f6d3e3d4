package dev.berth.server.store;

import dev.berth.core.job.JobId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A process of the machine that a job's GPUs are leased to, for as long as the job holds them.
 *
 * @param startTicks when it began, in the kernel's clock ticks since the machine's start
 * @param commandPid the command that started it and will tell its exit code; null for a shell's lease
 * @param commandStartTicks when that began
 */
public record HostProcess(
        JobId job,
        int attempt,
        long pid,
        long startTicks,
        @Nullable Long commandPid,
        @Nullable Long commandStartTicks,
        Instant startedAt) {}
