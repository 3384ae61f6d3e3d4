package dev.berth.server.simulation;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.JobId;
import dev.berth.core.job.Signal;
import dev.berth.core.job.Submitter;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Found.Condition;
import dev.berth.server.log.LogSink;
import dev.berth.server.runner.docker.ContainerNames;
import dev.berth.server.runner.docker.ContainerPlan;
import dev.berth.server.runner.docker.FakeContainerEngine;
import dev.berth.server.runner.docker.GpuAccess;
import dev.berth.server.simulation.Fate.End;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The truth: what is made, runs, ends and goes on the engine, seen from there. Laws about what runs are held at the very
 * moment at which something is started.
 */
final class Ground implements FakeContainerEngine.Script {
    private final VirtualTime time;
    private final Trace trace;
    private final Map<String, Fate> fates = new LinkedHashMap<>();
    private final Map<String, Fate> running = new LinkedHashMap<>();
    private final Set<String> refused = new HashSet<>();
    private final Set<String> removedImages = new HashSet<>();

    /** The GPUs on which a program was, and that nobody has looked at since, with that program. */
    private final Map<String, Fate> left = new HashMap<>();

    private final Set<Look> lookedAt = new HashSet<>();
    private final ToLongFunction<JobId> turns;
    private final Predicate<String> isServed;
    private final Predicate<Fate> isGivenUp;

    /** GPUs, by their UUIDs, that were found free for a job at one of its turns, the first of which is 1. */
    private record Look(JobId job, long turn, Set<String> gpus) {}

    final FakeContainerEngine engine;
    final PackPrograms packs;
    private boolean isLookedAt = true;

    /**
     * A machine.
     *
     * @param seed that of the chance by which packs go on
     * @param turns how often a job has had its turn
     * @param isServed whether the server of now gives out a GPU, by its UUID
     * @param isGivenUp whether a program of the machine itself that runs on has no GPUs any more
     */
    Ground(
            long seed,
            VirtualTime time,
            Trace trace,
            ToLongFunction<JobId> turns,
            Predicate<String> isServed,
            Predicate<Fate> isGivenUp) {
        this.turns = turns;
        this.isServed = isServed;
        this.isGivenUp = isGivenUp;
        this.time = time;
        this.trace = trace;
        this.packs = new PackPrograms(seed, this, time);
        this.engine = new FakeContainerEngine(time, this).withImage("here").withPullable("far");
    }

    /** A container of another server's, with a program that runs. */
    void placeForeign() {
        ContainerNames names = new ContainerNames("other");
        JobId job = new JobId(1);
        ContainerPlan plan = new ContainerPlan(
                names.of(new Attempt(job, 1)),
                "id-of-here",
                List.of("run"),
                new Submitter(1001, 1001, List.of(), "bob"),
                Map.of(),
                List.of(),
                new GpuAccess.None(),
                List.of(),
                "/",
                "none",
                new ContainerPlan.Limits(0, 0, List.of(), 0, 0, 0, 0),
                names.labels(new Attempt(job, 1), Allocation.NONE));
        engine.create(plan);
        created(plan, turnOf(plan));
        engine.start(plan.name());
    }

    Collection<Fate> fates() {
        return fates.values();
    }

    /** All attempts of a job that got a container, the first one first. */
    List<Fate> of(JobId job) {
        return fates.values().stream()
                .filter(fate -> fate.job.equals(job) && fate.server.equals(World.SERVER))
                .toList();
    }

    Optional<Fate> find(String container) {
        return Optional.ofNullable(fates.get(container));
    }

    /** Whether the program of an attempt has begun. */
    boolean hasStarted(Attempt attempt) {
        return of(attempt.job()).stream()
                .anyMatch(fate -> fate.attempt == attempt.number() && (fate.starts > 0 || fate.isKnown));
    }

    List<Fate> running() {
        return List.copyOf(running.values());
    }

    /** The turn of its job for which a container is asked for now; 0 where another server asks. */
    long turnOf(ContainerPlan plan) {
        Fate asked = new Fate(plan);
        if (!asked.server.equals(World.SERVER)) {
            return 0;
        }
        Law.SERVED.require(
                asked.gpus.stream().allMatch(isServed),
                () -> "a container of job " + asked.job + "/" + asked.attempt + " on " + asked.gpus);
        return turns.applyAsLong(asked.job);
    }

