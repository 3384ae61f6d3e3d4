package dev.berth.server.loop;

import dev.berth.core.job.StateName;
import dev.berth.core.machine.Change;
import dev.berth.server.measure.Latencies;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** What the loop measures of itself since the server started. Written by the loop's thread, read by any. */
public final class LoopFigures {
    private final Latencies turns = new Latencies();
    private final Latencies commits = new Latencies();
    private final Map<StateName, LongAdder> ended = new EnumMap<>(StateName.class);
    private volatile @Nullable Instant began;

    LoopFigures() {
        Arrays.stream(StateName.values()).filter(StateName::isFinal).forEach(end -> ended.put(end, new LongAdder()));
    }

    /** The time that a batch of inputs took, from its first step to its last effect that was handed on. */
    public Latencies turns() {
        return turns;
    }

    /** The time that each commit of the queue's database took. */
    public Latencies commits() {
        return commits;
    }

    /** The number of jobs that ended, by how. An array is none; its tasks are. */
    public Map<StateName, LongAdder> ended() {
        return Collections.unmodifiableMap(ended);
    }

    /** How long the turn under way has taken so far; nothing between two turns. */
    public Duration busyFor(Instant steady) {
        Instant since = began;
        return since == null ? Duration.ZERO : Duration.between(since, steady);
    }

    void beginTurn(Instant steady) {
        began = steady;
    }

    void endTurn(Instant steady) {
        turns.observe(busyFor(steady));
        began = null;
    }

    void count(Change change) {
        if (change instanceof Change.Advanced advanced
                && !advanced.job().isArray()
                && !advanced.before().state().name().isFinal()) {
            LongAdder count = ended.get(advanced.job().state().name());
            if (count != null) {
                count.increment();
            }
        }
    }
}
