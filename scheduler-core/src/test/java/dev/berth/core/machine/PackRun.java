package dev.berth.core.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState.Creating;
import dev.berth.core.job.JobState.Dispatched;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.JobState.Packed;
import dev.berth.core.job.JobState.Stopping;
import dev.berth.core.job.Packing;
import dev.berth.core.job.Retry;
import dev.berth.core.job.RetryCauses;
import dev.berth.core.job.RetryDelay;
import dev.berth.core.job.StopCause;
import dev.berth.core.job.TaskSet;
import dev.berth.core.job.Tasks;
import dev.berth.core.machine.Effect.AbandonImage;
import dev.berth.core.machine.Effect.CreateRun;
import dev.berth.core.machine.Effect.FetchImage;
import dev.berth.core.machine.Effect.ReadPack;
import dev.berth.core.machine.Effect.ReleaseRun;
import dev.berth.core.machine.Effect.StartRun;
import dev.berth.core.machine.Effect.StopRun;
import dev.berth.core.machine.Effect.StopTask;
import dev.berth.core.machine.Input.JobHappening;
import dev.berth.core.machine.JobEvent.CancelRequested;
import dev.berth.core.machine.JobEvent.HoldRequested;
import dev.berth.core.machine.JobEvent.ReleaseRequested;
import dev.berth.core.machine.JobEvent.Request;
import dev.berth.core.machine.Recovery.Happening;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Arrays with packs under submits, requests, faults, restarts and reboots, all of them by one seed. */
final class PackRun {
    private static final int GPUS = 4;
    private static final int MAX_ARRAYS = 6;

    private final SplittableRandom random;
    private final PackEngine engine;
    private final Deque<Effect> owed = new ArrayDeque<>();
    private final Set<JobId> fetches = new TreeSet<>();
    private final List<JobId> arrays = new ArrayList<>();
    private TestScheduler driver = TestScheduler.on(Capacities.gpus(GPUS));
    private boolean faults = true;

    PackRun(long seed) {
        random = new SplittableRandom(seed);
        engine = new PackEngine(random.split());
    }

    /** How many programs were begun. */
    int starts() {
        return engine.starts();
    }

    void step() {
        switch (random.nextInt(24)) {
            case 0, 1 -> submit();
            case 2 -> ask(request());
            case 3, 4 -> askTask(request());
            case 5 -> carryOut(driver.submit(TestJobs.spec(1)).effects());
            case 6 -> {
                if (random.nextInt(5) == 0) {
                    restart();
                }
            }
            case 7, 8 -> imageArrives();
            default -> hear(engine.act(driver.now(), faults));
        }
        assertLaws();
    }

    private void submit() {
        if (arrays.size() < MAX_ARRAYS) {
            int size = 1 + random.nextInt(5);
            int parallel = 1 + random.nextInt(size);
            int throttle = random.nextBoolean() ? 0 : parallel + random.nextInt(3);
            String text = (random.nextBoolean() ? "0-" : "2,5-") + (6 + random.nextInt(8));
            Tasks tasks = new Tasks(TaskSet.parse(text), throttle, new Packing(size, parallel));
            arrays.add(new JobId(driver.machine().lastId() + 1));
            carryOut(driver.submit(each().with(tasks)).effects());
        }
    }

    private JobSpec each() {
        JobSpec plain = TestJobs.spec(1 + random.nextInt(2));
        JobSpec maybe = random.nextBoolean() ? plain : TestJobs.requeued(plain);
        boolean isRetried = random.nextInt(3) == 0;
        return isRetried ? maybe.with(new Retry(1, RetryCauses.USUAL, RetryDelay.NONE, random.nextBoolean())) : maybe;
    }

    private Request request() {
        return switch (random.nextInt(6)) {
            case 0 -> new HoldRequested("grace");
            case 1, 2, 3 -> new ReleaseRequested("grace");
            default -> new CancelRequested("grace");
        };
    }

    /** As the loop does: the packs are asked before the tasks. */
    private void ask(Request request) {
        if (arrays.isEmpty() || (request instanceof CancelRequested && random.nextInt(3) > 0)) {
            return;
        }
        JobId array = arrays.get(random.nextInt(arrays.size()));
        List<Effect> effects =
                new ArrayList<>(driver.tell(array.value(), request).effects());
        List<Job> parts =
                parts(array).filter(part -> !(part.state() instanceof Finished)).toList();
        Stream.concat(parts.stream().filter(Job::isPack), parts.stream().filter(part -> !part.isPack()))
                .forEach(part ->
                        effects.addAll(driver.tell(part.id().value(), request).effects()));
        carryOut(effects);
    }

    private void askTask(Request request) {
        if (!arrays.isEmpty()) {
            JobId array = arrays.get(random.nextInt(arrays.size()));
            TaskSet all = tasks(array).all();
            carryOut(driver.tellTask(array.value(), all.at(random.nextInt(all.size())), request)
                    .effects());
        }
    }

    private Tasks tasks(JobId array) {
        return Objects.requireNonNull(driver.job(array.value()).spec().tasks());
    }

    private Stream<Job> parts(JobId array) {
        return List.copyOf(driver.stored()).stream().filter(job -> array.equals(job.arrayOfTurn()));
    }

    private void imageArrives() {
        if (!fetches.isEmpty()) {
            List<JobId> wanted = List.copyOf(fetches);
            JobId job = wanted.get(random.nextInt(wanted.size()));
            fetches.remove(job);
            carryOut(driver.imageArrives(job.value()).effects());
        }
    }

    private void hear(List<Happening> news) {
        for (Happening happening : news) {
            carryOut(driver.tell(happening.job().value(), happening.event()).effects());
        }
    }

