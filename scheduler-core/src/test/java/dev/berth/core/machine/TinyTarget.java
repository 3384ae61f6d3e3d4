package dev.berth.core.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Outcome;
import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.StateName;
import dev.berth.core.machine.Effect.AdoptRun;
import dev.berth.core.machine.Effect.CreateRun;
import dev.berth.core.machine.Effect.HoldRun;
import dev.berth.core.machine.Effect.OfRun;
import dev.berth.core.machine.Effect.ReleaseRun;
import dev.berth.core.machine.Effect.SignalRun;
import dev.berth.core.machine.Effect.StopRun;
import dev.berth.core.machine.JobEvent.HoldSeen;
import dev.berth.core.machine.JobEvent.LaunchRefused;
import dev.berth.core.machine.JobEvent.RunEnded;
import dev.berth.core.machine.JobEvent.RunExited;
import dev.berth.core.machine.JobEvent.RunGone;
import dev.berth.core.machine.JobEvent.RunHandedOver;
import dev.berth.core.machine.JobEvent.RunStarted;
import dev.berth.core.machine.JobEvent.SignalSent;
import dev.berth.core.machine.Recovery.Happening;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The smallest target that can betray a scheduler, as {@link TinyEngine} is the smallest engine: it has a queue of its own, in
 * which somebody sets jobs aside, and it outlives the server and the machine.
 */
final class TinyTarget {
    private static final int KILLED = 137;

    private enum Phase {
        ASKED,
        WAITING,
        HELD,
        ALIVE,
        OVER
    }

    /**
     * What it has of an attempt.
     *
     * @param last what there is to tell of it; null before it has begun
     */
    private record Handed(
            Phase phase, boolean stopAsked, @Nullable JobEvent last) {
        Handed in(Phase next, @Nullable JobEvent news) {
            return new Handed(next, stopAsked, news);
        }
    }

    private final SplittableRandom random;
    private final SortedMap<Attempt, Handed> jobs = new TreeMap<>();
    private final Set<Attempt> begun = new HashSet<>();
    private final List<Happening> news = new ArrayList<>();

    TinyTarget(SplittableRandom random) {
        this.random = random;
    }

    boolean isIdle() {
        return news.isEmpty() && busy().isEmpty();
    }

    boolean isEmpty() {
        return isIdle() && jobs.isEmpty();
    }

    void carryOut(OfRun effect) {
        Attempt attempt = effect.attempt();
        switch (effect) {
            case CreateRun _ -> {
                if (jobs.containsKey(attempt)) {
                    tell(attempt, new RunHandedOver(attempt.number()));
                    tellAgain(attempt);
                } else {
                    jobs.put(attempt, new Handed(Phase.ASKED, false, null));
                }
            }
            case AdoptRun _ -> tellAgain(attempt);
            case HoldRun hold ->
                jobs.computeIfPresent(
                        attempt,
                        (_, one) -> one.phase == Phase.WAITING || one.phase == Phase.HELD
                                ? one.in(hold.isHeld() ? Phase.HELD : Phase.WAITING, null)
                                : one);
            case StopRun _ -> stop(attempt);
            case SignalRun signal -> {
                if (jobs.containsKey(attempt) && jobs.get(attempt).phase == Phase.ALIVE) {
                    tell(attempt, new SignalSent(attempt.number(), signal.signal()));
                }
            }
            case ReleaseRun _ -> {
                Handed there = jobs.remove(attempt);
                assertThat(there == null || there.phase == Phase.OVER)
                        .as("the release of %s, which is %s", attempt, there)
                        .isTrue();
            }
            default -> throw new AssertionError(effect + " of a target");
        }
    }

    private void tellAgain(Attempt attempt) {
        Handed there = jobs.get(attempt);
        if (there == null) {
            tell(attempt, lost(attempt, TestJobs.STARTED));
        } else if (there.last != null) {
            tell(attempt, there.last);
        }
    }

    private void stop(Attempt attempt) {
        Handed there = jobs.get(attempt);
        if (there != null && there.phase == Phase.ALIVE) {
            jobs.put(attempt, new Handed(Phase.ALIVE, true, there.last));
        } else if (there != null && there.phase == Phase.OVER) {
            tellAgain(attempt);
        } else {
            jobs.remove(attempt);
            tell(attempt, new RunGone(attempt.number()));
        }
    }

