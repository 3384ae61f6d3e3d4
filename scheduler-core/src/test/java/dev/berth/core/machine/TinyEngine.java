package dev.berth.core.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.JobId;
import dev.berth.core.machine.Effect.AbandonImage;
import dev.berth.core.machine.Effect.AdoptRun;
import dev.berth.core.machine.Effect.CreateRun;
import dev.berth.core.machine.Effect.FetchImage;
import dev.berth.core.machine.Effect.ReleaseRun;
import dev.berth.core.machine.Effect.SignalRun;
import dev.berth.core.machine.Effect.StartRun;
import dev.berth.core.machine.Effect.StopRun;
import dev.berth.core.machine.Effect.StopTask;
import dev.berth.core.machine.Effect.SweepRun;
import dev.berth.core.machine.Found.Condition;
import dev.berth.core.machine.JobEvent.EngineStopped;
import dev.berth.core.machine.JobEvent.ImageArrived;
import dev.berth.core.machine.JobEvent.ImageRefused;
import dev.berth.core.machine.JobEvent.ImageVanished;
import dev.berth.core.machine.JobEvent.LaunchPutOff;
import dev.berth.core.machine.JobEvent.LaunchRefused;
import dev.berth.core.machine.JobEvent.RunCreated;
import dev.berth.core.machine.JobEvent.RunExited;
import dev.berth.core.machine.JobEvent.RunGone;
import dev.berth.core.machine.JobEvent.RunStarted;
import dev.berth.core.machine.JobEvent.SignalSent;
import dev.berth.core.machine.Recovery.Happening;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The smallest engine that can betray a scheduler: it owes an answer to every effect, gives it when chance wants, in any
 * order and sometimes twice. It knows what really runs and fails as soon as a law is broken.
 */
final class TinyEngine {
    private static final int KILLED = 137;

    private enum Phase {
        CREATING,
        CREATED,
        LAUNCHING,
        ALIVE,
        EXITED
    }

    private record Container(Phase phase, Allocation allocation, boolean stopAsked, Condition condition) {
        Container in(Phase next, Condition found) {
            return new Container(next, allocation, stopAsked, found);
        }

        Container asked(boolean stop) {
            return new Container(phase, allocation, stop, condition);
        }
    }

    private final SplittableRandom random;
    private final SortedMap<Attempt, Container> containers = new TreeMap<>();
    private final Set<JobId> fetches = new TreeSet<>();
    private final Set<JobId> begun = new TreeSet<>();
    private final List<Happening> news = new ArrayList<>();

    TinyEngine(SplittableRandom random) {
        this.random = random;
    }

    /** Whether a job's program ends only when it is stopped. */
    static boolean isEndless(JobId job) {
        return job.value() % 5 == 0;
    }

    boolean isIdle() {
        return news.isEmpty() && fetches.isEmpty() && busy().isEmpty();
    }

    boolean isEmpty() {
        return isIdle() && containers.isEmpty();
    }

    void carryOut(Effect effect) {
        switch (effect) {
            case FetchImage fetch -> fetches.add(fetch.job());
            case AbandonImage abandon -> fetches.remove(abandon.job());
            case CreateRun create -> create(create.attempt(), create.allocation());
            case StartRun start -> launch(start.attempt());
            case StopRun stop -> stop(stop.attempt());
            case SignalRun signal -> signal(signal);
            case Effect.HoldRun hold -> throw new AssertionError(hold + ": it is no target");
            case StopTask stop -> throw new AssertionError("no array here is packed: " + stop);
            case Effect.ReadPack read -> throw new AssertionError("no array here is packed: " + read);
            case AdoptRun adopt ->
                assertThat(containers.get(adopt.attempt()))
                        .as("%s", adopt)
                        .matches(container -> container.phase == Phase.ALIVE);
            case ReleaseRun release -> release(release.attempt());
            case Effect.CleanGpus clean -> throw new AssertionError(clean + ": nobody looks at these GPUs");
            case SweepRun sweep -> throw new AssertionError(sweep + ": every container has a job");
        }
    }

    private void create(Attempt attempt, Allocation allocation) {
        Container there = containers.get(attempt);
        assertThat(there == null || there.phase == Phase.CREATED)
                .as("the creation of %s, which is %s", attempt, there)
                .isTrue();
        containers.put(attempt, new Container(Phase.CREATING, allocation, false, new Condition.Created()));
    }

    private void launch(Attempt attempt) {
        Container there = containers.get(attempt);
        if (there == null) {
            tell(attempt, new RunGone(attempt.number()));
            return;
        }
        assertThat(there.phase).as("the launch of %s", attempt).isEqualTo(Phase.CREATED);
        containers.put(attempt, there.in(Phase.LAUNCHING, there.condition));
    }

    private void stop(Attempt attempt) {
        Container there = containers.get(attempt);
        if (there == null || there.phase == Phase.CREATED || there.phase == Phase.CREATING) {
            containers.remove(attempt);
            tell(attempt, new RunGone(attempt.number()));
        } else {
            containers.put(attempt, there.asked(true));
        }
    }

    /** A program takes note of it, and goes on. */
    private void signal(SignalRun signal) {
        Container there = containers.get(signal.attempt());
        if (there != null && there.phase == Phase.ALIVE) {
            assertThat(there.stopAsked).as("%s behind its stop", signal).isFalse();
            tell(signal.attempt(), new SignalSent(signal.attempt().number(), signal.signal()));
        }
    }