    /**
     * A container was made.
     *
     * @param turn that of its job when it was asked for
     */
    void created(ContainerPlan plan, long turn) {
        Fate earlier = fates.get(plan.name());
        if (earlier != null && earlier.forgotten && engine.inspect(plan.name()).isPresent() && !earlier.isThere()) {
            fates.put(plan.name() + " before " + fates.size(), earlier);
            fates.remove(plan.name());
        }
        Fate fate = fates.computeIfAbsent(plan.name(), _ -> new Fate(plan));
        if (!fate.isThere()) {
            // Made anew for the same attempt, which may have other GPUs by now.
            fate.gpus = Fate.gpus(plan);
            fate.script = PackScript.of(plan);
        }
        fate.removed = false;
        Law.LOOKED_AT.require(
                fate.gpus.isEmpty()
                        || !fate.server.equals(World.SERVER)
                        || lookedAt.contains(new Look(fate.job, turn, Set.copyOf(fate.gpus))),
                () -> "a container of job " + fate.job + "/" + fate.attempt + " on " + fate.gpus);
    }

    /** These GPUs were found free for an attempt. */
    void lookedAt(Attempt attempt, List<GpuId> gpus) {
        lookedAt.add(new Look(
                attempt.job(),
                turns.applyAsLong(attempt.job()),
                gpus.stream().map(GpuId::uuid).collect(Collectors.toSet())));
    }

    /** Berth has looked at what an attempt left on these GPUs, and nothing is there. */
    void cleaned(Attempt attempt, List<GpuId> gpus) {
        seeWhoGaveUp();
        gpus.forEach(gpu -> left.computeIfPresent(
                gpu.uuid(),
                (_, fate) -> fate.job.equals(attempt.job()) && fate.attempt == attempt.number() ? null : fate));
    }

    /** What a shell has left on its GPUs when its lease ended is looked at as if it had ended itself. */
    private void seeWhoGaveUp() {
        for (Fate fate : running.values()) {
            if (fate.isHost && !fate.hasGivenUp && isGivenUp.test(fate)) {
                fate.hasGivenUp = true;
                leave(fate);
            }
        }
    }

    private void leave(Fate fate) {
        if (isLookedAt && fate.server.equals(World.SERVER) && !fate.forgotten) {
            fate.gpus.forEach(gpu -> left.put(gpu, fate));
        }
    }

    /** Somebody has seen to a GPU. */
    void mend(GpuId gpu) {
        left.remove(gpu.uuid());
    }

    /** Nobody looks at what is left here. */
    void looksAtNothing() {
        isLookedAt = false;
    }

    /** An older copy of the books was brought back: what happened since may happen once more. */
    void restored() {
        left.clear();
        fates.values().forEach(fate -> fate.forgotten = true);
    }

    /** The engine said no, to whoever asked. */
    void refused(String verb, String subject) {
        refused.add(verb + " " + subject);
    }

    boolean hasRefused(String verb, String subject) {
        return refused.contains(verb + " " + subject);
    }

    void removeImage(String reference) {
        removedImages.add(reference);
        engine.removeImage(reference);
    }

    boolean hasRemovedImage(String reference) {
        return removedImages.contains(reference);
    }

    @Override
    public void started(FakeContainerEngine fake, ContainerPlan plan) {
        Fate fate = fates.get(plan.name());
        fate.start = time.passed();
        begin(fate);
    }

    /** A command is told that it may start its program, on these GPUs. */
    void granted(Attempt attempt, List<String> gpus) {
        String what = "job " + attempt + " is granted " + gpus;
        requireLookedAt(attempt.job(), gpus, what);
        Law.SERVED.require(gpus.stream().allMatch(isServed), () -> what);
        Law.ONE_START.require(
                of(attempt.job()).stream().allMatch(fate -> fate.starts == 0 || fate.forgotten),
                () -> what + " although " + of(attempt.job()));
    }

    private void requireLookedAt(JobId job, List<String> gpus, String what) {
        Law.LOOKED_AT.require(
                gpus.isEmpty() || lookedAt.contains(new Look(job, turns.applyAsLong(job), Set.copyOf(gpus))),
                () -> what);
    }

    /** A command is about to start a program on the machine itself. */
    void add(Fate fate) {
        Fate earlier = fates.put(fate.name, fate);
        Law.ONE_START.require(earlier == null || earlier.forgotten, () -> fate + " in place of " + earlier);
    }

    /** A program begins. */
    void begin(Fate fate) {
        trace.say("machine", "starts", fate.name, "on", fate.gpus);
        seeWhoGaveUp();
        if (fate.isHost) {
            requireLookedAt(fate.job, fate.gpus, fate + " on " + fate.gpus);
        }
        fate.starts++;
        fate.startedAt = time.instant();
        running.put(fate.name, fate);
        for (String gpu : fate.gpus) {
            Law.CLEAN.require(
                    !left.containsKey(gpu), () -> fate + " on " + gpu + ", which " + left.get(gpu) + " has left");
        }
        Law.ONE_START.require(fate.starts == 1, () -> fate + " was started " + fate.starts + " times");
        mayFollow(fate);
        if (fate.script == null) {
            keepsToThrottle(fate);
        }
        check();
    }

