package dev.berth.server.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobState.Creating;
import dev.berth.core.job.JobState.Starting;
import dev.berth.core.job.Signal;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Effect.AdoptRun;
import dev.berth.core.machine.Effect.CreateRun;
import dev.berth.core.machine.Effect.HoldRun;
import dev.berth.core.machine.Effect.OfRun;
import dev.berth.core.machine.Effect.ReadPack;
import dev.berth.core.machine.Effect.ReleaseRun;
import dev.berth.core.machine.Effect.SignalRun;
import dev.berth.core.machine.Effect.StartRun;
import dev.berth.core.machine.Effect.StopRun;
import dev.berth.core.machine.Effect.StopTask;
import dev.berth.core.machine.Effect.SweepRun;
import dev.berth.core.machine.Found;
import dev.berth.core.machine.Found.Condition;
import dev.berth.core.machine.JobEvent;
import dev.berth.core.machine.JobEvent.OfAttempt;
import dev.berth.core.machine.JobEvent.RunCreated;
import dev.berth.core.machine.JobEvent.RunExited;
import dev.berth.core.machine.JobEvent.RunGone;
import dev.berth.core.machine.JobEvent.RunStarted;
import dev.berth.core.machine.JobEvent.SignalSent;
import dev.berth.core.machine.RunnerKind;
import dev.berth.server.example.Jobs;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every runner does, so that nobody else has to know which one runs a job. */
public abstract class RunnerContract {
    private static final long PATIENCE_SECONDS = 30;

    /** What is not done is done again. */
    private static final int MAX_TRIES = 3;

    private final BlockingQueue<JobEvent> told = new LinkedBlockingQueue<>();
    private Runner runner;
    private Job creating;

    /** The runner of a server that begins, on what the one before it has left. */
    protected abstract Runner begin(Notices notices) throws Exception;

    /** A job of the kind, with a program that runs until {@link #exit}. */
    protected abstract Job job();

    /** The run was made: anyone who starts its program, where that is not the runner, does so now. */
    protected abstract void made(Job job) throws Exception;

    /** The program ends by itself. */
    protected abstract void exit(Job job, int exitCode) throws Exception;

    /** Whether the program runs. */
    protected abstract boolean isAlive(Job job);

    @BeforeEach
    void beginOnce() throws Exception {
        creating = job().with(new Creating(1, imageId(), Jobs.allocation(0)));
        runner = begin((_, event) -> told.add(event));
    }

    /** The image that the run is made of. */
    protected abstract String imageId();

    @AfterEach
    void leaveNothing() throws Exception {
        if (isAlive(creating)) {
            boolean _ = owe(new StopRun(creating));
        }
        boolean _ = owe(new ReleaseRun(creating));
        close();
    }

    /** What the runner needed is needed no more. */
    protected void close() throws Exception {
        // Most need nothing that is to be closed.
    }

    private Attempt attempt() {
        return Attempt.of(creating);
    }

    private boolean owe(OfRun effect) {
        runner.expect(effect);
        return switch (effect) {
            case CreateRun create -> runner.create(create);
            case StartRun start -> runner.start(start);
            case StopRun stop -> runner.stop(stop);
            case StopTask stop -> runner.stopTask(stop);
            case ReadPack read -> runner.readPack(read);
            case SignalRun signal -> runner.signal(signal);
            case HoldRun hold -> runner.hold(hold);
            case AdoptRun adopt -> runner.adopt(adopt);
            case ReleaseRun release -> runner.release(release);
            case SweepRun sweep -> runner.sweep(sweep);
        };
    }

    private void carryOut(OfRun effect) {
        boolean isDone = false;
        for (int tries = 0; tries < MAX_TRIES && !isDone; tries++) {
            isDone = owe(effect);
        }
        assertThat(isDone).as("%s is done", effect).isTrue();
    }

    /** The next news of that kind; others are passed over, as each may come more than once. */
    private <E extends JobEvent> E next(Class<E> kind) throws InterruptedException {
        while (true) {
            JobEvent event = told.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            assertThat(event).as("%s is told", kind.getSimpleName()).isNotNull();
            if (kind.isInstance(event)) {
                return kind.cast(event);
            }
        }
    }

    private static final Set<Class<?>> ENDS = Set.of(RunExited.class, RunGone.class);

    private OfAttempt end() throws InterruptedException {
        while (true) {
            OfAttempt event = next(OfAttempt.class);
            if (ENDS.contains(event.getClass())) {
                return event;
            }
        }
    }

    private StartRun created() throws Exception {
        carryOut(new CreateRun(creating, imageId(), Jobs.allocation(0)));
        made(creating);
        RunCreated news = next(RunCreated.class);
        assertThat(news.attempt()).isEqualTo(1);
        Job starting = creating.with(new Starting(1, imageId(), Jobs.allocation(0), news.engine()));
        return new StartRun(starting, news.engine());
    }

    private void started() throws Exception {
        carryOut(created());
        assertThat(next(RunStarted.class).attempt()).isEqualTo(1);
        assertThat(isAlive(creating)).isTrue();
    }

