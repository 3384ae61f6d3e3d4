package dev.berth.server.runner.target;

import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Program;
import dev.berth.core.job.Signal;
import dev.berth.core.job.Submitter;
import dev.berth.server.example.Jobs;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.target.TargetEngine.Ability;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** An engine of a target that does what a test says. Safe for any thread. */
public final class PlayedEngine implements TargetEngine {
    /** The bytes that it gives of one stream at a time. */
    private static final int PART = 32;

    /** What ends no program by itself (signal(7)). */
    private static final Set<Signal> HARMLESS = EnumSet.of(Signal.CONT, Signal.WINCH);

    private static final int SIGNAL_BASE = 128;

    private volatile int gpus = 64;
    private volatile boolean isWell = true;
    private volatile @Nullable EngineException fetchFailure;

    private final Map<String, Phase> phases = new LinkedHashMap<>();
    private final Map<String, Handover> handovers = new LinkedHashMap<>();
    private final Map<String, String> written = new HashMap<>();
    private final Map<String, Phase.Used> used = new HashMap<>();
    private final List<String> asked = new ArrayList<>();
    private Abilities abilities =
            new Abilities("Played", "as a test says", Set.of(Ability.HOLDS, Ability.SIGNALS, Ability.OUTPUTS));
    private @Nullable EngineException failure;
    private final List<List<String>> batches = new ArrayList<>();
    private boolean refusesArrays;
    private Runnable afterLook = () -> {};
    private volatile Runnable beforeDiscard = () -> {};
    private volatile Runnable beforeCollect = () -> {};
    private int looks;

    /** From now on each call fails so; with null none does. */
    public synchronized PlayedEngine failing(@Nullable EngineException with) {
        failure = with;
        return this;
    }

    /** Each fetch fails so; with null none does. */
    public void failingToFetch(@Nullable EngineException with) {
        fetchFailure = with;
    }

    /** Whether it answers that it is well, where it answers. */
    public void well(boolean whether) {
        isWell = whether;
    }

    /** It does not answer. */
    public PlayedEngine away() {
        return failing(new EngineException(Kind.UNREACHABLE, "no answer from the controller"));
    }

    public synchronized PlayedEngine able(Abilities others) {
        abilities = others;
        return this;
    }

    /** It has so many GPUs. */
    public void having(int many) {
        gpus = many;
    }

    /** Brings a job into a phase. */
    public synchronized void bring(String name, Phase phase) {
        phases.put(name, phase);
    }

    /** Has the program of a job run. */
    public void start(String name) {
        bring(name, new Phase.Alive("4711", Jobs.STARTED, "node1"));
    }

    /** Has it end. */
    public void end(String name, int exitCode) {
        bring(name, new Phase.Over("4711", new Phase.End.Exited(exitCode, false), Jobs.STARTED, Jobs.ENDED, null));
    }

    /** Whether it runs. */
    public synchronized boolean isAlive(String name) {
        return phases.get(name) instanceof Phase.Alive;
    }

    /** Forgets a job. */
    public synchronized void forget(String name) {
        phases.remove(name);
    }

    /** Comes to know what a program has used. */
    public synchronized void account(String name, Phase.Used known) {
        used.put(name, known);
    }

    @Override
    public synchronized Map<Handed, Phase.Used> used(Collection<Handed> handed) {
        fail();
        asked.add("used " + handed.size());
        return handed.stream()
                .filter(one -> used.containsKey(one.path()))
                .collect(Collectors.toMap(one -> one, one -> used.get(one.path())));
    }

    /** Has a program write to a stream. */
    public synchronized void write(String name, Reading.Stream stream, String text) {
        written.merge(name + stream, text, String::concat);
    }

    /** The names of what was handed over, in that order. */
    public synchronized List<String> names() {
        return List.copyOf(handovers.keySet());
    }

    public synchronized Optional<Handover> handover(String name) {
        return Optional.ofNullable(handovers.get(name));
    }

    /** What was asked of it beside looks and hand-overs. */
    public synchronized List<String> asked() {
        return List.copyOf(asked);
    }

    public synchronized int looks() {
        return looks;
    }

    private void fail() {
        EngineException now = failure;
        if (now != null) {
            throw new EngineException(now.kind(), now.scope(), now.sentence());
        }
    }

    @Override
    public synchronized Abilities abilities() {
        return abilities;
    }

    @Override
    public synchronized Health health() {
        fail();
        return new Health(isWell, isWell ? "answers" : "all nodes are down", "4 GPUs", "as a test says");
    }

    @Override
    public List<Finding> examine(Submitter who) {
        return List.of(Finding.well("played", "it answers"));
    }

