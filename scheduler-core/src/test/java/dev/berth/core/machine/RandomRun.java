package dev.berth.core.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Dependency;
import dev.berth.core.job.DependencyKind;
import dev.berth.core.job.Gpu;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState.Creating;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.JobState.Live;
import dev.berth.core.job.JobState.Running;
import dev.berth.core.job.LimitSignal;
import dev.berth.core.job.Limits;
import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.Prerequisites;
import dev.berth.core.job.Signal;
import dev.berth.core.job.StateName;
import dev.berth.core.machine.Effect.CreateRun;
import dev.berth.core.machine.Effect.OfRun;
import dev.berth.core.machine.Input.GpusRefused;
import dev.berth.core.machine.Input.GpusSeen;
import dev.berth.core.machine.Input.JobHappening;
import dev.berth.core.machine.JobEvent.GpusConfirmed;
import dev.berth.core.machine.Recovery.Happening;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A scheduler, a tiny engine and a tiny target under submits, cancels, restarts and faults, all of them by one seed. */
final class RandomRun {
    private static final int MAX_GPUS = 5;
    private static final Duration TIME_LIMIT = Duration.ofMinutes(10);

    private final SplittableRandom random;
    private final TinyEngine engine;
    private final TinyTarget target;
    private TestScheduler driver;
    private final Deque<Effect> owed = new ArrayDeque<>();
    private final SortedMap<GpuId, Obstacle> strangers = new TreeMap<>();
    private boolean faults = true;
    private int restarts;

    RandomRun(long seed) {
        random = new SplittableRandom(seed);
        engine = new TinyEngine(random.split());
        target = new TinyTarget(random.split());
        driver = TestScheduler.on(capacity()).undecided();
        if (random.nextInt(10) == 0) {
            for (int i = 0; i < QueueWindow.MAX_JOBS * 3 / 2; i++) {
                submit();
            }
        }
    }

    void step() {
        switch (random.nextInt(16)) {
            case 15 -> strangersGo();
            case 0, 1 -> submit();
            case 2 -> cancel();
            case 3 -> {
                int restartsBefore = restarts;
                carryOut(driver.passes(Duration.ofSeconds(random.nextInt(300))));
                if (restarts == restartsBefore) {
                    assertNobodyIsOverdue();
                }
            }
            case 4 -> {
                if (random.nextInt(4) == 0) {
                    restart();
                }
            }
            case 5 -> setAside();
            case 6 -> carryOut(random.nextInt(3) == 0 ? driver.pause() : driver.resume());
            case 7 -> watchersSpeak();
            default -> engineActs();
        }
    }

    /** Anyone who looks at the GPUs of what runs. */
    private void watchersSpeak() {
        if (!driver.stored().isEmpty() && random.nextInt(4) == 0) {
            List<Job> jobs = List.copyOf(driver.stored());
            Job job = jobs.get(random.nextInt(jobs.size()));
            int attempt = job.state().attempt();
            carryOut(driver.tell(
                    job.id().value(),
                    random.nextBoolean()
                            ? new JobEvent.IdleTimeoutReached(attempt, "its GPUs were idle")
                            : new JobEvent.DeviceLost(attempt, "its container lost its GPUs")));
        }
    }

    private void strangersGo() {
        strangers.clear();
        carryOut(driver.step(new GpusSeen(driver.now(), strangers, null)));
    }

    private void setAside() {
        if (!driver.stored().isEmpty()) {
            long id = 1L + random.nextInt(driver.stored().size());
            carryOut(random.nextBoolean() ? driver.hold(id) : driver.release(id));
        }
    }

    /** From here on nothing goes wrong any more, so everything has to come to its end. */
    void endWithoutFaults() {
        faults = false;
        restart();
        strangersGo();
        carryOut(driver.resume());
        driver.stored().stream()
                .filter(job -> job.state().name() == StateName.HELD)
                .toList()
                .forEach(job -> carryOut(driver.release(job.id().value())));
        driver.stored().stream()
                .filter(job -> TinyEngine.isEndless(job.id()))
                .toList()
                .forEach(job -> carryOut(driver.cancel(job.id().value())));
        for (int left = 100 + 20 * driver.stored().size(); left > 0 && !(engine.isIdle() && target.isIdle()); left--) {
            engineActs();
        }
        assertThat(driver.stored()).as("jobs").allMatch(job -> job.state() instanceof Finished);
        assertThat(engine.isEmpty()).as("no container is left over").isTrue();
        assertThat(target.isEmpty()).as("nothing is left over at a target").isTrue();
        assertThat(driver.machine().with(DeferredJobs.NONE))
                .isEqualTo(Machine.idle(
                        driver.machine().capacity(), driver.stored().size()));
    }

