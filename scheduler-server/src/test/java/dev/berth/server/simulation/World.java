package dev.berth.server.simulation;

import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobOptions;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState.Stopping;
import dev.berth.core.job.SubmitKey;
import dev.berth.core.job.Submitter;
import dev.berth.core.machine.Capacity;
import dev.berth.core.machine.Effect;
import dev.berth.core.machine.Step.Reply;
import dev.berth.server.code.SnapshotLimits;
import dev.berth.server.code.SnapshotStore;
import dev.berth.server.code.Workspaces;
import dev.berth.server.container.ContainerNames;
import dev.berth.server.container.ContainerNews;
import dev.berth.server.container.ContainerPlans;
import dev.berth.server.container.EffectParts;
import dev.berth.server.container.EffectRunner;
import dev.berth.server.container.FakeContainerEngine;
import dev.berth.server.container.Notices;
import dev.berth.server.gpu.SimulatedGpus;
import dev.berth.server.log.LogStore;
import dev.berth.server.loop.Inbox;
import dev.berth.server.loop.Remains;
import dev.berth.server.loop.SchedulingLoop;
import dev.berth.server.mount.MountRules;
import dev.berth.server.mount.Mounts;
import dev.berth.server.policy.MountPolicy;
import dev.berth.server.store.JobStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/** One server at a time on one data directory and one engine, which outlive it. */
final class World implements AutoCloseable {
    static final String SERVER = "sim";
    private static final Duration GRACE = Duration.ofSeconds(10);

    final VirtualTime time;
    final FakeContainerEngine engine;
    final Capacity capacity;
    final Told record = new Told();
    private final SplittableRandom random;
    private final Path directory;
    private final String snapshot;
    private final List<Runnable> told = new ArrayList<>();
    private final List<JobSpec> submits = new ArrayList<>();
    private int crashBeforeEffect = -1;

    private JobStore store;
    private SchedulingLoop loop;

    World(Path directory, String snapshot, Capacity capacity, SplittableRandom random) {
        this.directory = directory;
        this.snapshot = snapshot;
        this.capacity = capacity;
        this.random = random;
        this.time = new VirtualTime(random);
        this.engine =
                new FakeContainerEngine(time, (_, _) -> {}).withImage("here").withPullable("far");
        this.store = new JobStore(directory.resolve("berth.db"));
        this.loop = boot();
        recover();
    }

    static Capacity capacity(int gpus, int cpuWorkers) {
        return new Capacity(SimulatedGpus.of(gpus), gpus, cpuWorkers);
    }

    private SchedulingLoop boot() {
        SnapshotStore snapshots = new SnapshotStore(directory.resolve("snapshots"), SnapshotLimits.DEFAULT, time);
        Workspaces workspaces = new Workspaces(directory.resolve("jobs"), snapshots, false);
        LogStore logs = new LogStore(workspaces::of, time);
        ContainerPlans plans = new ContainerPlans(new ContainerNames(SERVER), workspaces, false, 1L << 26);
        Mounts mounts = Mounts.asUser(new MountRules(MountPolicy.BUILT_IN, Path.of("/nowhere"), false, List.of()));
        Inbox inbox = new Inbox();
        told.clear();
        Notices notices = (job, event) -> {
            told.add(() -> inbox.post(job, event));
            inbox.post(job, event);
        };
        EffectRunner effects = new EffectRunner(
                engine, new EffectParts(plans, workspaces, mounts, logs, GRACE, GRACE, time), time, notices);
        SchedulingLoop next = new SchedulingLoop(
                capacity,
                store,
                inbox,
                effect -> {
                    crashIfDue(effect);
                    effects.accept(effect);
                },
                time);
        AutoCloseable _ = engine.watch(SERVER, new ContainerNews(engine, SERVER, notices, next::machine, next::seen));
        return next;
    }

    private void crashIfDue(Effect effect) {
        if (crashBeforeEffect == 0) {
            crashBeforeEffect = -1;
            record.crashed("before " + effect.getClass().getSimpleName());
            throw new Crash();
        }
        crashBeforeEffect = Math.max(-1, crashBeforeEffect - 1);
    }

    private void recover() {
        loop.recover(new Remains(engine.list(SERVER), 0, null));
    }

