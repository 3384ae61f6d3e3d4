package dev.berth.core.machine;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobState.Dispatched;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.Outcome;
import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.StateName;
import dev.berth.core.machine.JobEvent.ArrayEnded;
import dev.berth.core.machine.JobEvent.CancelRequested;
import dev.berth.core.machine.Transition.Ignored;
import dev.berth.core.machine.Transition.Moved;
import java.time.Instant;
import java.util.SortedMap;
import java.util.stream.Collectors;

/** The moves of arrays whose tasks have had their turn, or get none any more. */
final class ArrayMoves {
    private ArrayMoves() {}

    static Transition cancelDispatched(Dispatched state, CancelRequested event, Instant at) {
        if (state.rest() != null) {
            return new Ignored("it is being stopped already");
        }
        Outcome outcome =
                JobMoves.outcome(StateName.CANCELLED, OutcomeReason.CANCELLED_BY_USER, "cancelled by " + event.by());
        return Moved.to(new Dispatched(state.attempt(), JobMoves.ended(state.attempt() - 1, null, at, outcome)));
    }

    /** An array that was ended before its last task's turn ends as it was told to, else as its tasks did. */
    static Transition arrayEnded(Job job, Dispatched state, ArrayEnded event, Instant at) {
        Finished rest = state.rest();
        Outcome outcome = rest == null ? ofTasks(job, event.tasks()) : rest.outcome();
        return Moved.to(JobMoves.ended(state.attempt(), null, at, outcome));
    }

    private static Outcome ofTasks(Job array, SortedMap<StateName, Long> tasks) {
        long all = tasks.values().stream().mapToLong(Long::longValue).sum();
        long completed = tasks.getOrDefault(StateName.COMPLETED, 0L);
        long cancelled = tasks.getOrDefault(StateName.CANCELLED, 0L);
        if (completed == all) {
            String which = all == 1 ? "its one task has" : "all its " + all + " tasks have";
            return new Outcome(StateName.COMPLETED, OutcomeReason.EXITED, which + " COMPLETED", 0);
        }
        if (all == 1) {
            StateName state = tasks.firstKey();
            String sentence = "its one task has ended " + state + "; berth ps --tasks " + array.id() + " shows it";
            return failed(state == StateName.CANCELLED, sentence);
        }
        String others = tasks.entrySet().stream()
                .filter(count -> count.getKey() != StateName.COMPLETED && count.getValue() > 0)
                .map(count -> count.getValue() + " " + count.getKey())
                .collect(Collectors.joining(", "));
        String sentence = completed + " of its " + all + " tasks COMPLETED, " + others + "; berth ps --tasks "
                + array.id() + " shows them";
        return failed(completed + cancelled == all, sentence);
    }

    private static Outcome failed(boolean byCancel, String sentence) {
        return byCancel
                ? JobMoves.outcome(StateName.CANCELLED, OutcomeReason.CANCELLED_BY_USER, sentence)
                : JobMoves.outcome(StateName.FAILED, OutcomeReason.TASKS_FAILED, sentence);
    }
}
