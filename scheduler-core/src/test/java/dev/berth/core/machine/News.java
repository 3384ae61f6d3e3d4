package dev.berth.core.machine;

import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.Outcome;
import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.StateName;
import dev.berth.core.machine.JobEvent.Allocated;
import dev.berth.core.machine.JobEvent.ArrayEnded;
import dev.berth.core.machine.JobEvent.BeginReached;
import dev.berth.core.machine.JobEvent.CancelRequested;
import dev.berth.core.machine.JobEvent.DependenciesHandedOver;
import dev.berth.core.machine.JobEvent.DependencyEnded;
import dev.berth.core.machine.JobEvent.DeviceLost;
import dev.berth.core.machine.JobEvent.EngineStopped;
import dev.berth.core.machine.JobEvent.FoundTooLarge;
import dev.berth.core.machine.JobEvent.GpusConfirmed;
import dev.berth.core.machine.JobEvent.GpusTaken;
import dev.berth.core.machine.JobEvent.GpusWithdrawn;
import dev.berth.core.machine.JobEvent.HoldRequested;
import dev.berth.core.machine.JobEvent.HoldSeen;
import dev.berth.core.machine.JobEvent.IdleTimeoutReached;
import dev.berth.core.machine.JobEvent.ImageArrived;
import dev.berth.core.machine.JobEvent.ImageRefused;
import dev.berth.core.machine.JobEvent.ImageVanished;
import dev.berth.core.machine.JobEvent.LaunchPutOff;
import dev.berth.core.machine.JobEvent.LaunchRefused;
import dev.berth.core.machine.JobEvent.MachineRebooted;
import dev.berth.core.machine.JobEvent.PackEnded;
import dev.berth.core.machine.JobEvent.ReleaseRequested;
import dev.berth.core.machine.JobEvent.RunCreated;
import dev.berth.core.machine.JobEvent.RunEnded;
import dev.berth.core.machine.JobEvent.RunExited;
import dev.berth.core.machine.JobEvent.RunGone;
import dev.berth.core.machine.JobEvent.RunHandedOver;
import dev.berth.core.machine.JobEvent.RunStarted;
import dev.berth.core.machine.JobEvent.SignalDue;
import dev.berth.core.machine.JobEvent.SignalSent;
import dev.berth.core.machine.JobEvent.StartLost;
import dev.berth.core.machine.JobEvent.TasksTold;
import dev.berth.core.machine.JobEvent.TimeLimitReached;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What can happen to a job, as far as a state could tell the difference: the columns of the table. */
enum News {
    DEPENDENCY_MET("DependencyEnded, as asked for"),
    DEPENDENCY_BROKEN("DependencyEnded, otherwise, without `--keep-waiting`"),
    DEPENDENCIES_HANDED_OVER("DependenciesHandedOver"),
    BEGIN_REACHED("BeginReached"),
    IMAGE_ARRIVED("ImageArrived"),
    IMAGE_REFUSED("ImageRefused"),
    ALLOCATED("Allocated"),
    FOUND_TOO_LARGE("FoundTooLarge"),
    TASKS_COMPLETED("ArrayEnded, all tasks `COMPLETED`"),
    TASKS_CANCELLED("ArrayEnded, the tasks `COMPLETED` or `CANCELLED`"),
    TASKS_FAILED("ArrayEnded, some tasks otherwise"),
    CANCEL_REQUESTED("CancelRequested"),
    HOLD_REQUESTED("HoldRequested"),
    RELEASE_REQUESTED("ReleaseRequested"),
    CONTAINER_CREATED("ContainerCreated"),
    GPUS_CONFIRMED("GpusConfirmed"),
    GPUS_TAKEN("GpusTaken"),
    HANDED_OVER("HandedOver"),
    HOLD_SEEN("HoldSeen, set aside"),
    RELEASE_SEEN("HoldSeen, let go on"),
    CONTAINER_STARTED("ContainerStarted"),
    LAUNCH_REFUSED("LaunchRefused"),
    IMAGE_VANISHED("ImageVanished"),
    LAUNCH_PUT_OFF("LaunchPutOff"),
    GPUS_WITHDRAWN("GpusWithdrawn"),
    EXITED_ZERO("ContainerExited, code 0"),
    EXITED_NONZERO("ContainerExited, code 3"),
    EXITED_BY_SIGNAL("ContainerExited, code 137"),
    EXITED_OUT_OF_MEMORY("ContainerExited, out of memory"),
    EXITED_TIMED("ContainerExited, and when it began"),
    NODE_LOST("TargetEnded, its node was lost"),
    PREEMPTED("TargetEnded, its resources were taken away"),
    CANCELLED_AT_TARGET("TargetEnded, cancelled there"),
    TARGET_LOST("TargetEnded, nobody saw how"),
    START_LOST("StartLost"),
    CONTAINER_GONE("ContainerGone"),
    MACHINE_REBOOTED("MachineRebooted"),
    ENGINE_STOPPED("EngineStopped"),
    DEVICE_LOST("DeviceLost"),
    IDLE_TIMEOUT_REACHED("IdleTimeoutReached"),
    TIME_LIMIT_REACHED("TimeLimitReached"),
    SIGNAL_DUE("SignalDue"),
    SIGNAL_SENT("SignalSent"),
    PACK_COMPLETED("PackEnded, `COMPLETED`"),
    PACK_FAILED("PackEnded, `FAILED` once a task had begun"),
    PACK_TIMED_OUT("PackEnded, `TIMEOUT` once a task had begun"),
    PACK_UNBEGUN("PackEnded, `FAILED` before any task had begun"),
    PACK_REFUSED("PackEnded, `FAILED` as it could not be started"),
    PACK_CANCELLED("PackEnded, `CANCELLED`"),
    PACK_REBOOTED("PackEnded, `LOST` as the machine was restarted"),
    PACK_GONE("PackEnded, `LOST` with all its files"),
    TASKS_TOLD("TasksTold");

