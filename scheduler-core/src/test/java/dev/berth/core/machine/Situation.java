package dev.berth.core.machine;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.Dependency;
import dev.berth.core.job.DependencyKind;
import dev.berth.core.job.ImageState;
import dev.berth.core.job.JobState;
import dev.berth.core.job.JobState.Creating;
import dev.berth.core.job.JobState.Deferred;
import dev.berth.core.job.JobState.Dispatched;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.JobState.HandedOver;
import dev.berth.core.job.JobState.Held;
import dev.berth.core.job.JobState.Packed;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.JobState.Running;
import dev.berth.core.job.JobState.Starting;
import dev.berth.core.job.JobState.Stopping;
import dev.berth.core.job.Outcome;
import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.Signal;
import dev.berth.core.job.SignalState;
import dev.berth.core.job.StateName;
import dev.berth.core.job.StopCause;
import dev.berth.core.job.Unmet;
import java.time.Instant;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** How a job can stand, as far as an event could tell the difference: the rows of the table. */
enum Situation {
    PENDING("`QUEUED`, its image not here yet"),
    READY("`QUEUED`, its image here"),
    HELD_PENDING("`HELD`, its image not here yet"),
    HELD_READY("`HELD`, its image here"),
    DEFERRED("`QUEUED`, waiting for another job and a date"),
    DEFERRED_JOB("`QUEUED`, waiting for another job"),
    DEFERRED_DATE("`QUEUED`, waiting for a date"),
    DEFERRED_LATER("`QUEUED`, waiting for a date that has not come"),
    BROKEN("`QUEUED` with `--keep-waiting`, another job has ended otherwise than asked for"),
    HELD_DEFERRED("`HELD`, waiting for another job and a date beside that"),
    HELD_JOB("`HELD`, waiting for another job beside that"),
    HELD_DATE("`HELD`, waiting for a date beside that"),
    HELD_LATER("`HELD`, waiting for a date that has not come"),
    HELD_BROKEN("`HELD` with `--keep-waiting`, another job has ended otherwise than asked for"),
    UNDECIDED("`STARTING`, its GPUs not looked at yet"),
    CREATING("`STARTING`, its container not made yet"),
    CREATING_LAST_TRY("`STARTING`, its container not made yet, in its last attempt"),
    STARTING("`STARTING`, its container made"),
    HANDED_OVER("`QUEUED`, in the queue of its target"),
    HANDED_OVER_HELD("`HELD`, set aside in the queue of its target"),
    RUNNING("`RUNNING`"),
    SIGNALLING("`RUNNING`, a signal before its time limit owed"),
    SIGNALLED("`RUNNING`, the signal before its time limit sent"),
    CANCELLING("`STOPPING` after a cancel, not known to have started"),
    CANCELLING_STARTED("`STOPPING` after a cancel, known to have started"),
    TIMING_OUT("`STOPPING` at its time limit"),
    IDLING("`STOPPING` because it left its GPUs idle"),
    LOSING_DEVICE("`STOPPING` because its container lost its GPUs"),
    DISPATCHED("`RUNNING`, an array whose tasks have all had their turn"),
    DISPATCHED_CANCELLED("`RUNNING`, a cancelled array of whose tasks some have not ended"),
    PACKED("`QUEUED`, a task in a pack"),
    PACKED_STARTED("`RUNNING`, a task in a pack"),
    PACKED_CANCELLED("`STOPPING` after a cancel, a task in a pack, not known to have started"),
    PACKED_CANCELLED_STARTED("`STOPPING` after a cancel, a task in a pack, known to have started"),
    PACKED_LATE("`STOPPING` at its time limit, a task in a pack, not known to have started"),
    PACKED_LATE_STARTED("`STOPPING` at its time limit, a task in a pack, known to have started"),
    COMPLETED("`COMPLETED`"),
    FAILED("`FAILED`"),
    FAILED_UNSTARTED("`FAILED` before any attempt"),
    TIMEOUT("`TIMEOUT`"),
    OUT_OF_MEMORY("`OUT_OF_MEMORY`"),
    LOST("`LOST`"),
    CANCELLED("`CANCELLED`");

