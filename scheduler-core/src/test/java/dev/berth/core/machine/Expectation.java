package dev.berth.core.machine;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobState.Creating;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.Outcome;
import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.StateName;
import dev.berth.core.machine.Effect.AbandonImage;
import dev.berth.core.machine.Effect.CreateRun;
import dev.berth.core.machine.Effect.HoldRun;
import dev.berth.core.machine.Effect.ReleaseRun;
import dev.berth.core.machine.Effect.SignalRun;
import dev.berth.core.machine.Effect.StartRun;
import dev.berth.core.machine.Effect.StopRun;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the table says about one situation and one event. */
sealed interface Expectation {

    /**
     * The job goes on.
     *
     * @param further how many attempts further it then is
     */
    record Moves(Situation next, int further, List<Owed> owes) implements Expectation {}

    /**
     * The job is finished.
     *
     * @param back how many attempts fewer than the current one it had
     */
    record Ends(Outcome outcome, @Nullable Instant startedAt, Instant endedAt, int back, List<Owed> owes)
            implements Expectation {
        Ends code(int exitCode) {
            Outcome coded = new Outcome(outcome.state(), outcome.reason(), outcome.sentence(), exitCode);
            return new Ends(coded, startedAt, endedAt, back, owes);
        }

        Ends ran(@Nullable Instant from, Instant to) {
            return new Ends(outcome, from, to, back, owes);
        }

        /** The current attempt never began. */
        Ends unbegun() {
            return new Ends(outcome, startedAt, endedAt, 1, owes);
        }

        Ends owing(Owed... effects) {
            return new Ends(outcome, startedAt, endedAt, back, List.of(effects));
        }

        Finished state(int attempt) {
            return new Finished(attempt - back, startedAt, endedAt, outcome);
        }
    }

    /** Nothing changes. */
    record Ignores(String reason) implements Expectation {}

    /** Only a bug of our own can cause it: it throws. */
    record Impossible(String message) implements Expectation {}

    /** The effects, without the data that follows from the job. */
    enum Owed {
        FETCH_IMAGE("looks for the image and pulls it where it is missing"),
        ABANDON_IMAGE("no longer pulls the image for it"),
        CREATE_CONTAINER("makes the container"),
        START_CONTAINER("starts the container"),
        STOP_CONTAINER("stops the program: TERM, grace, KILL"),
        STOP_AT_LIMIT("stops the program: TERM, a grace of its own where it has one, KILL"),
        SIGNAL_PROGRAM("sends the program the signal"),
        HOLD_AT_TARGET("sets it aside in the target's queue"),
        RELEASE_AT_TARGET("lets it go on in the target's queue"),
        RELEASE_CONTAINER("keeps the rest of the log, then removes the container");

        private final String words;

        Owed(String words) {
            this.words = words;
        }

        String words() {
            return words;
        }

        /** The effect that {@code job}, as it stood before the event, is owed. */
        Effect to(Job job) {
            int attempt = job.state().attempt();
            return switch (this) {
                case FETCH_IMAGE ->
                    TestJobs.fetch(job.id().value(), !job.spec().gpus().isNone());
                case ABANDON_IMAGE -> new AbandonImage(job.id(), TestJobs.IMAGE);
                case CREATE_CONTAINER ->
                    new CreateRun(
                            job.with(new Creating(attempt, TestJobs.IMAGE_ID, Situation.ALLOCATION)),
                            TestJobs.IMAGE_ID,
                            Situation.ALLOCATION);
                case START_CONTAINER -> new StartRun(job, TestJobs.ENGINE);
                case STOP_CONTAINER -> new StopRun(RunnerKind.of(job), new Attempt(job.id(), attempt), null);
                case STOP_AT_LIMIT -> new StopRun(RunnerKind.of(job), new Attempt(job.id(), attempt), JobTable.GRACE);
                case SIGNAL_PROGRAM ->
                    new SignalRun(RunnerKind.of(job), new Attempt(job.id(), attempt), Situation.SIGNAL);
                case HOLD_AT_TARGET -> new HoldRun(job, true);
                case RELEASE_AT_TARGET -> new HoldRun(job, false);
                case RELEASE_CONTAINER -> new ReleaseRun(RunnerKind.of(job), new Attempt(job.id(), attempt));
            };
        }
    }

    static Moves moves(Situation next, Owed... owes) {
        return new Moves(next, 0, List.of(owes));
    }

    static Moves nextAttempt(Situation next, Owed... owes) {
        return new Moves(next, 1, List.of(owes));
    }

    /** The end of a job whose program never ran, at the time of the event, with nothing owed. */
    static Ends ends(StateName state, OutcomeReason reason, String sentence) {
        return new Ends(new Outcome(state, reason, sentence, null), null, JobTable.NOW, 0, List.of());
    }

    static Ignores ignored(String reason) {
        return new Ignores(reason);
    }

    static Impossible impossible() {
        return new Impossible("the scheduler contradicts itself");
    }

    static Impossible impossible(String message) {
        return new Impossible(message);
    }
}