    Stream<OutcomeReason> reasons() {
        return driver.stored().stream()
                .map(job -> ((Finished) job.state()).outcome().reason());
    }

    int restarts() {
        return restarts;
    }

    private Capacity capacity() {
        int gpus = random.nextInt(MAX_GPUS);
        Capacity part = Capacities.of(gpus, 1 + random.nextInt(Math.max(1, gpus)), random.nextInt(3));
        return Capacities.targets(
                Capacities.ordered(part, rules()),
                random.nextInt(4) == 0 ? Map.of("other", 1) : targets(),
                random.nextBoolean());
    }

    private static Map<String, Integer> targets() {
        return Map.of("cluster", 2, "other", 1);
    }

    /** What each server is started with: a job may be taken on by one and come back to the queue under another. */
    private QueueRules rules() {
        return new QueueRules(random.nextInt(3) == 0, random.nextInt(3) == 0, random.nextBoolean());
    }

    /** Whatever is asked for fits in here. */
    private Capacity whole() {
        Capacity whole = Capacities.of(MAX_GPUS, MAX_GPUS, random.nextInt(3));
        return Capacities.targets(Capacities.ordered(whole, rules()), targets(), random.nextBoolean());
    }

    private void submit() {
        Limits limits = random.nextInt(4) == 0 ? limits() : Limits.NONE;
        int gpus = random.nextInt(MAX_GPUS);
        int jobs = driver.stored().size();
        boolean waits = jobs > 0 && random.nextInt(6) == 0;
        JobSpec spec = waits ? TestJobs.after(gpus, anyOf(jobs)) : TestJobs.spec(gpus, limits);
        carryOut(driver.submit(
                switch (random.nextInt(8)) {
                    case 0 -> TestJobs.at("cluster", spec);
                    case 1 -> TestJobs.at("other", spec);
                    default -> spec;
                }));
    }

    private Limits limits() {
        LimitSignal signal = new LimitSignal(Signal.USR1, TIME_LIMIT.dividedBy(2));
        return new Limits(TIME_LIMIT, null, random.nextBoolean() ? signal : null, null);
    }

    private Prerequisites anyOf(int jobs) {
        DependencyKind kind = TestJobs.KINDS.get(random.nextInt(TestJobs.KINDS.size()));
        JobId other = new JobId(1 + random.nextInt(jobs));
        return new Prerequisites(null, List.of(new Dependency(kind, other)), false);
    }

    private void cancel() {
        if (!driver.stored().isEmpty()) {
            carryOut(driver.cancel(1 + random.nextInt(driver.stored().size())));
        }
    }

    private void engineActs() {
        boolean isOfTarget = engine.isIdle() || (!target.isIdle() && random.nextInt(4) == 0);
        List<Happening> news = isOfTarget ? target.act(driver.now(), faults) : engine.act(driver.now(), faults);
        news.forEach(this::hear);
    }

    private void hear(Happening happening) {
        carryOut(driver.tell(happening.job().value(), happening.event()));
    }

    /** The effects of a step, if the server lives to see them all; then the windows are filled up. */
    private void carryOut(Step step) {
        carryOut(step.effects());
    }

    private void carryOut(List<Effect> effects) {
        owed.addAll(effects);
        fillWindows();
        while (!owed.isEmpty()) {
            if (faults && random.nextInt(200) == 0) {
                restart();
                return;
            }
            perform(owed.removeFirst());
            if (owed.isEmpty()) {
                fillWindows();
            }
        }
        assertNobodyWaitsForNothing();
    }