    /** The GPUs that a live job of the table holds. */
    static final Allocation ALLOCATION = TestJobs.allocation(1, 3);

    /** The signal that a job of the table has before its time limit. */
    static final Signal SIGNAL = Signal.USR1;

    /** When its program starts, where it does. */
    static final Instant STARTED = TestJobs.STARTED;

    /** When its program ends, where it does. */
    static final Instant ENDED = STARTED.plusSeconds(600);

    /** When the event comes in. */
    static final Instant NOW = STARTED.plusSeconds(1200);

    private static final Unmet UNMET_JOB = new Unmet(
            null, new TreeSet<>(Set.of(new Dependency(DependencyKind.AFTER_OK, News.OTHER))), new TreeSet<>());
    private static final Unmet UNMET_DATE = new Unmet(NOW, new TreeSet<>(), new TreeSet<>());
    private static final Unmet UNMET = new Unmet(NOW, UNMET_JOB.pending(), new TreeSet<>());

    private static final Unmet UNMET_LATER = new Unmet(NOW.plusSeconds(1), new TreeSet<>(), new TreeSet<>());
    private static final Unmet UNMET_BROKEN = new Unmet(null, new TreeSet<>(), UNMET_JOB.pending());

    private static final Finished CANCELLED_REST = new Finished(
            1,
            null,
            NOW,
            new Outcome(StateName.CANCELLED, OutcomeReason.CANCELLED_BY_USER, "cancelled by " + News.CANCELLER, null));

    static final String IDLE_SENTENCE = "its GPUs were idle for 1h";
    static final String LOST_SENTENCE = "its container lost its GPUs";

    private final String label;

    Situation(String label) {
        this.label = label;
    }

    String label() {
        return label;
    }

    /** The attempt a job in this situation is at; the second where it does not matter, so that there is an older one. */
    int attempt() {
        return switch (this) {
            case CREATING_LAST_TRY -> JobMoves.MAX_ATTEMPTS;
            case PACKED, PACKED_STARTED, PACKED_CANCELLED, PACKED_CANCELLED_STARTED, PACKED_LATE, PACKED_LATE_STARTED ->
                1;
            case FAILED_UNSTARTED -> 0;
            default -> 2;
        };
    }

    JobState state() {
        return state(attempt());
    }

    JobState state(int attempt) {
        return state(attempt, ALLOCATION);
    }

