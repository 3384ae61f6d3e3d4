package dev.berth.server.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobState.Creating;
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
import dev.berth.core.machine.JobEvent.RunExited;
import dev.berth.core.machine.JobEvent.RunGone;
import dev.berth.core.machine.JobEvent.RunStarted;
import dev.berth.core.machine.JobEvent.SignalSent;
import dev.berth.core.machine.RunnerKind;
import dev.berth.server.runner.EngineException.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What every runner does, so that nobody else has to know which one runs a job. What only those do that start what they have made is
 * in {@link StartingRunnerContract}.
 */
public abstract class RunnerContract {
    private static final long PATIENCE_SECONDS = 30;

    /** What is not done is done again. */
    private static final int MAX_TRIES = 3;

    /** What the present server has told; each has its own, so that nothing that an earlier one tells counts for it. */
    private BlockingQueue<JobEvent> told = new LinkedBlockingQueue<>();

    private Runner runner;
    private Job creating;

    /** The runner of a server that begins, on what the one before it has left. */
    protected abstract Runner begin(Notices notices) throws Exception;

    /** A job of the kind, with a program that runs until {@link #exit}. */
    protected abstract Job job();

    /** The image that the run is made of. */
    protected abstract String imageId();

    /** What the scheduler gives the run. */
    protected abstract Allocation allocation();

    /** Owes the runner a run, and what else it takes until its program runs. */
    protected abstract void bringToRun() throws Exception;

    /** The program ends by itself. */
    protected abstract void exit(Job job, int exitCode) throws Exception;

    /** Whether the program runs. */
    protected abstract boolean isAlive(Job job);

    /** The condition in which the next server finds a run whose program runs. */
    protected abstract Class<? extends Condition> foundAs();

    /** The news that tell of the end of a run. */
    protected Set<Class<? extends OfAttempt>> ends() {
        return Set.of(RunExited.class, RunGone.class);
    }

    /** Whether a program can be sent signals; else a signal is refused. */
    protected boolean sendsSignals() {
        return true;
    }

    /** The store does not know the job any more. */
    protected void disown(Job job) {
        // Most do not ask it.
    }

    /** Whether a program can be ended whose job the store does not know. */
    protected boolean endsWithoutJob() {
        return true;
    }

    /** What the runner needed is needed no more. */
    protected void close() throws Exception {
        // Most need nothing that is to be closed.
    }

    @BeforeEach
    void beginOnce() throws Exception {
        creating = job().with(new Creating(1, imageId(), allocation()));
        beginServer();
    }

    private void beginServer() throws Exception {
        BlockingQueue<JobEvent> own = new LinkedBlockingQueue<>();
        told = own;
        runner = begin((_, event) -> own.add(event));
    }

    @AfterEach
    void leaveNothing() throws Exception {
        if (isAlive(creating)) {
            boolean _ = owe(new StopRun(creating));
            OfAttempt _ = end();
        }
        boolean _ = owe(new ReleaseRun(creating));
        close();
    }

    /** The job as its run is owed. */
    protected final Job creating() {
        return creating;
    }

    protected final Runner runner() {
        return runner;
    }

    /** What the present server has told, and nobody has taken yet. */
    protected final BlockingQueue<JobEvent> told() {
        return told;
    }