    private void carryOut(List<Effect> effects) {
        owed.addAll(effects);
        while (!owed.isEmpty()) {
            if (faults && random.nextInt(150) == 0) {
                restart();
                return;
            }
            perform(owed.removeFirst());
        }
    }

    private void perform(Effect effect) {
        switch (effect) {
            case FetchImage fetch -> fetches.add(fetch.job());
            case AbandonImage abandon -> fetches.remove(abandon.job());
            case CreateRun create -> create(create);
            case StartRun start -> engine.start(start.attempt(), driver.now());
            case StopRun stop -> engine.stop(stop.attempt());
            case StopTask stop -> engine.stop(stop.attempt(), stop.task());
            case ReadPack read -> read(read);
            case ReleaseRun release -> engine.release(release.attempt());
            case Effect.AdoptRun _ -> {}
            case Effect.SignalRun _, Effect.HoldRun _, Effect.SweepRun _, Effect.CleanGpus _ ->
                throw new AssertionError(effect);
        }
    }

    /** A container has those tasks of its pack that have not ended. */
    private void create(CreateRun create) {
        Job job = driver.job(create.job().value());
        if (job.state() instanceof Creating) {
            List<JobId> tasks = job.isPack()
                    ? driver.inPack(job.id().value()).stream().map(Job::id).toList()
                    : List.of(job.id());
            engine.create(job, create.allocation().gpus(), tasks, faults);
        }
    }

    private void read(ReadPack read) {
        boolean isKnown = engine.isThere(read.attempt());
        for (Happening happening : engine.read(read.attempt(), driver.now())) {
            owed.addAll(driver.tell(happening.job().value(), happening.event()).effects());
        }
        owed.addAll(driver.released(read.job().value(), isKnown).effects());
    }

    private void restart() {
        owed.clear();
        fetches.clear();
        engine.serverDied();
        boolean reboots = faults && random.nextInt(4) == 0;
        if (reboots) {
            engine.machineDied(driver.now());
        }
        driver = driver.again(Capacities.gpus(GPUS));
        Recovery plan = Recovery.plan(
                driver.machine().capacity(),
                driver.machine().live().values(),
                sightings(),
                reboots ? driver.now() : null);
        List<Effect> effects = new ArrayList<>();
        plan.events()
                .forEach(happening -> effects.addAll(driver.step(new JobHappening(
                                driver.now(), driver.job(happening.job().value()), happening.event()))
                        .effects()));
        effects.addAll(0, plan.effects());
        effects.addAll(owedToPacks());
        for (Lane lane : driver.machine().capacity().lanes()) {
            effects.addAll(driver.readQueue(lane).effects());
        }
        carryOut(effects);
    }

    private List<Sighting> sightings() {
        return engine.found().stream()
                .map(found -> new Sighting(found, driver.job(found.of().job().value())))
                .toList();
    }

    /** As the loop does at its start. */
    private List<Effect> owedToPacks() {
        List<Effect> effects = new ArrayList<>();
        for (Job task : List.copyOf(driver.stored())) {
            if (task.state() instanceof Packed packed) {
                Job pack = driver.job(task.pack().value());
                if (pack.state() instanceof Finished) {
                    effects.add(new ReadPack(pack));
                } else if (packed.stop() instanceof StopCause.Cancelled && !(pack.state() instanceof Stopping)) {
                    effects.add(new StopTask(pack, task));
                }
            }
        }
        return effects;
    }

    private void assertLaws() {
        for (JobId task : engine.running()) {
            Job job = driver.job(task.value());
            assertThat(job.state() instanceof Finished && job.state().startedAt() == null)
                    .as("job %s runs and is said never to have begun: %s", job.number(), job.state())
                    .isFalse();
        }
        for (JobId array : arrays) {
            int most = tasks(array).atOnce();
            long running = engine.running().stream()
                    .filter(task -> array.equals(driver.job(task.value()).array()))
                    .count();
            assertThat(running)
                    .as("tasks of array %s that run at the same time", array)
                    .isLessThanOrEqualTo(most == 0 ? Long.MAX_VALUE : most);
            boolean isOpen = parts(array).anyMatch(part -> !part.isPack() && !(part.state() instanceof Finished));
            boolean isEnded = driver.job(array.value()).state() instanceof Finished;
            assertThat(isOpen && isEnded)
                    .as("array %s has ended before its tasks", array)
                    .isFalse();
            boolean isDispatched = driver.job(array.value()).state() instanceof Dispatched;
            assertThat(isDispatched && !isOpen)
                    .as("array %s goes on without tasks", array)
                    .isFalse();
        }
    }

    /** From here on nothing goes wrong any more, so everything has to come to its end. */
    void endWithoutFaults() {
        faults = false;
        restart();
        for (Job job : List.copyOf(driver.stored())) {
            carryOut(driver.release(job.id().value()).effects());
        }
        for (int left = 20_000; left > 0 && !(engine.isIdle() && fetches.isEmpty()); left--) {
            imageArrives();
            hear(engine.act(driver.now(), false));
            assertLaws();
        }
        assertThat(driver.stored())
                .allSatisfy(job -> assertThat(job.state()).as(job.number()).isInstanceOf(Finished.class));
        for (JobId array : arrays) {
            long known = parts(array).filter(part -> !part.isPack()).count();
            assertThat(known + driver.job(array.value()).waiting().size())
                    .as("tasks of array %s", array)
                    .isEqualTo(tasks(array).all().size());
        }
        assertThat(engine.found()).as("no container is left over").isEmpty();
    }
}