    private void anotherServer() throws Exception {
        told.clear();
        runner = begin((_, event) -> told.add(event));
    }

    private Found found() {
        assertThat(runner.list()).hasSize(1);
        return runner.list().getFirst();
    }

    @Test
    void aProgramRunsOnceItsRunWasMadeAndStarted() throws Exception {
        started();
    }

    @Test
    void anExitIsToldWithItsCode() throws Exception {
        started();
        exit(creating, 3);
        RunExited exit = next(RunExited.class);
        assertThat(exit.attempt()).isEqualTo(1);
        assertThat(exit.exitCode()).isEqualTo(3);
        assertThat(exit.outOfMemory()).isFalse();
        assertThat(isAlive(creating)).isFalse();
    }

    @Test
    void aStartThatIsRepeatedTellsOfTheSameProgram() throws Exception {
        StartRun start = created();
        carryOut(start);
        RunStarted first = next(RunStarted.class);
        carryOut(start);
        assertThat(next(RunStarted.class).attempt()).isEqualTo(first.attempt());
        assertThat(isAlive(creating)).isTrue();
    }

    @Test
    void aStopEndsTheProgramAndItsEndIsTold() throws Exception {
        started();
        carryOut(new StopRun(creating));
        assertThat(end().attempt()).isEqualTo(1);
        assertThat(isAlive(creating)).isFalse();
        carryOut(new StopRun(creating));
    }

    @Test
    void aSignalIsToldOnceItWasSent() throws Exception {
        started();
        carryOut(new SignalRun(creating, Signal.USR1));
        assertThat(next(SignalSent.class)).isEqualTo(new SignalSent(1, Signal.USR1));
    }

    @Test
    void theNextServersSignalReachesTheProgramThatItFinds() throws Exception {
        started();
        anotherServer();
        assertThat(found().of()).isEqualTo(attempt());
        carryOut(new AdoptRun(creating));
        carryOut(new SignalRun(creating, Signal.USR2));
        assertThat(next(RunExited.class).exitCode()).isEqualTo(128 + Signal.USR2.number());
    }

    @Test
    void aSignalForWhatDoesNotRunIsDone() throws Exception {
        carryOut(new SignalRun(creating, Signal.USR1));
        started();
        exit(creating, 0);
        assertThat(end()).isInstanceOf(RunExited.class);
        carryOut(new SignalRun(creating, Signal.USR1));
        carryOut(new ReleaseRun(creating));
        carryOut(new SignalRun(creating, Signal.USR1));
        assertThat(told).noneMatch(SignalSent.class::isInstance);
    }

    @Test
    void aStopGivesTheProgramAsLongAsItsJobSays() throws Exception {
        started();
        carryOut(new StopRun(RunnerKind.of(creating), attempt(), Duration.ofSeconds(2)));
        assertThat(end().attempt()).isEqualTo(1);
        assertThat(isAlive(creating)).isFalse();
    }

    @Test
    void aStopOfWhatIsNotThereTellsThatItIsGone() throws Exception {
        carryOut(new StopRun(creating));
        assertThat(next(RunGone.class).attempt()).isEqualTo(1);
    }

    @Test
    void whatIsStoppedBeforeItsStartDoesNotStart() throws Exception {
        StartRun start = created();
        runner.expect(new StopRun(creating));
        carryOut(new StopRun(creating));
        assertThat(end().attempt()).isEqualTo(1);
        told.clear();
        carryOut(start);
        assertThat(isAlive(creating)).isFalse();
    }

    @Test
    void theNextServerFindsWhatRunsAndHearsOfItsEnd() throws Exception {
        started();
        anotherServer();
        Found found = found();
        assertThat(found.runner()).isEqualTo(RunnerKind.of(creating));
        assertThat(found.of()).isEqualTo(attempt());
        assertThat(found.condition()).isInstanceOf(Condition.Alive.class);
        assertThat(found.gpus()).isEqualTo(Jobs.allocation(0).gpus());
        carryOut(new AdoptRun(creating));
        exit(creating, 5);
        assertThat(next(RunExited.class).exitCode()).isEqualTo(5);
    }

    @Test
    void theNextServerEndsWhatItFinds() throws Exception {
        started();
        anotherServer();
        assertThat(found().of()).isEqualTo(attempt());
        carryOut(new AdoptRun(creating));
        carryOut(new StopRun(creating));
        assertThat(end().attempt()).isEqualTo(1);
        assertThat(isAlive(creating)).isFalse();
    }

    @Test
    void nothingIsLeftOfWhatIsReleasedHoweverOften() throws Exception {
        started();
        exit(creating, 0);
        assertThat(end()).isInstanceOf(RunExited.class);
        carryOut(new ReleaseRun(creating));
        carryOut(new ReleaseRun(creating));
        assertThat(runner.list()).isEmpty();
    }

    @Test
    void whatNoJobOwnsIsEndedAndTold() throws Exception {
        started();
        anotherServer();
        Found found = found();
        carryOut(new SweepRun(found.runner(), found.of()));
        assertThat(end().attempt()).isEqualTo(1);
        assertThat(isAlive(creating)).isFalse();
    }
}