    protected final CreateRun creation() {
        return new CreateRun(creating, imageId(), allocation());
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

    /** Owes it until it is done. */
    protected final void carryOut(OfRun effect) {
        boolean isDone = false;
        for (int tries = 0; tries < MAX_TRIES && !isDone; tries++) {
            isDone = owe(effect);
        }
        assertThat(isDone).as("%s is done", effect).isTrue();
    }

    /** The next news of that kind; others are passed over, as each may come more than once. */
    protected final <E extends JobEvent> E next(Class<E> kind) throws InterruptedException {
        List<JobEvent> others = new ArrayList<>();
        while (true) {
            JobEvent event = told.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            assertThat(event)
                    .as("%s is told, behind %s", kind.getSimpleName(), others)
                    .isNotNull();
            if (kind.isInstance(event)) {
                return kind.cast(event);
            }
            others.add(event);
        }
    }

    protected final OfAttempt end() throws InterruptedException {
        while (true) {
            OfAttempt event = next(OfAttempt.class);
            if (ends().contains(event.getClass())) {
                return event;
            }
        }
    }

    private void running() throws Exception {
        bringToRun();
        assertThat(next(RunStarted.class).attempt()).isEqualTo(1);
        assertThat(isAlive(creating)).isTrue();
    }

    private Found found() {
        assertThat(runner.list()).hasSize(1);
        return runner.list().getFirst();
    }

    /** Sends the program a signal; false where that is refused, as it has to be where it cannot be sent. */
    private boolean isSent(Signal signal) {
        SignalRun effect = new SignalRun(creating, signal);
        if (!sendsSignals()) {
            assertThatExceptionOfType(EngineException.class)
                    .isThrownBy(() -> owe(effect))
                    .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.REFUSED));
            assertThat(told).noneMatch(SignalSent.class::isInstance);
            return false;
        }
        carryOut(effect);
        return true;
    }

    @Test
    void aProgramThatRunsIsToldToHaveStarted() throws Exception {
        running();
    }

    @Test
    void anExitIsToldWithItsCode() throws Exception {
        running();
        exit(creating, 3);
        RunExited exit = next(RunExited.class);
        assertThat(exit.attempt()).isEqualTo(1);
        assertThat(exit.exitCode()).isEqualTo(3);
        assertThat(exit.outOfMemory()).isFalse();
        assertThat(isAlive(creating)).isFalse();
    }

    /** As by a server that was killed before it knew that there is a run. */
    @Test
    void whatIsMadeOnceMoreIsTheSameRun() throws Exception {
        running();
        beginServer();
        assertThat(found().of()).isEqualTo(attempt());
        carryOut(creation());
        assertThat(isAlive(creating)).isTrue();
        carryOut(new AdoptRun(creating));
        exit(creating, 4);
        assertThat(next(RunExited.class).exitCode()).isEqualTo(4);
        assertThat(isAlive(creating)).isFalse();
    }

    @Test
    void aStopEndsTheProgramAndItsEndIsTold() throws Exception {
        running();
        carryOut(new StopRun(creating));
        assertThat(end().attempt()).isEqualTo(1);
        assertThat(isAlive(creating)).isFalse();
        carryOut(new StopRun(creating));
    }

    @Test
    void aSignalIsToldOnceItWasSent() throws Exception {
        running();
        if (isSent(Signal.USR1)) {
            assertThat(next(SignalSent.class)).isEqualTo(new SignalSent(1, Signal.USR1));
        }
    }

    @Test
    void theNextServersSignalReachesTheProgramThatItFinds() throws Exception {
        running();
        beginServer();
        assertThat(found().of()).isEqualTo(attempt());
        carryOut(new AdoptRun(creating));
        if (isSent(Signal.USR2)) {
            assertThat(next(RunExited.class).exitCode()).isEqualTo(128 + Signal.USR2.number());
        } else {
            assertThat(isAlive(creating)).isTrue();
        }
    }

    @Test
    void aSignalForWhatDoesNotRunIsDone() throws Exception {
        carryOut(new SignalRun(creating, Signal.USR1));
        assertThat(told).noneMatch(SignalSent.class::isInstance);
        running();
        exit(creating, 0);
        assertThat(end()).isInstanceOf(RunExited.class);
        carryOut(new SignalRun(creating, Signal.USR1));
        carryOut(new ReleaseRun(creating));
        carryOut(new SignalRun(creating, Signal.USR1));
        assertThat(told).noneMatch(SignalSent.class::isInstance);
    }

    @Test
    void aStopGivesTheProgramAsLongAsItsJobSays() throws Exception {
        running();
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
    void whatIsStoppedBeforeItWasMadeDoesNotRun() throws Exception {
        runner.expect(creation());
        StopRun stop = new StopRun(creating);
        runner.expect(stop);
        carryOut(creation());
        carryOut(stop);
        OfAttempt first = next(OfAttempt.class);
        assertThat(ends()).as("%s", first).contains(first.getClass());
        assertThat(first.attempt()).isEqualTo(1);
        assertThat(isAlive(creating)).isFalse();
    }

    @Test
    void theNextServerFindsWhatRunsAndHearsOfItsEnd() throws Exception {
        running();
        beginServer();
        Found found = found();
        assertThat(found.runner()).isEqualTo(RunnerKind.of(creating));
        assertThat(found.of()).isEqualTo(attempt());
        assertThat(found.condition()).isInstanceOf(foundAs());
        assertThat(found.gpus()).isEqualTo(allocation().gpus());
        carryOut(new AdoptRun(creating));
        exit(creating, 5);
        assertThat(next(RunExited.class).exitCode()).isEqualTo(5);
    }

    @Test
    void theNextServerEndsWhatItFinds() throws Exception {
        running();
        beginServer();
        assertThat(found().of()).isEqualTo(attempt());
        carryOut(new AdoptRun(creating));
        carryOut(new StopRun(creating));
        assertThat(end().attempt()).isEqualTo(1);
        assertThat(isAlive(creating)).isFalse();
    }

    @Test
    void nothingIsLeftOfWhatIsReleasedHoweverOften() throws Exception {
        running();
        exit(creating, 0);
        assertThat(end()).isInstanceOf(RunExited.class);
        carryOut(new ReleaseRun(creating));
        carryOut(new ReleaseRun(creating));
        assertThat(runner.list()).isEmpty();
    }

    @Test
    void whatNoJobOwnsIsSweptAndTold() throws Exception {
        running();
        beginServer();
        Found found = found();
        disown(creating);
        carryOut(new SweepRun(found.runner(), found.of()));
        assertThat(end().attempt()).isEqualTo(1);
        if (endsWithoutJob()) {
            assertThat(isAlive(creating)).isFalse();
        } else {
            assertThat(runner.list()).isEmpty();
        }
    }
}
