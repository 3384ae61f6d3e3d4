package dev.berth.server.loop;

import dev.berth.core.machine.Found;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The remains of earlier servers that a server finds beside the store.
 *
 * @param containers with this server's labels
 * @param boot under which the machine runs now; null where it does not say
 */
public record FoundAtStart(List<Found> containers, @Nullable Boot boot) {

    /**
     * A run of the machine, from its start to its end.
     *
     * @param id another one after each start (Linux, random(4): boot_id)
     * @param at when it began
     */
    public record Boot(String id, Instant at) {}

    public FoundAtStart {
        containers = List.copyOf(containers);
    }

    /** The highest job id that any of it bears, 0 where there is nothing. */
    long highestId() {
        return containers.stream()
                .mapToLong(found -> found.of().job().value())
                .max()
                .orElse(0);
    }
}