    /** The state of a job that holds these GPUs, as far as it holds any in this situation. */
    JobState state(int attempt, Allocation allocation) {
        return switch (this) {
            case PENDING -> new Queued(attempt, new ImageState.Pending());
            case READY -> new Queued(attempt, new ImageState.Ready(TestJobs.IMAGE_ID));
            case HELD_PENDING -> new Held(attempt, new ImageState.Pending(), News.CANCELLER, NOW);
            case HELD_READY -> new Held(attempt, new ImageState.Ready(TestJobs.IMAGE_ID), News.CANCELLER, NOW);
            case DEFERRED -> new Deferred(attempt, UNMET);
            case DEFERRED_JOB -> new Deferred(attempt, UNMET_JOB);
            case DEFERRED_DATE -> new Deferred(attempt, UNMET_DATE);
            case DEFERRED_LATER -> new Deferred(attempt, UNMET_LATER);
            case BROKEN -> new Deferred(attempt, UNMET_BROKEN);
            case HELD_DEFERRED -> held(attempt, UNMET);
            case HELD_JOB -> held(attempt, UNMET_JOB);
            case HELD_DATE -> held(attempt, UNMET_DATE);
            case HELD_LATER -> held(attempt, UNMET_LATER);
            case HELD_BROKEN -> held(attempt, UNMET_BROKEN);
            case UNDECIDED -> new Creating(attempt, TestJobs.IMAGE_ID, allocation, false);
            case CREATING, CREATING_LAST_TRY -> new Creating(attempt, TestJobs.IMAGE_ID, allocation, true);
            case STARTING -> new Starting(attempt, TestJobs.IMAGE_ID, allocation, TestJobs.ENGINE);
            case HANDED_OVER -> new HandedOver(attempt, false);
            case HANDED_OVER_HELD -> new HandedOver(attempt, true);
            case RUNNING -> new Running(attempt, allocation, STARTED);
            case SIGNALLING -> new Running(attempt, allocation, STARTED).with(SignalState.DUE);
            case SIGNALLED -> new Running(attempt, allocation, STARTED).with(SignalState.SENT);
            case CANCELLING -> stopping(attempt, allocation, null, new StopCause.Cancelled(News.CANCELLER));
            case CANCELLING_STARTED -> stopping(attempt, allocation, STARTED, new StopCause.Cancelled(News.CANCELLER));
            case TIMING_OUT -> stopping(attempt, allocation, STARTED, new StopCause.TimeLimit());
            case IDLING -> stopping(attempt, allocation, STARTED, new StopCause.Idle(IDLE_SENTENCE));
            case LOSING_DEVICE -> stopping(attempt, allocation, STARTED, new StopCause.DeviceLost(LOST_SENTENCE));
            case DISPATCHED -> new Dispatched(attempt, null);
            case DISPATCHED_CANCELLED -> new Dispatched(attempt, CANCELLED_REST);
            case PACKED -> Packed.WAITING;
            case PACKED_STARTED -> new Packed(STARTED, null);
            case PACKED_CANCELLED -> new Packed(null, new StopCause.Cancelled(News.CANCELLER));
            case PACKED_CANCELLED_STARTED -> new Packed(STARTED, new StopCause.Cancelled(News.CANCELLER));
            case PACKED_LATE -> new Packed(null, new StopCause.TimeLimit());
            case PACKED_LATE_STARTED -> new Packed(STARTED, new StopCause.TimeLimit());
            case COMPLETED -> finished(attempt, StateName.COMPLETED, OutcomeReason.EXITED);
            case FAILED -> finished(attempt, StateName.FAILED, OutcomeReason.EXITED_NONZERO);
            case FAILED_UNSTARTED -> finished(attempt, StateName.FAILED, OutcomeReason.NEVER_FITS);
            case TIMEOUT -> finished(attempt, StateName.TIMEOUT, OutcomeReason.TIME_LIMIT);
            case OUT_OF_MEMORY -> finished(attempt, StateName.OUT_OF_MEMORY, OutcomeReason.OUT_OF_MEMORY);
            case LOST -> finished(attempt, StateName.LOST, OutcomeReason.CONTAINER_LOST);
            case CANCELLED -> finished(attempt, StateName.CANCELLED, OutcomeReason.CANCELLED_BY_USER);
        };
    }

    private static Held held(int attempt, Unmet unmet) {
        return new Held(attempt, new ImageState.Pending(), unmet, News.CANCELLER, NOW);
    }

    /** Whether its job is at a target, and holds nothing of the machine. */
    boolean isAtTarget() {
        return state() instanceof HandedOver;
    }

    static Set<Situation> ended() {
        return Arrays.stream(values())
                .filter(situation -> situation.state().name().isFinal())
                .collect(Collectors.toUnmodifiableSet());
    }

    private static Stopping stopping(int attempt, Allocation allocation, @Nullable Instant startedAt, StopCause cause) {
        return new Stopping(attempt, allocation, startedAt, cause);
    }

    private static Finished finished(int attempt, StateName name, OutcomeReason reason) {
        return new Finished(attempt, null, ENDED, new Outcome(name, reason, "it is over", null));
    }
}