    private void release(Attempt attempt) {
        Container there = containers.remove(attempt);
        assertThat(there == null || there.phase == Phase.EXITED || there.phase == Phase.CREATED)
                .as("the release of %s, which is %s", attempt, there)
                .isTrue();
    }

    /** Something happens: an image, a launch, a program's end, or a piece of news comes through. */
    List<Happening> act(Instant now, boolean faults) {
        List<Attempt> busy = busy();
        int choice = random.nextInt(Math.max(1, news.size() + fetches.size() + busy.size()));
        if (choice < news.size()) {
            boolean again = faults && random.nextInt(8) == 0;
            return List.of(again ? news.get(choice) : news.remove(choice));
        }
        choice -= news.size();
        if (choice < fetches.size()) {
            answerFetch(List.copyOf(fetches).get(choice), faults);
        } else if (!busy.isEmpty()) {
            advance(busy.get(choice - fetches.size()), now, faults);
        }
        return List.of();
    }

    private List<Attempt> busy() {
        return containers.entrySet().stream()
                .filter(entry -> entry.getValue().phase != Phase.CREATED && entry.getValue().phase != Phase.EXITED)
                .map(Map.Entry::getKey)
                .toList();
    }

    private void answerFetch(JobId job, boolean faults) {
        fetches.remove(job);
        boolean refused = faults && random.nextInt(20) == 0;
        news.add(new Happening(job, refused ? new ImageRefused("no such image") : new ImageArrived(TestJobs.IMAGE_ID)));
    }

    private void advance(Attempt attempt, Instant now, boolean faults) {
        Container container = containers.getOrDefault(attempt, nothing());
        int fault = faults ? random.nextInt(12) : -1;
        if (container.phase == Phase.CREATING && fault == 0) {
            containers.remove(attempt);
            tell(attempt, new LaunchRefused(attempt.number(), "no such attempt"));
        } else if (container.phase == Phase.CREATING && fault == 1) {
            containers.remove(attempt);
            tell(attempt, new ImageVanished(attempt.number()));
        } else if (container.phase == Phase.CREATING && fault == 2) {
            containers.remove(attempt);
            tell(attempt, new LaunchPutOff(attempt.number(), "its disk is full"));
        } else if (container.phase == Phase.CREATING) {
            containers.put(attempt, container.in(Phase.CREATED, container.condition));
            tell(attempt, new RunCreated(attempt.number(), TestJobs.ENGINE));
        } else if (container.phase == Phase.LAUNCHING && fault == 0) {
            containers.remove(attempt);
            tell(attempt, new LaunchRefused(attempt.number(), "no such device"));
        } else if (container.phase == Phase.LAUNCHING) {
            begin(attempt, container, now);
            tell(attempt, new RunStarted(attempt.number(), now));
        } else if (fault == 0) {
            containers.remove(attempt);
            tell(attempt, new RunGone(attempt.number()));
        } else if (container.stopAsked || (!isEndless(attempt.job()) && (!faults || random.nextInt(3) == 0))) {
            boolean outOfMemory = fault == 1;
            int code = container.stopAsked || outOfMemory ? KILLED : random.nextInt(3);
            containers.put(attempt, container.in(Phase.EXITED, new Condition.Exited(code, outOfMemory, null, now)));
            tell(
                    attempt,
                    fault == 2
                            ? new EngineStopped(attempt.number(), code, now)
                            : new RunExited(attempt.number(), code, outOfMemory, null, now));
        }
    }

    private void begin(Attempt attempt, Container container, Instant now) {
        assertThat(begun.add(attempt.job()))
                .as("the program of job %s is started once", attempt.job())
                .isTrue();
        for (GpuId gpu : container.allocation.gpus()) {
            assertThat(containers.values())
                    .as("who is on %s when job %s comes", gpu, attempt.job())
                    .noneMatch(other -> other.phase == Phase.ALIVE
                            && other.allocation.gpus().contains(gpu));
        }
        containers.put(attempt, container.in(Phase.ALIVE, new Condition.Alive(now)));
    }

    /**
     * The server is gone: so is everything that was on its way to it, and every stop that it was about. A launch may have
     * come to anything.
     */
    void serverDied(Instant now) {
        news.clear();
        fetches.clear();
        for (Attempt attempt : busy()) {
            Container container = containers.getOrDefault(attempt, nothing());
            if (container.phase == Phase.ALIVE) {
                containers.put(attempt, container.asked(false));
            } else if (container.phase == Phase.CREATING && random.nextBoolean()) {
                containers.remove(attempt);
            } else if (container.phase == Phase.CREATING || random.nextBoolean()) {
                containers.put(attempt, container.in(Phase.CREATED, new Condition.Created()));
            } else {
                begin(attempt, container, now);
            }
        }
    }

    /** The machine goes down and comes up again: nothing runs any more, and nobody knows how it ended. */
    void machineDied(Instant now) {
        for (Attempt attempt : busy()) {
            Container container = containers.getOrDefault(attempt, nothing());
            containers.put(attempt, container.in(Phase.EXITED, new Condition.Exited(255, false, null, now)));
        }
    }

    List<Found> found() {
        return containers.entrySet().stream()
                .map(entry -> new Found(
                        RunnerKind.CONTAINER,
                        entry.getKey(),
                        entry.getValue().condition,
                        entry.getValue().allocation.gpus()))
                .toList();
    }

    private void tell(Attempt attempt, JobEvent event) {
        news.add(new Happening(attempt.job(), event));
    }

    private static Container nothing() {
        return new Container(Phase.CREATED, Allocation.NONE, false, new Condition.Created());
    }
}