    /** A container is made once its GPUs were found free; now and then a stranger is on them, or holds the lock. */
    private void perform(Effect effect) {
        if (effect instanceof OfRun of && of.runner() == RunnerKind.TARGET) {
            target.carryOut(of);
            return;
        }
        boolean isLookedAt = effect instanceof CreateRun create
                && driver.job(create.job().value()).state() instanceof Creating creating
                && !creating.isDecided();
        if (!isLookedAt) {
            engine.carryOut(effect);
            return;
        }
        CreateRun create = (CreateRun) effect;
        Job job = driver.job(create.job().value());
        if (faults && random.nextInt(6) == 0) {
            strangers.put(create.allocation().gpus().getFirst(), new Obstacle.Foreign("process 4711 is on it"));
            String lock = random.nextInt(3) == 0 ? "bob holds the lock" : null;
            owed.addAll(driver.step(new GpusRefused(driver.now(), create.attempt(), strangers, lock, "taken"))
                    .effects());
        } else {
            engine.carryOut(create);
            owed.addAll(driver.tell(
                            job.id().value(), new GpusConfirmed(create.attempt().number()))
                    .effects());
        }
    }

    private void fillWindows() {
        for (Lane lane : driver.machine().capacity().lanes()) {
            if (driver.machine().room(lane) > 0) {
                owed.addAll(driver.readQueue(lane).effects());
            }
        }
    }

    private void restart() {
        restarts++;
        owed.clear();
        strangers.clear();
        engine.serverDied(driver.now());
        target.serverDied();
        boolean reboots = faults && random.nextInt(6) == 0;
        if (reboots) {
            engine.machineDied(driver.now());
        }
        driver = driver.again(faults ? capacity() : whole());
        Recovery plan = Recovery.plan(
                driver.machine().capacity(),
                driver.machine().live().values(),
                sightings(),
                reboots ? driver.now() : null);
        List<Effect> effects = new ArrayList<>(plan.effects());
        plan.events()
                .forEach(happening -> effects.addAll(driver.step(new JobHappening(
                                driver.now(), driver.job(happening.job().value()), happening.event()))
                        .effects()));
        fillWindows();
        carryOut(effects);
    }

    private List<Sighting> sightings() {
        return Stream.concat(engine.found().stream(), target.found().stream())
                .map(found -> new Sighting(found, driver.job(found.of().job().value())))
                .toList();
    }

    private void assertNobodyWaitsForNothing() {
        if (!driver.machine().isStarting() || driver.machine().gpus().lock() != null) {
            return;
        }
        Capacity capacity = driver.machine().capacity();
        for (Lane lane : capacity.lanes()) {
            boolean passes = capacity.order().passesPulling();
            List<Job> waiting = passes ? driver.machine().window(lane).jobs() : driver.waiting(lane);
            waiting.stream()
                    .filter(job -> !passes || Machine.hasImage(job))
                    .filter(job -> !driver.isTargetFull(job))
                    .findFirst()
                    .ifPresent(head -> {
                        boolean ready = Machine.hasImage(head)
                                && driver.machine().undecided(lane).isEmpty();
                        boolean worker = live().filter(job -> driver.machine().laneOf(job) == lane)
                                        .count()
                                < capacity.workers(lane);
                        Set<GpuId> free = capacity.gpus().stream().map(Gpu::id).collect(Collectors.toSet());
                        strangers.keySet().forEach(free::remove);
                        live().forEach(job ->
                                ((Live) job.state()).allocation().gpus().forEach(free::remove));
                        boolean gpus = lane == Lane.TARGET
                                || free.size() >= head.spec().gpus().count();
                        assertThat(ready && worker && gpus)
                                .as("job %s is first in lane %s and waits for nothing", head.id(), lane)
                                .isFalse();
                    });
        }
    }

    private Stream<Job> live() {
        return driver.stored().stream().filter(job -> job.state() instanceof Live);
    }

    /** After time has passed. */
    private void assertNobodyIsOverdue() {
        assertThat(driver.machine().live().values())
                .noneMatch(job -> job.state() instanceof Running running
                        && job.spec().timeLimit() != null
                        && !running.startedAt().plus(TIME_LIMIT).isAfter(driver.now()));
    }
}
