package dev.berth.server.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobState.Starting;
import dev.berth.core.machine.Effect.StartRun;
import dev.berth.core.machine.Effect.StopRun;
import dev.berth.core.machine.Found.Condition;
import dev.berth.core.machine.JobEvent.RunCreated;
import dev.berth.core.machine.JobEvent.RunStarted;
import dev.berth.server.example.Jobs;
import org.junit.jupiter.api.Test;

/** What every runner does that makes a run on this machine's GPUs, and starts it by an effect of its own. */
public abstract class StartingRunnerContract extends RunnerContract {
    /** The run was made: anyone who starts its program, where that is not the runner, does so now. */
    protected abstract void made(Job job) throws Exception;

    @Override
    protected final Allocation allocation() {
        return Jobs.allocation(0);
    }

    @Override
    protected final Class<? extends Condition> foundAs() {
        return Condition.Alive.class;
    }

    @Override
    protected final void bringToRun() throws Exception {
        carryOut(created());
    }

    private StartRun created() throws Exception {
        carryOut(creation());
        made(creating());
        RunCreated news = next(RunCreated.class);
        assertThat(news.attempt()).isEqualTo(1);
        Job starting = creating().with(new Starting(1, imageId(), allocation(), news.engine()));
        return new StartRun(starting, news.engine());
    }

    @Test
    void aStartThatIsRepeatedTellsOfTheSameProgram() throws Exception {
        StartRun start = created();
        carryOut(start);
        RunStarted first = next(RunStarted.class);
        carryOut(start);
        assertThat(next(RunStarted.class).attempt()).isEqualTo(first.attempt());
        assertThat(isAlive(creating())).isTrue();
    }

    @Test
    void whatIsStoppedBeforeItsStartDoesNotStart() throws Exception {
        StartRun start = created();
        runner().expect(new StopRun(creating()));
        carryOut(new StopRun(creating()));
        assertThat(end().attempt()).isEqualTo(1);
        told().clear();
        carryOut(start);
        assertThat(isAlive(creating())).isFalse();
    }
}
