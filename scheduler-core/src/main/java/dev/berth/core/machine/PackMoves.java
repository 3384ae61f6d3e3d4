package dev.berth.core.machine;

import static dev.berth.core.machine.JobMoves.ended;
import static dev.berth.core.machine.JobMoves.fetch;
import static dev.berth.core.machine.JobMoves.outcome;
import static dev.berth.core.machine.JobMoves.over;
import static dev.berth.core.machine.JobMoves.wayOut;

import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.JobState.Packed;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.Outcome;
import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.StateName;
import dev.berth.core.job.StopCause;
import dev.berth.core.machine.JobEvent.CancelRequested;
import dev.berth.core.machine.JobEvent.PackEnded;
import dev.berth.core.machine.JobEvent.RunExited;
import dev.berth.core.machine.JobEvent.RunStarted;
import dev.berth.core.machine.Transition.Ignored;
import dev.berth.core.machine.Transition.Moved;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The moves of tasks in a pack. The pack is one attempt of each of them: a task that is to be tried again, or that it did not
 * come to, leaves it and takes a turn of its own.
 */
final class PackMoves {
    private PackMoves() {}

    static Transition started(Packed packed, RunStarted event) {
        return packed.startedAt() == null
                ? Moved.to(new Packed(event.startedAt(), packed.stop()))
                : new Ignored("it is known to run");
    }

    static Transition limitReached(Packed packed) {
        return packed.stop() == null
                ? Moved.to(new Packed(packed.startedAt(), new StopCause.TimeLimit()))
                : new Ignored("it is being stopped already");
    }

    /** One that would begin once more after its time limit does not. */
    static Transition cancel(Packed packed, CancelRequested event) {
        return packed.stop() instanceof StopCause.Cancelled
                ? new Ignored("it is being stopped already")
                : Moved.to(new Packed(packed.startedAt(), new StopCause.Cancelled(event.by())));
    }

    static Transition exited(Job job, Packed packed, RunExited event, Instant at) {
        Instant told = event.startedAt() == null ? event.endedAt() : event.startedAt();
        Instant startedAt = packed.startedAt() == null ? told : packed.startedAt();
        Outcome outcome = packed.stop() == null
                ? Outcomes.ofExit(job, event)
                : Outcomes.ofStop(job, packed.stop(), event.exitCode());
        return endedInPack(job, startedAt, event.endedAt(), outcome, at);
    }

    /** It was not to begin, and did not. */
    static Transition skipped(Job job, Packed packed, Instant at) {
        return packed.stop() == null
                ? new Ignored("nobody asked for its end")
                : stopped(job, packed, packed.stop(), at, at);
    }

    private static Transition stopped(Job job, Packed packed, StopCause cause, Instant endedAt, Instant at) {
        return endedInPack(job, packed.startedAt(), endedAt, Outcomes.ofStop(job, cause, null), at);
    }

    static Transition packEnded(Job job, Packed packed, PackEnded event, Instant at) {
        Finished end = event.end();
        if (packed.stop() != null) {
            return stopped(job, packed, packed.stop(), end.endedAt(), at);
        }
        if (packed.startedAt() != null) {
            return endedInPack(job, packed.startedAt(), end.endedAt(), ofBegun(job, end.outcome()), at);
        }
        boolean isLeftOver = event.hasBegun() && event.isKnown() && isNoMatterOfIts(end.outcome());
        return isLeftOver
                ? Moved.to(new Queued(packed.attempt(), new ImageState.Pending()), fetch(job))
                : endedInPack(job, null, end.endedAt(), ofUnbegun(job, end.outcome()), at);
    }

    /**
     * Whether a pack ended for no reason that is one for a task that had not begun. After a power cut what it told may not have
     * reached the disk.
     */
    private static boolean isNoMatterOfIts(Outcome pack) {
        return pack.state() != StateName.CANCELLED && pack.reason() != OutcomeReason.MACHINE_REBOOTED;
    }

    private static Outcome ofBegun(Job job, Outcome pack) {
        return switch (pack.state()) {
            case COMPLETED, FAILED ->
                outcome(
                        StateName.LOST,
                        OutcomeReason.CONTAINER_LOST,
                        "nobody knows how its program ended: the container of its pack ended before it told of that; "
                                + pack.sentence());
            default -> withPack(job, pack);
        };
    }

    private static Outcome ofUnbegun(Job job, Outcome pack) {
        boolean isUntold = pack.reason() == OutcomeReason.EXITED || pack.reason() == OutcomeReason.EXITED_NONZERO;
        return isUntold
                ? outcome(
                        StateName.FAILED,
                        OutcomeReason.START_FAILED,
                        "the container of its pack began none of its tasks; its image must have /bin/sh, sleep and mkdir: "
                                + pack.sentence())
                : withPack(job, pack);
    }

    private static Outcome withPack(Job job, Outcome pack) {
        boolean isFaultless =
                pack.reason() == OutcomeReason.MACHINE_REBOOTED || pack.reason() == OutcomeReason.ENGINE_STOPPED;
        String wayOut = isFaultless ? wayOut(job, Packed.WAITING.attempt()) : "";
        return outcome(pack.state(), pack.reason(), "with its pack: " + pack.sentence() + wayOut);
    }

    private static Transition endedInPack(
            Job job, @Nullable Instant startedAt, Instant endedAt, Outcome outcome, Instant at) {
        return over(job, ended(Packed.WAITING.attempt(), startedAt, endedAt, outcome), at);
    }
}
