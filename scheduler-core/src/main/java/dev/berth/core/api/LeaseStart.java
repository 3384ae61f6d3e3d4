package dev.berth.core.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code POST /api/v1/jobs/{id}/lease}: the process that the GPUs are leased to. For a program it is one that waits to be
 * let go until this is answered.
 *
 * @param attempt that of {@code granted}
 * @param pid the process
 * @param startTicks when it began, field 22 of {@code /proc/PID/stat}
 * @param cliPid the command that started it and will tell its exit code; null for a shell
 * @param cliStartTicks when that began
 * @param shell whether the process is a shell that was there before: it is not ended with the lease
 * @param gpus the UUIDs of {@code granted}: a server that began since may have granted others; null where an older client
 *     does not say
 */
public record LeaseStart(
        @Nullable Integer attempt,
        @Nullable Long pid,
        @Nullable Long startTicks,
        @Nullable Long cliPid,
        @Nullable Long cliStartTicks,
        @Nullable Boolean shell,
        @Nullable List<String> gpus) {}
