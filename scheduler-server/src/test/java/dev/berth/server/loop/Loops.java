package dev.berth.server.loop;

import dev.berth.core.machine.Capacity;
import dev.berth.core.machine.Effect;
import dev.berth.core.machine.TargetRules;
import dev.berth.server.gpu.SimulatedGpus;
import dev.berth.server.store.JobStore;
import dev.berth.server.time.Clocks;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** Scheduling for tests. */
final class Loops {
    private Loops() {}

    /** The scheduling of a machine with two GPUs. */
    static Scheduling onTwoGpus(JobStore store, int maxRequests) {
        return Scheduling.of(new Capacity(SimulatedGpus.of(2), 2, 0), store, maxRequests);
    }

    /** The same, with targets to which jobs go so. */
    static Scheduling withTargets(JobStore store, Map<String, TargetRules> targets) {
        return Scheduling.of(new Capacity(SimulatedGpus.of(2), 2, 0).with(new TreeMap<>(targets)), store, 9);
    }

    /** A loop that does not run yet, and whose clock stands. */
    static SchedulingLoop loop(Scheduling scheduling, JobStore store, Consumer<List<Effect>> effects, Instant now) {
        return new SchedulingLoop(scheduling, store, effects, Clocks.neverSet(InstantSource.fixed(now)));
    }
}
