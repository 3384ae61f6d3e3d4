package dev.berth.server.simulation;

import dev.berth.core.job.Gpu;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState.Deferred;
import dev.berth.core.job.JobState.Held;
import dev.berth.core.job.JobState.Stopping;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Capacity;
import dev.berth.core.machine.Effect;
import dev.berth.core.machine.Effect.CleanGpus;
import dev.berth.core.machine.GpuRules;
import dev.berth.core.machine.Input;
import dev.berth.core.machine.Input.GpusRefused;
import dev.berth.core.machine.Machine;
import dev.berth.core.machine.QueueRules;
import dev.berth.core.machine.RunnerKind;
import dev.berth.core.machine.Step.Reply;
import dev.berth.core.place.CpuTopology;
import dev.berth.core.place.GpuTopology;
import dev.berth.server.Occupancy;
import dev.berth.server.ServerAssembly;
import dev.berth.server.cgroup.LeaseCgroups;
import dev.berth.server.config.Settings;
import dev.berth.server.gpu.SimulatedGpus;
import dev.berth.server.gpu.occupy.ForeignProcesses;
import dev.berth.server.gpu.occupy.GpuGate;
import dev.berth.server.gpu.occupy.ProcessIdentity;
import dev.berth.server.loop.FoundAtStart.Boot;
import dev.berth.server.loop.Scheduling;
import dev.berth.server.loop.SchedulingLoop;
import dev.berth.server.mount.MountRules;
import dev.berth.server.mount.Mounts;
import dev.berth.server.notify.CommandRules;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.Notices;
import dev.berth.server.runner.docker.ContainerNames;
import dev.berth.server.runner.docker.GpuHandover;
import dev.berth.server.runner.host.SimulatedKernel;
import dev.berth.server.runner.target.HandoverLinks;
import dev.berth.server.runner.target.Targets;
import dev.berth.server.store.JobStore;
import dev.berth.server.store.database.StoreException;
import dev.berth.server.upkeep.BackgroundWork;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One server at a time on one data directory and one engine, which outlive it. */
final class World implements AutoCloseable {
    static final String SERVER = "sim";

    /** A variable of those jobs that ask to be started again when the machine loses them. */
    static final String REQUEUE = "REQUEUE";

    /** A variable of those jobs that ask for retries. */
    static final String RETRY = "RETRY";

    /** A variable of the tasks of those arrays that have a throttle. */
    static final String AT_ONCE = "AT_ONCE";

    /** Longer than all else that a forecast counts in. */
    static final Duration STOP_GRACE = Duration.ofMinutes(3);

    private static final Settings SETTINGS = Settings.of("jobs.stop-grace=" + STOP_GRACE.toSeconds() + "s");

    private static final int RESTORES = 3;

    /** One world in so many begins with the database of an older Berth. */
    private static final int OLD_DATABASES = 8;

    /** One new server in so many soon has no room to write; after a reboot more, as what it then writes is of most weight. */
    private static final int FULL_DISKS = 4;

    private static final int FULL_DISKS_AFTER_REBOOT = 2;
    private static final Mounts NO_MOUNTS =
            Mounts.asUser(new MountRules(Settings.of(), Path.of("/nowhere"), List.of()));

    final SplittableRandom random;
    final Tally tally = new Tally();
    final Trace trace;
    final VirtualTime time;
    final Ground ground;
    final StormyEngine engine;

    /** The whole machine; a server may be started with a part of it. */
    final Capacity capacity;

    final RetryRequests retries;
    final Clients clients;
    final Disk disk;
    final Books books;
    final ForeignProcesses strangers = new ForeignProcesses();
    final SimulatedKernel kernel;
    final Commands commands;
    final SignalOrder signals = new SignalOrder(this);
    private final Stage stage;
    private final List<Runnable> told = new ArrayList<>();
    private final boolean restores;
    private final boolean varies;
    private Capacity serving;

    /** The rules of each server, by the last event before it. */
    private final NavigableMap<Long, QueueRules> rules = new TreeMap<>();

    private Runnable whileDown = () -> {};
    private int crashBeforeEffect = -1;
    private boolean last;
    private boolean still;

    /** Whether somebody may have seen what the server says of its jobs. */
    private boolean isShown;

    /** Whether the store is the server's to close. */
    private boolean isConnected;

    private Boot boot;
    private JobStore store;
    private @Nullable ServerAssembly server;
    private @Nullable SchedulingLoop loop;