    /** The program of a task in a pack begins, on what its pack has. */
    void beginInPack(Fate task) {
        trace.say("pack", "starts", task.name);
        Fate earlier = fates.remove(task.name);
        if (earlier != null) {
            // It is begun twice; or its pack was made anew, after an older copy of the books was brought back.
            fates.put(earlier.name + " before " + fates.size(), earlier);
        }
        fates.put(task.name, task);
        task.start = time.passed();
        task.starts++;
        task.startedAt = time.instant();
        mayFollow(task);
        keepsToThrottle(task);
    }

    /** Its job asked for another attempt after each of those before it. */
    private void mayFollow(Fate fate) {
        int retries = 0;
        for (Fate earlier : fates.values()) {
            if (earlier != fate
                    && !earlier.forgotten
                    && earlier.job.equals(fate.job)
                    && earlier.server.equals(fate.server)) {
                Law.ONE_START.require(!earlier.runs(), () -> fate + " while " + earlier);
                if (earlier.starts > 0 && !(fate.requeue && earlier.mayHaveBeenLost())) {
                    isRetryOf(earlier, fate, retries);
                    retries++;
                }
            }
        }
    }

    private void isRetryOf(Fate earlier, Fate fate, int before) {
        String what = fate + " although " + earlier + " and " + before + " before that, of " + fate.retry;
        Law.ONE_START.require(fate.retry.cover(earlier), () -> what);
        Law.RETRIES.require(before < fate.retry.most(), () -> what);
        Duration due = earlier.start.plus(earlier.ran).plus(fate.retry.delay(before));
        Law.RETRIES.require(
                earlier.settings != time.settings() || time.passed().compareTo(due) >= 0,
                () -> what + " not before " + due + " but " + time.passed());
    }

    private void keepsToThrottle(Fate begun) {
        List<Fate> tasks = programs()
                .filter(fate -> fate.array == begun.array && fate.server.equals(begun.server) && !fate.forgotten)
                .toList();
        Law.THROTTLE.require(
                tasks.size() <= begun.atOnce,
                () -> begun + " beside its array's others, of which " + begun.atOnce + " may run: " + tasks);
    }

    /** All that run, where a pack does its tasks in place of it. */
    private Stream<Fate> programs() {
        return running.values().stream()
                .flatMap(fate -> fate.script == null ? Stream.of(fate) : fate.script.running().stream());
    }

    /** No GPU has two programs, and nobody's files go under a running program. */
    void check() {
        seeWhoGaveUp();
        Map<String, Fate> holders = new HashMap<>();
        for (Fate fate : running.values()) {
            if (fate.hasGivenUp) {
                continue;
            }
            for (String gpu : fate.gpus) {
                Fate other = holders.put(gpu, fate);
                Law.ONE_HOLDER.require(other == null, () -> gpu + " has " + fate + " and " + other);
            }
        }
    }

    private static void keepsItsFiles(Fate fate) {
        // Of a time that the books know nothing of the files are the job's next attempt's.
        Law.FILES_STAY.require(
                fate.forgotten || fate.workspace.isEmpty() || Files.isDirectory(Path.of(fate.workspace)),
                () -> fate + " without " + fate.workspace);
    }

    /** The program writes a line, or a part of one. */
    void print(Fate fate, LogSink.Stream stream, boolean wholeLine) {
        keepsItsFiles(fate);
        String text = fate.job + "." + fate.attempt + " " + stream + " " + fate.lines + (wholeLine ? "\n" : " ");
        trace.say("program", fate.name, "writes", text.strip(), "to", stream);
        fate.wrote(stream, text);
        if (fate.pack == null) {
            engine.print(fate.name, stream, text);
        } else {
            script(fate.pack).print(fate, stream, text, time.instant());
        }
    }

    private static PackScript script(Fate pack) {
        return Objects.requireNonNull(pack.script);
    }

    /** A task of a pack ends, and its container goes on. */
    void endInPack(Fate task, PackScript.How how, End by, int exitCode) {
        trace.say("pack", "ends", task.name, how, exitCode);
        over(task, by, exitCode, false);
        script(Objects.requireNonNull(task.pack)).ended(task, how, exitCode, time.instant());
    }

