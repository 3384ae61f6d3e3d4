package dev.berth.server.runner.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobState.Creating;
import dev.berth.core.job.JobState.Running;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Effect.AdoptRun;
import dev.berth.core.machine.Effect.CreateRun;
import dev.berth.core.machine.Effect.ReleaseRun;
import dev.berth.core.machine.Effect.StopRun;
import dev.berth.core.machine.JobEvent;
import dev.berth.core.machine.JobEvent.RunGone;
import dev.berth.server.cgroup.LeaseCgroups;
import dev.berth.server.example.Jobs;
import dev.berth.server.linux.ProcessKey;
import dev.berth.server.store.HostProcess;
import dev.berth.server.time.Clocks;
import dev.berth.server.upkeep.Tasks;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the next server makes of what one left that was killed while a program was starting. */
class HostRunnerRestartTest {
    private static final long INIT = 1;

    @TempDir
    private Path proc;

    private final Tasks tasks = new Tasks() {
        @Override
        public void run(Runnable work) {
            work.run();
        }

        @Override
        public void runAfter(Duration delay, Runnable work) {
            assertThat(delay).isPositive();
        }
    };
    private final List<JobEvent> told = new ArrayList<>();
    private final Job creating = Jobs.queued(7, 1).with(new Creating(1, "", Jobs.allocation(0)));
    private SimulatedKernel kernel;
    private ProcessKey command;
    private ProcessKey program;

    @BeforeEach
    void startBoth() {
        kernel = new SimulatedKernel(proc, tasks, (_, _) -> {});
        command = kernel.start(INIT, 0, "");
        program = kernel.start(command.pid(), 0, "");
    }

    private HostRunner begin(List<HostProcess> rows, List<Job> live) {
        HostRunner hosts = new HostRunner(new LeaseParts(
                "lab",
                kernel,
                LeaseCgroups.none("a test"),
                () -> rows,
                true,
                () -> live,
                _ -> "",
                (_, event) -> told.add(event),
                () -> {},
                tasks,
                Duration.ofSeconds(1),
                Clocks.neverSet(() -> Jobs.SUBMITTED)));
        hosts.open();
        return hosts;
    }

    /** With a client that waits, and this GPU granted to it. */
    private HostRunner granted(int gpu) throws LeaseException {
        HostRunner hosts = begin(List.of(), List.of(creating));
        HostRunner.Visit _ = hosts.visit(creating, command, 0);
        boolean _ = hosts.create(new CreateRun(creating, "", Jobs.allocation(gpu)));
        return hosts;
    }

    private HostProcess row(int attempt, @Nullable ProcessKey waits) {
        return new HostProcess(
                creating.id(),
                attempt,
                program.pid(),
                program.startTicks(),
                waits == null ? null : waits.pid(),
                waits == null ? null : waits.startTicks(),
                Jobs.SUBMITTED);
    }

    private void endBoth() {
        kernel.end(program, 0);
        kernel.end(command, 0);
    }

    @Test
    void whatIsGoneOfAJobThatRanIsNotFound() {
        Job running = creating.with(new Running(1, Jobs.allocation(0), Jobs.SUBMITTED));
        HostRunner hosts = begin(List.of(row(1, command)), List.of(running));
        endBoth();
        assertThat(hosts.list()).isEmpty();
    }

    /** Its GPUs are not free: what it left behind may be on them. */
    @Test
    void whatHasLeftSomethingBehindIsFoundAndThatIsEnded() {
        ProcessKey child = kernel.start(program.pid(), Jobs.ADA.uid(), GrantEnvironment.mark("lab", creating.id(), 1));
        Job running = creating.with(new Running(1, Jobs.allocation(0), Jobs.SUBMITTED));
        HostRunner hosts = begin(List.of(row(1, command)), List.of(running));
        endBoth();
        assertThat(hosts.list())
                .singleElement()
                .satisfies(found -> assertThat(found.of()).isEqualTo(Attempt.of(running)));
        assertThat(hosts.adopt(new AdoptRun(running))).isTrue();
        assertThat(kernel.isAlive(child)).isFalse();
        assertThat(told).containsExactly(new RunGone(1));
    }

    @Test
    void norIsWhatIsGoneOfAnEarlierAttempt() {
        Job again = creating.with(new Creating(2, "", Jobs.allocation(0)));
        HostRunner hosts = begin(List.of(row(1, command)), List.of(again));
        endBoth();
        assertThat(hosts.list()).isEmpty();
    }

    /** The server before granted other GPUs, and the job went back to the queue since. */
    @Test
    void aProgramOnGpusOfAnEarlierTurnIsRefused() throws LeaseException {
        HostRunner hosts = begin(List.of(), List.of(creating));
        HostRunner.Visit visit = hosts.visit(creating, command, 0);
        boolean _ = hosts.create(new CreateRun(creating, "", Jobs.allocation(1)));
        Started started = new Started(1, program, command);
        List<String> granted = visit.grant().orElseThrow().uuids();
        assertThat(hosts.begin(creating.id(), started, List.of("GPU-of-an-earlier-turn"), 0))
                .isEmpty();
        assertThat(hosts.begin(creating.id(), started, granted, 0)).contains(row(1, command));
    }

    @Test
    void aClientThatDoesNotSayOnWhichGpusIsBelieved() throws LeaseException {
        HostRunner hosts = granted(1);
        assertThat(hosts.begin(creating.id(), new Started(1, program, command), null, 0))
                .isPresent();
    }

    /** The shell runs on, and would use GPUs that are another job's by then. */
    @Test
    void aShellWhoseLeaseIsStoppedBeforeItHearsOfItHasNone() throws LeaseException {
        HostRunner hosts = granted(0);
        Started shell = new Started(1, program, null);
        assertThat(hosts.begin(creating.id(), shell, null, 0)).contains(row(1, null));
        assertThat(hosts.begun(creating.id(), shell)).isTrue();
        boolean _ = hosts.stop(new StopRun(creating));
        assertThat(told).contains(new RunGone(1));
        assertThat(hosts.begun(creating.id(), shell)).isFalse();
        boolean _ = hosts.release(new ReleaseRun(creating));
        assertThat(hosts.begun(creating.id(), shell)).isFalse();
    }
}