    @Override
    public Optional<String> refusal(JobSpec spec, Program program, Submitter owner, Optional<Snapshot> directory) {
        return spec.gpus().count() > gpus ? Optional.of("it has " + gpus + " GPUs") : Optional.empty();
    }

    @Override
    public String inspection(Handed handed, String id) {
        return "played show " + id;
    }

    @Override
    public Optional<String> trialImage() {
        return Optional.empty();
    }

    /** Refuses arrays from now on, or takes them. */
    public synchronized PlayedEngine refusingArrays(boolean refuses) {
        refusesArrays = refuses;
        return this;
    }

    /** The hand-overs, each with what it brought. */
    public synchronized List<List<String>> batches() {
        return List.copyOf(batches);
    }

    @Override
    public synchronized void handOver(List<Handover> tasks) {
        fail();
        if (refusesArrays && tasks.getFirst().handed().task() != null) {
            throw new ArrayRefusedException(
                    new EngineException(Kind.REFUSED, "no arrays here"),
                    tasks.stream().map(Handover::handed).toList());
        }
        batches.add(tasks.stream().map(task -> task.handed().path()).toList());
        TargetEngine.super.handOver(tasks);
    }

    @Override
    public synchronized void handOver(Handover handover) {
        fail();
        String name = handover.handed().path();
        handover.directory().ifPresent(snapshot -> {
            try {
                snapshot.writeTo(new ByteArrayOutputStream());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        if (handovers.putIfAbsent(name, handover) == null) {
            phases.put(name, new Phase.Waiting("4711", false, "Played waits for Resources (job 4711)"));
        }
    }

    @Override
    public synchronized Map<Handed, Phase> look(Collection<Handed> handed) {
        fail();
        looks++;
        Map<Handed, Phase> found = new HashMap<>();
        handed.forEach(one -> found.put(one, phases.getOrDefault(one.path(), new Phase.Unknown())));
        Runnable next = afterLook;
        afterLook = () -> {};
        next.run();
        return found;
    }

    /** What happens once the next look has seen what is there, and has not told it. */
    public synchronized void afterLook(Runnable work) {
        afterLook = work;
    }

    /** What happens at the beginning of each of these calls. */
    public void before(Runnable discard, Runnable collect) {
        beforeDiscard = discard;
        beforeCollect = collect;
    }

    @Override
    public boolean collect(Collection<Reading> readings) {
        beforeCollect.run();
        return collectNow(readings);
    }

    private synchronized boolean collectNow(Collection<Reading> readings) {
        fail();
        boolean hasMore = false;
        for (Reading reading : readings) {
            for (Reading.Stream stream : Reading.Stream.values()) {
                hasMore |= collect(reading, stream);
            }
        }
        return hasMore;
    }

    private boolean collect(Reading reading, Reading.Stream stream) {
        byte[] all = written.getOrDefault(reading.handed().path() + stream, "").getBytes(StandardCharsets.UTF_8);
        try {
            int known = (int) reading.known(stream);
            int end = Math.min(all.length, known + PART);
            if (known < end) {
                reading.take(stream, Arrays.copyOfRange(all, known, end));
            }
            return end < all.length;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public synchronized void cancel(Handed handed, Duration grace) {
        fail();
        asked.add("cancel " + handed.path() + " after " + grace.toSeconds() + " s");
        phases.remove(handed.path());
    }

    /** Ends a program, as most signals do that it makes nothing of. */
    @Override
    public synchronized boolean signal(Handed handed, Signal signal) {
        fail();
        boolean isThere = isAlive(handed.path());
        if (isThere && !HARMLESS.contains(signal)) {
            end(handed.path(), SIGNAL_BASE + signal.number());
        }
        return isThere;
    }

    @Override
    public synchronized void hold(Handed handed, boolean isHeld) {
        fail();
        if (phases.get(handed.path()) instanceof Phase.Waiting waiting && waiting.isHeld() != isHeld) {
            asked.add((isHeld ? "hold " : "release ") + handed.path());
            phases.put(handed.path(), new Phase.Waiting(waiting.id(), isHeld, waiting.words()));
        }
    }

    @Override
    public synchronized void fetch(Handed handed, Path into) {
        fail();
        EngineException now = fetchFailure;
        if (now != null) {
            throw now;
        }
        asked.add("fetch " + handed.path());
    }

    @Override
    public void discard(Handed handed) {
        beforeDiscard.run();
        discardNow(handed);
    }

    private synchronized void discardNow(Handed handed) {
        fail();
        asked.add("discard " + handed.path());
        phases.remove(handed.path());
    }
}