    /** Something happens, or a piece of news comes through. */
    List<Happening> act(Instant now, boolean faults) {
        List<Attempt> busy = busy();
        int choice = random.nextInt(Math.max(1, news.size() + busy.size()));
        if (choice < news.size()) {
            boolean again = faults && random.nextInt(8) == 0;
            return List.of(again ? news.get(choice) : news.remove(choice));
        }
        if (!busy.isEmpty()) {
            advance(busy.get(choice - news.size()), now, faults ? random.nextInt(10) : -1);
        }
        return List.of();
    }

    private List<Attempt> busy() {
        return jobs.entrySet().stream()
                .filter(entry -> entry.getValue().phase != Phase.OVER)
                .map(Map.Entry::getKey)
                .toList();
    }

    private void advance(Attempt attempt, Instant now, int fault) {
        Handed there = Objects.requireNonNull(jobs.get(attempt));
        int number = attempt.number();
        switch (there.phase) {
            case ASKED -> {
                if (fault == 0) {
                    jobs.remove(attempt);
                    tell(attempt, new LaunchRefused(number, "no such partition"));
                } else {
                    now(attempt, Phase.WAITING, new RunHandedOver(number), null);
                }
            }
            case WAITING -> {
                if (fault == 0) {
                    now(attempt, Phase.HELD, new HoldSeen(number, true), null);
                } else if (fault == 1) {
                    ends(attempt, ended(attempt, StateName.CANCELLED, OutcomeReason.CANCELLED_AT_TARGET, now));
                } else {
                    assertThat(begun.add(attempt))
                            .as("%s is started once", attempt)
                            .isTrue();
                    RunStarted started = new RunStarted(number, now);
                    now(attempt, Phase.ALIVE, started, started);
                }
            }
            case HELD -> now(attempt, Phase.WAITING, new HoldSeen(number, false), null);
            case ALIVE -> goesOn(attempt, there, now, fault);
            case OVER -> throw new AssertionError(attempt);
        }
    }

    private void goesOn(Attempt attempt, Handed there, Instant now, int fault) {
        switch (fault) {
            case 0 -> ends(attempt, ended(attempt, StateName.LOST, OutcomeReason.NODE_LOST, now));
            case 1 -> ends(attempt, ended(attempt, StateName.LOST, OutcomeReason.PREEMPTED, now));
            case 2 -> ends(attempt, lost(attempt, now));
            default -> {
                if (there.stopAsked || !TinyEngine.isEndless(attempt.job())) {
                    int code = there.stopAsked ? KILLED : random.nextInt(3);
                    ends(attempt, new RunExited(attempt.number(), code, false, null, now));
                }
            }
        }
    }

    private static RunEnded lost(Attempt attempt, Instant now) {
        return ended(attempt, StateName.LOST, OutcomeReason.TARGET_LOST, now);
    }

    private static RunEnded ended(Attempt attempt, StateName state, OutcomeReason reason, Instant now) {
        return new RunEnded(attempt.number(), new Outcome(state, reason, News.TARGET_SENTENCE, null), null, now);
    }

    private void ends(Attempt attempt, JobEvent end) {
        now(attempt, Phase.OVER, end, end);
    }

    private void now(Attempt attempt, Phase phase, JobEvent told, @Nullable JobEvent last) {
        jobs.computeIfPresent(attempt, (_, one) -> one.in(phase, last));
        tell(attempt, told);
    }

    /** The server is gone, and with it what was on its way to it; a hand-over may have come to anything. */
    void serverDied() {
        news.clear();
        for (Attempt attempt : busy()) {
            Handed there = Objects.requireNonNull(jobs.get(attempt));
            if (there.phase == Phase.ASKED && random.nextBoolean()) {
                jobs.remove(attempt);
            } else if (there.phase == Phase.ASKED) {
                jobs.put(attempt, there.in(Phase.WAITING, null));
            }
        }
    }

    /** The server's own marks of what may be left at it. */
    List<Found> found() {
        return jobs.keySet().stream()
                .map(attempt -> new Found(RunnerKind.TARGET, attempt, new Found.Condition.FilesLeft(), List.of()))
                .toList();
    }

    private void tell(Attempt attempt, JobEvent event) {
        news.add(new Happening(attempt.job(), event));
    }
}
