package dev.berth.server.runner.host;

import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.Place.OnHost;
import dev.berth.server.cgroup.LeaseCgroups;
import dev.berth.server.example.Jobs;
import dev.berth.server.linux.ProcessKey;
import dev.berth.server.runner.Notices;
import dev.berth.server.runner.Runner;
import dev.berth.server.runner.StartingRunnerContract;
import dev.berth.server.store.HostProcess;
import dev.berth.server.time.Clocks;
import dev.berth.server.upkeep.VirtualThreadTasks;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** The runner of programs on the machine itself, on any kernel; the test is the command that starts them. */
abstract class HostRunnerContract extends StartingRunnerContract {
    private final List<HostProcess> rows = new ArrayList<>();
    private volatile @Nullable HostRunner hosts;
    private volatile Notices told = (_, _) -> {};
    private @Nullable ProcessKey program;

    abstract ProcessKernel kernel();

    /** The process of the command. */
    abstract ProcessKey command();

    /** A program that runs until {@link #end}, or until it is ended; whoever waits for it hears its exit code. */
    abstract ProcessKey start(IntConsumer ended) throws IOException;

    abstract void end(ProcessKey program, int exitCode) throws IOException;

    abstract boolean isAlive(ProcessKey program);

    private HostRunner hosts() {
        return Objects.requireNonNull(hosts);
    }

    @Override
    protected Runner begin(Notices notices) {
        HostRunner fresh = new HostRunner(new LeaseParts(
                "lab",
                kernel(),
                LeaseCgroups.none("a test"),
                () -> List.copyOf(rows),
                true,
                () -> isAlive(job()) ? List.of(job().with(Jobs.runningOn(0))) : List.of(),
                _ -> "",
                notices,
                () -> {},
                new VirtualThreadTasks(),
                Duration.ofSeconds(1),
                Clocks.neverSet(InstantSource.system())));
        fresh.open();
        hosts = fresh;
        told = notices;
        return fresh;
    }

    @Override
    protected Job job() {
        JobSpec spec = Jobs.with(Jobs.spec(1), new OnHost("/", false, false));
        return Jobs.job(7, spec, Jobs.ROOT, new Queued(1, new ImageState.Ready("")));
    }

    @Override
    protected String imageId() {
        return "";
    }

    @Override
    protected void made(Job job) throws LeaseException, IOException {
        // As the real command does, to whichever server there is then.
        ProcessKey started = start(exitCode -> {
            boolean _ = hosts().exited(job.id(), 1, exitCode);
        });
        program = started;
        HostRunner.Visit _ = hosts().visit(job, command(), 0);
        HostProcess row = hosts().begin(job.id(), new Started(1, started, command()), null, 0)
                .orElseThrow();
        rows.add(row);
        told.post(job.id(), HostRunner.news(row));
        hosts().begun(job.id(), new Started(1, started, command()));
    }

    @Override
    protected void exit(Job job, int exitCode) throws IOException {
        end(Objects.requireNonNull(program), exitCode);
    }

    @Override
    protected boolean isAlive(Job job) {
        ProcessKey started = program;
        return started != null && isAlive(started);
    }
}
