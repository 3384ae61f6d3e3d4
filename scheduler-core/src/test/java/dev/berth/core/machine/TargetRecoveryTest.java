package dev.berth.core.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState;
import dev.berth.core.job.JobState.Creating;
import dev.berth.core.job.JobState.HandedOver;
import dev.berth.core.job.JobState.Live;
import dev.berth.core.job.JobState.Running;
import dev.berth.core.job.JobState.Starting;
import dev.berth.core.job.JobState.Stopping;
import dev.berth.core.job.LimitSignal;
import dev.berth.core.job.Limits;
import dev.berth.core.job.Signal;
import dev.berth.core.job.SignalState;
import dev.berth.core.job.StopCause;
import dev.berth.core.machine.Effect.AdoptRun;
import dev.berth.core.machine.Effect.CreateRun;
import dev.berth.core.machine.Effect.HoldRun;
import dev.berth.core.machine.Effect.ReleaseRun;
import dev.berth.core.machine.Effect.SignalRun;
import dev.berth.core.machine.Effect.StopRun;
import dev.berth.core.machine.Found.Condition;
import dev.berth.core.machine.Input.EngineSeen;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a server owes after its restart to jobs that targets have: to ask, and to ask once more for what it had asked for. */
class TargetRecoveryTest {
    private static final int ATTEMPT = 2;
    private static final Attempt OWN = new Attempt(new JobId(7), ATTEMPT);
    private static final Duration GRACE = Duration.ofMinutes(2);
    private static final Limits LIMITS =
            new Limits(Duration.ofHours(1), null, new LimitSignal(Signal.USR1, Duration.ofMinutes(5)), GRACE);

    record Line(Job job, List<Effect> owes) {
        @Override
        public String toString() {
            return job.state().toString();
        }
    }

    private static Job job(JobState state) {
        return TestJobs.job(7, TestJobs.at("cluster", TestJobs.spec(2, LIMITS)), state);
    }

    private static Job creating() {
        return job(new Creating(ATTEMPT, "", Allocation.NONE));
    }

    private static Running running(SignalState signal) {
        return new Running(ATTEMPT, Allocation.NONE, TestJobs.STARTED).with(signal);
    }

    private static Stopping stopping(@Nullable Instant startedAt, StopCause cause) {
        return new Stopping(ATTEMPT, Allocation.NONE, startedAt, cause);
    }

    private static Line line(JobState state, Effect... owes) {
        return new Line(job(state), List.of(owes));
    }

    static Stream<Line> lines() {
        Effect adopt = new AdoptRun(RunnerKind.TARGET, OWN);
        Effect stop = new StopRun(RunnerKind.TARGET, OWN, null);
        Effect stopAtLimit = new StopRun(RunnerKind.TARGET, OWN, GRACE);
        return Stream.of(
                new Line(creating(), List.of(new CreateRun(creating(), "", Allocation.NONE))),
                line(new HandedOver(ATTEMPT, false), adopt),
                line(new HandedOver(ATTEMPT, true), adopt, new HoldRun(RunnerKind.TARGET, OWN, true)),
                line(running(SignalState.NOT_DUE), adopt),
                line(running(SignalState.DUE), adopt, new SignalRun(RunnerKind.TARGET, OWN, Signal.USR1)),
                line(running(SignalState.SENT), adopt),
                line(stopping(null, new StopCause.Cancelled("grace")), adopt, stop),
                line(stopping(TestJobs.STARTED, new StopCause.TimeLimit()), adopt, stopAtLimit),
                line(stopping(TestJobs.STARTED, new StopCause.Idle("idle")), adopt, stopAtLimit));
    }

    @ParameterizedTest
    @MethodSource("lines")
    void aServerThatBeginsOwesWhatTheStateSays(Line line) {
        Recovery plan = Recovery.plan(Capacities.gpus(1), List.of(line.job), List.of(), null);
        assertThat(plan.events()).isEmpty();
        assertThat(plan.effects()).isEqualTo(line.owes);
        assertThat(plan.orphans()).isEmpty();
    }

    /** The target went on, and knows what became of it. */
    @ParameterizedTest
    @MethodSource("lines")
    void aRebootOfTheMachineIsNoEndOfIt(Line line) {
        Recovery plan = Recovery.plan(Capacities.gpus(0), List.of(line.job), List.of(), TestJobs.STARTED);
        assertThat(plan.events()).isEmpty();
        assertThat(plan.effects()).isEqualTo(line.owes);
    }

    /** The mark of a hand-over says nothing of how far it came: to remove it would be to forget what may run. */
    @ParameterizedTest
    @MethodSource("lines")
    void whatMayBeLeftOfTheAttemptIsLeftThere(Line line) {
        Recovery plan = Recovery.plan(Capacities.gpus(1), List.of(line.job), List.of(mark(line.job, ATTEMPT)), null);
        assertThat(plan.effects()).isEqualTo(line.owes);
        assertThat(plan.orphans()).isEmpty();
    }

    @Test
    void whatIsLeftOfAttemptsThatAreOverIsReleased() {
        Job ended = TestJobs.job(7, creating().spec(), TestJobs.finished(7).state());
        Job waiting = TestJobs.job(7, creating().spec(), TestJobs.queued(7).state());
        for (Job job : List.of(ended, waiting)) {
            assertThat(Recovery.plan(Capacities.gpus(1), List.of(), List.of(mark(job, 1)), null)
                            .effects())
                    .containsExactly(new ReleaseRun(RunnerKind.TARGET, new Attempt(OWN.job(), 1)));
        }
        assertThat(Recovery.plan(Capacities.gpus(1), List.of(creating()), List.of(mark(creating(), 1)), null)
                        .effects())
                .containsExactly(
                        new ReleaseRun(RunnerKind.TARGET, new Attempt(OWN.job(), 1)),
                        new CreateRun(creating(), "", Allocation.NONE));
    }

    /** It is the engine of this machine that was away and is back. */
    @ParameterizedTest
    @MethodSource("lines")
    void anEngineThatIsSeenAgainSaysNothingOfIt(Line line) {
        Machine machine = Machine.idle(Capacities.gpus(1), 7).restored(line.job);
        Step step = Scheduler.step(
                machine,
                new EngineSeen(TestJobs.STARTED.plusSeconds(9), Set.of(OWN), List.of(mark(line.job, ATTEMPT))));
        assertThat(step.effects()).isEmpty();
        assertThat(step.changes()).isEmpty();
        assertThat(step.machine().live()).isEqualTo(machine.live());
    }

    @Test
    void everyStateThatAJobAtATargetCanBeInStandsInTheTable() {
        Set<Class<?>> states = new HashSet<>(Alternatives.of(Live.class));
        states.remove(Starting.class);
        assertThat(lines().<Class<?>>map(line -> line.job.state().getClass()).collect(Collectors.toSet()))
                .isEqualTo(states);
    }

    private static Sighting mark(Job job, int attempt) {
        return new Sighting(
                new Found(RunnerKind.TARGET, new Attempt(job.id(), attempt), new Condition.FilesLeft(), List.of()),
                job);
    }
}