    /** Does something that may meet a crash; after one there is a new server on the same files. */
    void through(Runnable action) {
        try {
            action.run();
        } catch (Crash crash) {
            restart();
        }
    }

    /** The process is gone at once, with all that it held in memory. */
    void restart() {
        while (true) {
            try {
                crashBeforeEffect = -1;
                store.close();
                time.forget();
                engine.forgetListeners();
                engine.strikeWith(FakeContainerEngine.Faults.NONE);
                store = new JobStore(directory.resolve("berth.db"));
                loop = boot();
                crashBeforeEffect = random.nextInt(8) == 0 ? random.nextInt(3) : -1;
                recover();
                return;
            } catch (Crash again) {
                record.crashed("in recovery");
            }
        }
    }

    /** From now on the process ends before the n-th effect from here. */
    void crashBeforeEffect(int number) {
        crashBeforeEffect = number;
    }

    /** Old news comes once more. */
    void repeatNews() {
        if (!told.isEmpty()) {
            told.get(random.nextInt(told.size())).run();
        }
    }

    void turn() {
        try {
            loop.turn(Duration.ZERO);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    void submit(int gpus, String image, int limitSeconds) {
        JobSpec spec = new JobSpec(
                "job",
                "simulation",
                List.of("run"),
                snapshot,
                image,
                GpuRequest.whole(gpus),
                Map.of(),
                limitSeconds == 0 ? null : Duration.ofSeconds(limitSeconds),
                JobOptions.NONE);
        int number = submits.size();
        submits.add(spec);
        submit(number, gpus);
    }

    /** A client that was not told, or believes so, sends the same submit once more. */
    void submitAgain() {
        if (!submits.isEmpty()) {
            int number = random.nextInt(submits.size());
            submit(number, submits.get(number).gpus().count());
        }
    }

    private void submit(int number, int gpus) {
        SubmitKey key = new SubmitKey("key-" + number, "digest-" + number);
        record.asked(loop.submit(submits.get(number), new Submitter(1000, 1000, List.of(), "ada"), key), gpus, number);
    }

    void hold(JobId job) {
        CompletableFuture<Reply> _ = random.nextBoolean() ? loop.hold(job, "ada") : loop.release(job, "ada");
    }

    void pause() {
        CompletableFuture<Reply> _ = random.nextInt(4) == 0 ? loop.pause("ada") : loop.resume("ada");
    }

    /** Nobody stands in anything's way any more. */
    void letGo() {
        CompletableFuture<Reply> _ = loop.resume("ada");
        record.acknowledged().keySet().forEach(id -> {
            CompletableFuture<Reply> _ = loop.release(new JobId(id), "ada");
        });
    }

    void cancel(JobId job) {
        CompletableFuture<Reply> _ = loop.cancel(job, "ada");
    }

    boolean isIdle() {
        return loop.machine().live().isEmpty()
                && loop.machine().queue().values().stream()
                        .allMatch(window -> window.jobs().isEmpty());
    }

    Path database() {
        return directory.resolve("berth.db");
    }

    Optional<Job> stored(JobId id) {
        return store.find(id);
    }

    /** Runs until nothing is left to do: no faults any more, every program ends. */
    void settle() {
        for (int round = 0; round < 20_000; round++) {
            through(this::turn);
            boolean worked = doneSomeWork();
            if (!worked) {
                List<String> running =
                        engine.running().stream().filter(this::mayEnd).toList();
                if (!running.isEmpty()) {
                    engine.end(running.getFirst(), 0);
                } else if (!time.advanceToNext() && isIdle()) {
                    through(this::turn);
                    if (isIdle() && engine.all().isEmpty()) {
                        return;
                    }
                }
            }
        }
        throw new AssertionError("it does not come to rest: " + loop.machine() + ", containers " + engine.all());
    }

    /** A program that is being stopped ends by the stop or not at all. */
    boolean mayEnd(String container) {
        return stored(Truth.jobOf(container))
                .filter(job -> job.state() instanceof Stopping)
                .isEmpty();
    }

    private boolean doneSomeWork() {
        boolean[] worked = {false};
        through(() -> worked[0] = time.work());
        return worked[0];
    }

    @Override
    public void close() {
        store.close();
    }
}