    static final String CANCELLER = "grace";

    /** What is said of a pack's end. */
    static final String PACK_SENTENCE = "it is over";

    /** What a target says of an end that its engine brought about. */
    static final String TARGET_SENTENCE = "the target's engine ended it";

    /** The job that others wait for. */
    static final JobId OTHER = new JobId(5);

    private final String label;

    News(String label) {
        this.label = label;
    }

    private static ArrayEnded tasks(Map<StateName, Long> tasks) {
        return new ArrayEnded(new TreeMap<>(tasks));
    }

    String label() {
        return label;
    }

    JobEvent about(int attempt) {
        return switch (this) {
            case DEPENDENCY_MET -> new DependencyEnded(OTHER, StateName.COMPLETED);
            case DEPENDENCY_BROKEN -> new DependencyEnded(OTHER, StateName.FAILED);
            case DEPENDENCIES_HANDED_OVER -> new DependenciesHandedOver();
            case BEGIN_REACHED -> new BeginReached();
            case IMAGE_ARRIVED -> new ImageArrived(TestJobs.IMAGE_ID);
            case IMAGE_REFUSED -> new ImageRefused("no such image");
            case ALLOCATED -> new Allocated(attempt, Situation.ALLOCATION);
            case FOUND_TOO_LARGE -> new FoundTooLarge("it asks for too much");
            case TASKS_COMPLETED -> tasks(Map.of(StateName.COMPLETED, 3L));
            case TASKS_CANCELLED -> tasks(Map.of(StateName.COMPLETED, 2L, StateName.CANCELLED, 1L));
            case TASKS_FAILED -> tasks(Map.of(StateName.COMPLETED, 1L, StateName.FAILED, 1L, StateName.LOST, 1L));
            case CANCEL_REQUESTED -> new CancelRequested(CANCELLER);
            case HOLD_REQUESTED -> new HoldRequested(CANCELLER);
            case RELEASE_REQUESTED -> new ReleaseRequested(CANCELLER);
            case CONTAINER_CREATED -> new RunCreated(attempt, TestJobs.ENGINE);
            case GPUS_CONFIRMED -> new GpusConfirmed(attempt);
            case GPUS_TAKEN -> new GpusTaken(attempt, "a container that no job owns runs on them");
            case HANDED_OVER -> new RunHandedOver(attempt);
            case HOLD_SEEN -> new HoldSeen(attempt, true);
            case RELEASE_SEEN -> new HoldSeen(attempt, false);
            case CONTAINER_STARTED -> new RunStarted(attempt, Situation.STARTED);
            case LAUNCH_REFUSED -> new LaunchRefused(attempt, "no such device");
            case IMAGE_VANISHED -> new ImageVanished(attempt);
            case LAUNCH_PUT_OFF -> new LaunchPutOff(attempt, "its disk is full");
            case GPUS_WITHDRAWN -> new GpusWithdrawn(attempt);
            case EXITED_ZERO -> new RunExited(attempt, 0, false, null, Situation.ENDED);
            case EXITED_NONZERO -> new RunExited(attempt, 3, false, null, Situation.ENDED);
            case EXITED_BY_SIGNAL -> new RunExited(attempt, 137, false, null, Situation.ENDED);
            case EXITED_OUT_OF_MEMORY -> new RunExited(attempt, 137, true, null, Situation.ENDED);
            case EXITED_TIMED -> new RunExited(attempt, 0, false, Situation.STARTED, Situation.ENDED);
            case NODE_LOST -> targetEnded(attempt, StateName.LOST, OutcomeReason.NODE_LOST, Situation.STARTED);
            case PREEMPTED -> targetEnded(attempt, StateName.LOST, OutcomeReason.PREEMPTED, Situation.STARTED);
            case CANCELLED_AT_TARGET ->
                targetEnded(attempt, StateName.CANCELLED, OutcomeReason.CANCELLED_AT_TARGET, null);
            case TARGET_LOST -> targetEnded(attempt, StateName.LOST, OutcomeReason.TARGET_LOST, null);
            case START_LOST -> new StartLost(attempt);
            case CONTAINER_GONE -> new RunGone(attempt);
            case MACHINE_REBOOTED -> new MachineRebooted(attempt, Situation.ENDED);
            case ENGINE_STOPPED -> new EngineStopped(attempt, 143, Situation.ENDED);
            case DEVICE_LOST -> new DeviceLost(attempt, Situation.LOST_SENTENCE);
            case IDLE_TIMEOUT_REACHED -> new IdleTimeoutReached(attempt, Situation.IDLE_SENTENCE);
            case TIME_LIMIT_REACHED -> new TimeLimitReached(attempt);
            case SIGNAL_DUE -> new SignalDue(attempt, Situation.SIGNAL, Duration.ofMinutes(5));
            case SIGNAL_SENT -> new SignalSent(attempt, Situation.SIGNAL);
            case PACK_COMPLETED -> packEnded(StateName.COMPLETED, OutcomeReason.EXITED, true);
            case PACK_FAILED -> packEnded(StateName.FAILED, OutcomeReason.EXITED_NONZERO, true);
            case PACK_TIMED_OUT -> packEnded(StateName.TIMEOUT, OutcomeReason.TIME_LIMIT, true);
            case PACK_UNBEGUN -> packEnded(StateName.FAILED, OutcomeReason.EXITED_NONZERO, false);
            case PACK_REFUSED -> packEnded(StateName.FAILED, OutcomeReason.START_FAILED, false);
            case PACK_CANCELLED -> packEnded(StateName.CANCELLED, OutcomeReason.CANCELLED_BY_USER, true);
            case PACK_REBOOTED -> packEnded(StateName.LOST, OutcomeReason.MACHINE_REBOOTED, true);
            case PACK_GONE -> packEnded(StateName.LOST, OutcomeReason.CONTAINER_LOST, true);
            case TASKS_TOLD -> new TasksTold(attempt, true);
        };
    }

    private static RunEnded targetEnded(
            int attempt, StateName state, OutcomeReason reason, @Nullable Instant startedAt) {
        return new RunEnded(attempt, new Outcome(state, reason, TARGET_SENTENCE, null), startedAt, Situation.ENDED);
    }

    private static PackEnded packEnded(StateName state, OutcomeReason reason, boolean hasBegun) {
        Outcome outcome = new Outcome(state, reason, PACK_SENTENCE, null);
        // What is not there any more is not known of its tasks either.
        boolean isKnown = reason != OutcomeReason.CONTAINER_LOST;
        return new PackEnded(new Finished(1, Situation.STARTED, Situation.ENDED, outcome), hasBegun, isKnown);
    }

    /** Whether it is the end of a pack, told to one of its tasks. */
    boolean isOfPack() {
        return about(1) instanceof PackEnded;
    }
}
