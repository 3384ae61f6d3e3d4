package dev.berth.server.runner.host;

import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.Place.OnHost;
import dev.berth.server.cgroup.LeaseCgroups;
import dev.berth.server.example.Jobs;
import dev.berth.server.linux.ProcessKey;
import dev.berth.server.linux.ProcessTable;
import dev.berth.server.runner.Notices;
import dev.berth.server.runner.Runner;
import dev.berth.server.runner.RunnerContract;
import dev.berth.server.runner.VirtualThreadTasks;
import dev.berth.server.store.HostProcess;
import dev.berth.server.time.Clocks;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The runner of programs on the machine itself, on real processes; this one is the command that starts them. */
class HostRunnerTest extends RunnerContract {
    private final ProcessTable table = new ProcessTable(Path.of("/proc"));
    private final List<HostProcess> rows = new ArrayList<>();
    private volatile HostRunner hosts = server((_, _) -> {});
    private @Nullable Process program;

    private HostRunner server(Notices notices) {
        return new HostRunner(new LeaseParts(
                "lab",
                Path.of("/proc"),
                LeaseCgroups.none("a test"),
                () -> List.copyOf(rows),
                () -> isAlive(job()) ? List.of(job().with(Jobs.runningOn(0))) : List.of(),
                notices,
                () -> {},
                new VirtualThreadTasks(),
                Duration.ofSeconds(1),
                Clocks.neverSet(InstantSource.system())));
    }

    @Override
    protected Runner begin(Notices notices) {
        HostRunner fresh = server(notices);
        fresh.open();
        hosts = fresh;
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

    private ProcessKey key(long pid) {
        return table.find(pid).orElseThrow().key();
    }

    @Override
    protected void made(Job job) throws LeaseException, IOException {
        Process started = new ProcessBuilder("/bin/sh", "-c", "read code; exit $code").start();
        program = started;
        // As the real command does, to whichever server there is then.
        var _ = started.onExit().thenAccept(ended -> hosts.exited(job.id(), 1, ended.exitValue()));
        ProcessKey command = key(ProcessHandle.current().pid());
        HostRunner.Visit _ = hosts.visit(job, command, 0);
        rows.add(hosts.begin(job.id(), new Started(1, key(started.pid()), command), 0)
                .orElseThrow());
        hosts.begun(job.id());
    }

    @Override
    protected void exit(Job job, int exitCode) throws IOException {
        try (Writer input = Objects.requireNonNull(program).outputWriter()) {
            input.write(exitCode + "\n");
        }
    }

    @Override
    protected boolean isAlive(Job job) {
        Process started = program;
        return started != null && started.isAlive();
    }
}
