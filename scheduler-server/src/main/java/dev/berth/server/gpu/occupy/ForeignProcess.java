package dev.berth.server.gpu.occupy;

import dev.berth.server.gpu.GpuProcess;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * A process on a GPU that is none of ours.
 *
 * @param there what the driver says of it
 * @param startTicks when it began, with which its number names one process only; 0 where it cannot be seen
 * @param command what people call it, and {@code user} whose it is; both empty where it cannot be seen
 * @param container the container it is in, null for none
 * @param since when it was first seen on the GPU
 */
public record ForeignProcess(
        GpuProcess there,
        long startTicks,
        String command,
        String user,
        @Nullable String container,
        Instant since) {

    public long pid() {
        return there.pid();
    }

    /**
     * "process 4711 of alice is on it with 812 MiB since 2026-11-21T12:03:00Z", for everybody: what it runs, and in which
     * container, is for its owner and for operators.
     */
    public String sentence() {
        Long bytes = there.memoryBytes();
        return "process " + pid() + who() + " is on it" + (bytes == null ? "" : " with " + (bytes >> 20) + " MiB")
                + " since " + since.truncatedTo(ChronoUnit.SECONDS);
    }

    private String who() {
        return command.isEmpty() ? ", which cannot be seen from here," : " of " + user;
    }

    /** "python train.py in container lab", for the server's log; empty where it cannot be seen. */
    public String program() {
        return command.isEmpty() || container == null ? command : command + " in container " + container;
    }
}
