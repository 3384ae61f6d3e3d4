package dev.berth.server.runner.docker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.EngineRun;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobState.Starting;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Capacity;
import dev.berth.core.machine.Found;
import dev.berth.core.machine.Found.Condition.Exited;
import dev.berth.core.machine.JobEvent;
import dev.berth.core.machine.JobEvent.RunExited;
import dev.berth.core.machine.JobEvent.StartLost;
import dev.berth.core.machine.Machine;
import dev.berth.core.machine.RunnerKind;
import dev.berth.server.example.Jobs;
import dev.berth.server.gpu.SimulatedGpus;
import dev.berth.server.runner.EngineException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The end of a program whose start was lost with its engine is Berth's own doing as it gives it up, and says nothing of the program. */
class ContainerNewsTest {
    private static final EngineRun EARLIER = new EngineRun("an earlier run");
    private static final int KILLED = 137;

    private final List<JobEvent> told = new ArrayList<>();
    private final FakeContainerEngine engine = new FakeContainerEngine(InstantSource.fixed(Jobs.ENDED), (_, _) -> {
        throw new IllegalStateException("nothing is started");
    });

    private final List<Found> seen = new ArrayList<>();
    private boolean givenUp;

    private ContainerNews news(Job job) {
        Machine machine =
                Machine.idle(new Capacity(SimulatedGpus.of(1), 1, 0), 0).restored(job);
        told.clear();
        seen.clear();
        return new ContainerNews(
                engine,
                "server",
                (_, event) -> told.add(event),
                () -> machine,
                _ -> givenUp,
                (_, found) -> seen.addAll(found));
    }

    private JobEvent exit(Job job, int exitCode) {
        news(job).exited(Attempt.of(job), new Exited(exitCode, false, null, Jobs.ENDED));
        assertThat(told).hasSize(1);
        return told.getFirst();
    }

    private void look(Job job, int exitCode) {
        Exited end = new Exited(exitCode, false, null, Jobs.ENDED);
        news(job).unheard(new Found(RunnerKind.CONTAINER, Attempt.of(job), end, List.of()));
    }

    private static Job starting(EngineRun engine) {
        return Jobs.job(7, Jobs.spec(0), Jobs.ADA, new Starting(1, Jobs.IMAGE_ID, Jobs.allocation(), engine));
    }

    @Test
    void anEndBySignalOfAStartThatWasLostIsNoEndOfTheProgram() {
        assertThat(exit(starting(EARLIER), KILLED)).isEqualTo(new StartLost(1));
    }

    @Test
    void whatIsGivenUpIsToldByWhoGivesItUp() {
        look(starting(EARLIER), KILLED);
        assertThat(seen).hasSize(1);

        givenUp = true;
        look(starting(EARLIER), KILLED);
        assertThat(seen).isEmpty();
        look(starting(EARLIER), 3);
        assertThat(seen).hasSize(1);
        assertThat(told).isEmpty();
        assertThat(exit(starting(engine.run()), KILLED)).isEqualTo(new StartLost(1));
    }

    @Test
    void aProgramThatEndedByItselfEndedSo() {
        assertThat(exit(starting(EARLIER), 3)).isEqualTo(new RunExited(1, 3, false, null, Jobs.ENDED));
    }

    @Test
    void theRunOfTheEngineThatWasAskedKnowsHowItEnded() {
        assertThat(exit(starting(engine.run()), KILLED)).isEqualTo(new RunExited(1, KILLED, false, null, Jobs.ENDED));
        assertThat(exit(Jobs.running(7), KILLED)).isEqualTo(new RunExited(1, KILLED, false, null, Jobs.ENDED));
    }

    @Test
    void anEngineThatIsAwayTellsNothing() {
        engine.strikeWith((verb, _) -> {
            throw new EngineException(EngineException.Kind.UNREACHABLE, verb);
        });
        assertThat(exit(starting(EARLIER), KILLED)).isEqualTo(new RunExited(1, KILLED, false, null, Jobs.ENDED));
    }
}
