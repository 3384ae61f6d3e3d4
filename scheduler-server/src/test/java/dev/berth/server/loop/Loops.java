package dev.berth.server.loop;

import dev.berth.core.machine.Capacity;
import dev.berth.core.machine.Effect;
import dev.berth.server.gpu.SimulatedGpus;
import dev.berth.server.store.JobStore;
import dev.berth.server.time.Clocks;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.Consumer;

/** Scheduling loops for tests. */
final class Loops {
    private Loops() {}

    /** One with two GPUs, that does not run yet, and whose clock stands. */
    static SchedulingLoop onTwoGpus(JobStore store, Consumer<Effect> effects, Instant now) {
        return new SchedulingLoop(
                new Capacity(SimulatedGpus.of(2), 2, 0),
                store,
                new Inbox(),
                effects,
                Clocks.neverSet(InstantSource.fixed(now)));
    }
}