    /** Its process is over; whoever was asked for something then may have done it. */
    void engineEnded() {
        engine.beginRun();
        engine.all().forEach(name -> fates.get(name).sawEngineEnd = true);
    }

    /** The engine, or what starts programs for it, was killed before the start was written down. */
    void startForgotten(String container) {
        trace.say("engine", "knows nothing of the start of", container);
        engine.forgetStart(container);
        Fate fate = fates.get(container);
        if (fate != null) {
            fate.wasForgotten = true;
            fate.sawEngineEnd = true;
        }
    }

    /** The program ends. */
    void end(Fate fate, End by, int exitCode, boolean outOfMemory) {
        keepsItsFiles(fate);
        trace.say("engine", "ends", fate.name, by, exitCode);
        if (fate.script != null && by == End.ITSELF) {
            packs.finish(fate);
        }
        ended(fate, by, exitCode, outOfMemory);
        engine.end(fate.name, exitCode, outOfMemory);
    }

    /** A program has ended, and nothing is known of it but that. */
    void ended(Fate fate, End by, int exitCode, boolean outOfMemory) {
        if (fate.script != null) {
            fate.script.running().forEach(task -> over(task, by, exitCode, false));
        }
        over(fate, by, exitCode, outOfMemory);
        seeWhoGaveUp();
        if (!fate.hasGivenUp) {
            leave(fate);
        }
        running.remove(fate.name);
    }

    private void over(Fate fate, End by, int exitCode, boolean outOfMemory) {
        fate.end = by;
        fate.exitCode = exitCode;
        fate.outOfMemory = outOfMemory;
        fate.endedAt = time.instant();
        fate.ran = time.passed().minus(fate.start);
        fate.settings = time.settings();
    }

    /** Each program takes note of its signal, and goes on; but for a task of a pack that is to end. */
    @Override
    public boolean isEndedBy(String container, Signal signal) {
        Fate fate = fates.get(container);
        if (fate.script == null) {
            signalled(fate);
        } else {
            Law.OTHERS_ALONE.require(signal == Signal.CONT, () -> fate + " was sent " + signal);
            fate.script.wake();
        }
        return false;
    }

    /** A signal reaches a program that runs. */
    void signalled(Fate fate) {
        trace.say("machine", "signals", fate.name);
        Law.OTHERS_ALONE.require(fate.server.equals(World.SERVER), () -> fate + " was sent a signal");
        fate.signals++;
    }

    /** Berth stops it. */
    void stop(String container) {
        Fate fate = fates.get(container);
        if (fate != null && fate.runs()) {
            trace.say("engine", "stops", container);
            Law.OTHERS_ALONE.require(fate.server.equals(World.SERVER), () -> fate + " was stopped");
            int exitCode = fate.script == null ? 143 : packs.stop(fate);
            ended(fate, End.STOP, exitCode, false);
            engine.end(container, exitCode);
        }
    }

    /** Berth removes it. */
    void removed(String container) {
        Fate fate = fates.get(container);
        if (fate != null && !fate.removed) {
            trace.say("engine", "removes", container);
            Law.OTHERS_ALONE.require(fate.server.equals(World.SERVER), () -> fate + " was removed");
            Law.NOTHING_LEFT.require(!fate.runs(), () -> fate + " was removed, and its program runs on");
            fate.removed = true;
        }
    }

    /** Somebody removes it by hand, running or not. */
    void takeAway(Fate fate) {
        trace.say("somebody", "removes", fate.name);
        if (fate.runs()) {
            end(fate, End.SOMEBODY, 137, false);
        }
        fate.takenAway = true;
        engine.vanish(fate.name);
    }

    /** Everything that runs ends at once, with the engine or with the machine. */
    void endAll(End by, int exitCode) {
        for (Fate fate : running()) {
            if (!fate.isHost) {
                packs.endWithAll(fate, by, exitCode);
                end(fate, by, exitCode, false);
            }
        }
    }

    /**
     * The machine went down.
     *
     * @param lastEvent that of the books
     */
    void reboot(int exitCode, long lastEvent) {
        endAll(End.REBOOT, exitCode);
        left.clear();
        fates.values().stream().filter(fate -> !fate.sawReboot).forEach(fate -> {
            fate.sawReboot = true;
            fate.beforeReboot = lastEvent;
        });
    }

    /** Containers that are there, in whatever condition. */
    List<Fate> there() {
        List<Fate> there = new ArrayList<>();
        engine.all().forEach(name -> there.add(fates.get(name)));
        return there;
    }

    Optional<Condition> condition(String container) {
        return engine.inspect(container);
    }
}