    /** The names of the directories that are laid out for containers. */
    List<String> filesOfRuns() {
        try (Stream<Path> runs = Files.exists(stage.runs()) ? Files.list(stage.runs()) : Stream.empty()) {
            return runs.map(run -> run.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A world as chance, of which this is the number, has it. */
    World(Stage stage, long seed, boolean traced) {
        this.stage = stage;
        this.random = new SplittableRandom(seed);
        this.time = new VirtualTime(random);
        this.trace = new Trace(traced, time);
        this.books = new Books(stage.database());
        this.ground = new Ground(
                seed,
                time,
                trace,
                books::turns,
                this::isServed,
                fate -> commands().hasGivenUp(fate));
        this.engine = new StormyEngine(ground, time, random, tally, trace, new StartOrder(this)::sent);
        engine.hold(signals);
        this.retries = new RetryRequests(seed, tally);
        this.clients = new Clients(
                stage.snapshot(),
                random,
                new Clients.Wishes(new Orders(seed, tally, time), new ArrayRequests(seed, tally), retries),
                tally,
                trace,
                job -> ground.of(job).stream().anyMatch(fate -> fate.forgotten && fate.starts > 0 && !fate.isHost));
        this.disk = new Disk(stage.database(), books);
        this.kernel = new SimulatedKernel(
                stage.processes(), time, (process, exitCode) -> commands().ended(process, exitCode));
        this.commands = new Commands(this);
        kernel.heed(commands::heeds);
        time.whileWaiting(commands::act);
        int gpus = 1 + random.nextInt(4);
        boolean cleans = random.nextBoolean();
        this.capacity = new Capacity(
                SimulatedGpus.of(gpus),
                gpus,
                random.nextInt(2),
                new GpuRules(1, new TreeMap<>(), new TreeMap<>(), cleans, 3),
                GpuTopology.UNKNOWN,
                CpuTopology.NONE,
                Long.MAX_VALUE,
                QueueRules.STRICT);
        if (!cleans) {
            ground.looksAtNothing();
        }
        // What an older copy of the books does not know cannot be asked for afterwards, so not every world has that.
        this.restores = random.nextInt(4) == 0;
        this.varies = random.nextInt(3) == 0;
        this.serving = capacity;
        this.boot = new Boot("boot 0", time.instant());
        if (random.nextInt(OLD_DATABASES) == 0) {
            tally.count("database of an older Berth");
            stage.beginWithOldDatabase();
            OldDatabase.upgrade(stage.database(), random, tally);
            OldDatabase.JOBS.forEach(job -> clients.own(job, OldDatabase.spec(stage.snapshot())));
        }
        ground.placeForeign();
        boot();
    }

    /** What the next server is started with: fewer GPUs, no lane for jobs without any, another order. */
    private Capacity drawn() {
        if (!varies) {
            return capacity;
        }
        List<Gpu> gpus = new ArrayList<>(capacity.gpus());
        if (!last && random.nextInt(3) == 0) {
            tally.count("server started with fewer GPUs");
            gpus.subList(random.nextInt(gpus.size()), gpus.size()).clear();
        }
        return new Capacity(
                gpus,
                Math.max(1, gpus.size()),
                last ? capacity.cpuWorkers() : random.nextInt(capacity.cpuWorkers() + 1),
                capacity.rules(),
                capacity.topology(),
                capacity.cpus(),
                capacity.memoryBytes(),
                new QueueRules(random.nextInt(3) == 0, random.nextInt(3) == 0, false));
    }

    private Commands commands() {
        return commands;
    }

    private boolean isServed(String uuid) {
        return serving.gpu(new GpuId(uuid)).isPresent();
    }

    /** The rules of the server of this event. */
    QueueRules rules(long event) {
        return rules.lowerEntry(event).getValue();
    }

    private void boot() {
        serving = drawn();
        // What is behind it was forgotten with the books that were replaced.
        long before = books.lastEvent();
        rules.tailMap(before, true).clear();
        rules.put(before, serving.order());
        store = new JobStore(stage.database());
        signals.serverBegins();
        told.clear();
        ServerAssembly.Machinery machinery = new ServerAssembly.Machinery(
                engine,
                _ -> {
                    throw new UnsupportedOperationException("nobody looks");
                },
                _ -> Occupancy.of(gate(), clean -> time.run(() -> look(clean)), _ -> ProcessIdentity.UNKNOWN),
                GpuHandover.BY_RUNTIME,
                NO_MOUNTS,
                kernel,
                LeaseCgroups.none("a simulation"),
                CommandRules.none("a simulation"),
                Targets.NONE,
                HandoverLinks.passing(),
                new BackgroundWork(time, time),
                time.clocks());
        Scheduling scheduling = Scheduling.of(serving, store, Scheduling.MAX_REQUESTS);
        Notices news = (job, event) -> {
            trace.say("server", "hears of job", job, event);
            commands.told(job, event);
            told.add(() -> scheduling.tell(job, event));
            scheduling.tell(job, event);
        };
        server = ServerAssembly.of(
                new ServerAssembly.Parts(
                        SETTINGS,
                        new ServerAssembly.Places(stage.database(), stage.snapshotDirectory(), stage.jobs()),
                        scheduling,
                        news,
                        machinery,
                        store,
                        boot,
                        false,
                        fatal -> {
                            throw new Violation(Law.STANDS, "its database is damaged or gone", fatal);
                        }),
                new ContainerNames(SERVER));
        isConnected = true;
        isShown = true;
        AutoCloseable _ = server.watch();
        commands.serverBegins(store);
        loop = server.recover(boot, owed -> owed.forEach(this::act));
        server.news().lookAgainLater(time);
        server.hosts().open();
        commands.serverBegan();
    }

    private GpuGate gate() {
        GpuGate past = strangers.gate(this::hear, () -> !isIdle(), time::runAfter, time);
        return (attempt, gpus) -> {
            GpuGate.Answer answer = past.occupy(attempt, gpus);
            if (answer instanceof GpuGate.Answer.Occupied) {
                ground.lookedAt(attempt, gpus);
            }
            return answer;
        };
    }

    /** Looks at what an attempt has left on its GPUs; sometimes something stays on one of them. */
    private void look(CleanGpus clean) {
        Attempt attempt = clean.attempt();
        List<GpuId> clear = new ArrayList<>(clean.allocation().gpus());
        SortedMap<GpuId, String> drained = new TreeMap<>();
        if (!last && !still && random.nextInt(3) == 0) {
            tally.count("something stays on a GPU");
            drained.put(clear.removeFirst(), "something stays on it");
        }
        trace.say("server", "has looked at what", attempt, "has left; drains", drained.keySet());
        ground.cleaned(attempt, clear);
        scheduling().tell(now -> new Input.GpusCleaned(now, attempt, drained));
    }

    /** Somebody sees to the drained GPUs, and gives them out again. */
    void mendGpus() {
        machine().gpus().drains().keySet().forEach(gpu -> {
            tally.count("drained GPU allocated again");
            ground.mend(gpu);
            var _ = scheduling().request(now -> new Input.ResumeGpu(now, gpu, "root"));
        });
    }

    /** The server that there is hears of what keeps GPUs from being allocated. */
    private void hear(Function<Instant, Input> news) {
        if (news.apply(time.instant()) instanceof GpusRefused refused) {
            tally.count(
                    refused.lock() == null
                            ? "GPUs taken by a stranger"
                            : "GPUs not chosen, as a stranger has the lock");
            trace.say("server", "cannot give job", refused.attempt(), refused.sentence());
        }
        scheduling().tell(news);
    }

    /** Sometimes a thread of its own is quicker than the loop. */
    private void act(Effect effect) {
        if (crashBeforeEffect == 0) {
            tally.count("crash before effect " + effect.getClass().getSimpleName());
            throw new Crash();
        }
        crashBeforeEffect = Math.max(-1, crashBeforeEffect - 1);
        trace.say("server", "takes on", effect.getClass().getSimpleName(), effect.job());
        if (effect instanceof Effect.CreateRun create) {
            commands.owed(create);
        }
        server().effects().accept(List.of(effect));
        // A program on the machine itself gets its signals in the order in which they are owed, and ends by the stop.
        if (effect instanceof Effect.StopRun stop && stop.runner() == RunnerKind.CONTAINER) {
            signals.stopOwed(stop.attempt());
        }
        if (!last && random.nextInt(16) == 0) {
            boolean _ = time.work();
        }
    }

    /** Does something that may meet a crash; after one there is a new server on the same files. */
    void through(Runnable action) {
        try {
            action.run();
        } catch (Crash crash) {
            restart("crash");
        } catch (StoreException e) {
            writeFailed(e);
            abandon(e);
            restart("no write");
        } catch (RuntimeException e) {
            throw new Violation(Law.STANDS, e.toString(), e);
        }
        clients.hear();
    }

    /** The loop has ended; whoever waits is told, and so is who asks before the connections go with the process. */
    private void abandon(StoreException reason) {
        commands.serverGone();
        loop().abandon(reason);
        clients.submitAgain(scheduling());
        clients.requireAnswers();
    }

    /** The process is told to end: its connections end, the loop ends after its step, and what runs goes on. */
    void terminate() {
        through(() -> {
            server().background().close();
            commands.serverGone();
            scheduling().end();
            turn();
            try {
                loop().run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
            clients.requireAnswers();
            restart("SIGTERM");
        });
    }

    /** The process is gone at once, with all that it held in memory; others are at work until the last moment. */
    void restart(String why) {
        restart(why, FULL_DISKS);
    }

    private void restart(String why, int fullDisks) {
        trace.say("world", "the server is gone:", why);
        lastMoments();
        while (true) {
            gone(fullDisks);
            whileDown.run();
            try {
                boot();
                tally.count("server started");
                crashBeforeEffect = random.nextInt(8) == 0 ? random.nextInt(3) : crashBeforeEffect;
                return;
            } catch (Crash again) {
                tally.count("crash in recovery");
                lastMoments();
            } catch (StoreException e) {
                tally.count("no write in recovery");
                writeFailed(e);
                lastMoments();
            } catch (EngineException e) {
                tally.count("engine not there at the start");
                engine.weather.calm();
                engine.comeBack();
            } catch (IllegalStateException e) {
                throw new Violation(Law.STANDS, e.toString(), e);
            }
            crashBeforeEffect = -1;
        }
    }

    private void writeFailed(StoreException e) {
        if (!disk.isBroken()) {
            throw new Violation(Law.STANDS, "its store says: " + e.getMessage(), e);
        }
        tally.count("store write failed");
    }

    private void lastMoments() {
        for (int left = random.nextInt(3); left > 0; left--) {
            try {
                boolean _ = time.work();
            } catch (Crash again) {
                return;
            }
        }
    }

    private void gone(int fullDisks) {
        clients.lose();
        if (isShown) {
            isShown = false;
            disk.requireHas(machine());
        }
        time.forget();
        kernel.forgetWatches();
        commands.serverGone();
        close();
        engine.forgetServer();
        disk.mend();
        if (restores && random.nextInt(RESTORES) == 0 && !last) {
            restore();
        }
        if (random.nextInt(fullDisks) == 0 && !last) {
            fillDisk();
        }
        if (random.nextInt(3) != 0) {
            engine.weather.calm();
        }
        crashBeforeEffect = random.nextInt(6) == 0 ? random.nextInt(3) : -1;
    }

    /** Somebody brings an older copy of the database back. */
    private void restore() {
        books.close();
        disk.restore().ifPresent(known -> {
            tally.count("database restored to an older copy");
            trace.say("somebody", "restores the database of", known.size(), "jobs");
            clients.forgetAllBut(known);
            ground.restored();
            commands.leave();
            commands.forgetAllBut(known);
        });
    }

    void mayBackUp() {
        if (restores && !disk.isBroken()) {
            tally.count("database backed up");
            disk.backUp(clients.acknowledged().keySet());
        }
    }

    /** Whether a server set the job aside, as it could not run it. */
    boolean isSetAside(JobId job) {
        return store.find(job)
                .filter(found -> found.state() instanceof Held held && held.isByServer())
                .isPresent();
    }

    /** Whether nothing goes wrong any more. */
    boolean isLast() {
        return last;
    }

    /** For the time being nothing new goes wrong, or it may again. */
    void still(boolean isStill) {
        still = isStill;
        engine.weather.still(isStill);
        time.stopsAnywhere(isStill);
        crashBeforeEffect = -1;
    }

    private void fillDisk() {
        int room = random.nextInt(random.nextBoolean() ? 3 : 30);
        if (random.nextBoolean()) {
            tally.count("disk full in a write, soon");
            disk.breakAtWrite(room);
        } else {
            tally.count("disk full at a commit, soon");
            disk.breakAtCommit(room);
        }
    }

    /** From now on nothing goes wrong any more. */
    void endOfFaults() {
        last = true;
        if (disk.isBroken() || !serving.gpus().equals(capacity.gpus()) || random.nextBoolean()) {
            restart("before the end");
        }
        crashBeforeEffect = -1;
        engine.weather.end();
        engine.comeBack();
        strangers.leave();
        mendGpus();
    }

    /** The machine goes down and comes up: nothing runs any more, and nobody told. */
    void reboot() {
        gone(FULL_DISKS);
        engine.goDown();
        commands.leave();
        if (random.nextBoolean()) {
            // In order: the engine ends its containers first.
            ground.reboot(random.nextBoolean() ? 143 : 137, books.lastEvent());
            rebooted();
        } else {
            // At times the date is wrong until the network has told it, and the engine is quicker than that.
            Duration wrong = Duration.ofSeconds(random.nextBoolean() ? random.nextInt(14_400) - 7_200 : 0);
            time.setClock(wrong);
            ground.reboot(255, books.lastEvent());
            time.setClock(wrong.negated());
            rebooted();
        }
        restart("reboot", FULL_DISKS_AFTER_REBOOT);
    }

    private void rebooted() {
        time.advance(Duration.ofSeconds(1 + random.nextInt(60)));
        boot = new Boot("boot at step " + trace.step() + " " + time.instant(), time.instant());
    }

    /** What happens while there is no server. */
    void whileDown(Runnable happens) {
        whileDown = happens;
    }

    /** From now on the process ends before the n-th effect from here. */
    void crashBeforeEffect(int number) {
        crashBeforeEffect = number;
    }

    /** Old news comes once more. */
    void repeatNews() {
        if (!told.isEmpty()) {
            tally.count("notice doubled");
            told.get(random.nextInt(told.size())).run();
        }
    }

    void turn() {
        try {
            loop().turn(Duration.ZERO);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Turns until all is heard that was said before: one turn takes only so many messages. */
    void hearAll() {
        CompletableFuture<Reply> heard = scheduling().write(_ -> {});
        while (!heard.isDone()) {
            turn();
        }
    }

    private SchedulingLoop loop() {
        return Objects.requireNonNull(loop);
    }

    ServerAssembly server() {
        return Objects.requireNonNull(server);
    }

    Scheduling scheduling() {
        return server().scheduling();
    }

    Machine machine() {
        return scheduling().machine();
    }

    JobStore store() {
        return store;
    }

    /** The time until the next date that a job waits for; empty where none does. */
    Optional<Duration> untilBegin() {
        return Optional.ofNullable(store.earliestDeferred().begin())
                .map(begin -> Duration.between(time.instant(), begin))
                .filter(Duration::isPositive);
    }

    /** Whether a job is not ready that somebody was told of. */
    boolean isDeferred(JobId job) {
        return store.find(job)
                .filter(found -> found.state() instanceof Deferred)
                .isPresent();
    }

    /** What is committed has no array that is still to end although all of its tasks have. */
    void requireArraysEnd() {
        if (clients.areArraysKnown()) {
            Law.WHOLE_ARRAY.require(
                    books.endlessArrays().isEmpty(),
                    () -> "nothing is left of arrays " + books.endlessArrays() + ", which have not ended");
        }
    }

    boolean isIdle() {
        return machine().live().isEmpty()
                && machine().queue().values().stream()
                        .allMatch(window -> window.jobs().isEmpty());
    }

    /** A program ends, wherever it runs; a pack does one thing more where it is to end by itself. */
    void end(Fate fate, Fate.End by, int exitCode, boolean outOfMemory) {
        if (fate.isHost) {
            commands.end(fate, by, exitCode);
        } else if (fate.script != null && by == Fate.End.ITSELF) {
            boolean _ = ground.packs.goOn(fate, this::mayEndInPack);
        } else {
            ground.end(fate, by, exitCode, outOfMemory);
        }
    }

    /** A program that is being stopped: when nothing goes wrong any more, the stop ends it or nobody. */
    boolean isBeingStopped(Fate fate) {
        return machine()
                .find(fate.job)
                .filter(job -> job.state() instanceof Stopping)
                .isPresent();
    }

    /** Whether a task ends by itself. Of those that somebody wants ended every other one does not: its pack has to be told. */
    boolean mayEndInPack(JobId task) {
        return (!last && task.value() % 2 == 0) || !books.isToEndInPack(task);
    }

    /** Whether anything happens in a container without the server. */
    boolean mayGoOn(Fate fate) {
        return fate.script == null
                || fate.script.mayBegin()
                || fate.script.isOver()
                || fate.script.running().stream().anyMatch(task -> fate.script.isTold(task) || mayEndInPack(task.job));
    }

    @Override
    public void close() {
        time.forget();
        // Before the server does, so that it is the last one to close the file, as without an observer.
        books.close();
        if (isConnected) {
            isConnected = false;
            server().close();
        } else {
            store.close();
        }
    }
}
