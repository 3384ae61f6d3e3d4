package dev.berth.server.runner.slurm;

import dev.berth.core.job.Program;
import dev.berth.core.job.Submitter;
import dev.berth.server.runner.target.Handed;
import dev.berth.server.runner.target.TargetEngine;
import dev.berth.server.runner.target.TargetRunnerContract;
import dev.berth.testclient.SlurmCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The runner of targets on a real Slurm cluster. */
class SlurmRunnerTest extends TargetRunnerContract {
    /** Says which process it is, and ends as a file says. */
    private static final String PROGRAM = """
            echo $$ > pid.new
            mv pid.new pid
            until [ -e end ]; do sleep 0.05; done
            exit "$(cat end)"
            """;

    private static SlurmLab lab;

    private @Nullable ProcessHandle process;

    @BeforeAll
    static void startLab() {
        lab = SlurmLab.start("runner");
    }

    @AfterAll
    static void closeLab() {
        lab.close();
    }

    @Override
    protected TargetEngine connect() {
        return SlurmLab.engine(lab.settings());
    }

    @Override
    protected Submitter owner() {
        return lab.ada().submitter();
    }

    @Override
    protected Program program() {
        return SlurmJobs.shell(PROGRAM);
    }

    @Override
    protected void start(Handed one) {
        Path file = lab.directory(one).resolve("code/pid");
        while (!Files.exists(file)) {
            SlurmCluster.pause();
        }
        try {
            process = ProcessHandle.of(Long.parseLong(Files.readString(file).strip()))
                    .orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    protected void end(Handed one, int exitCode) {
        lab.put(one, "end", Integer.toString(exitCode));
    }

    @Override
    protected boolean isAlive(Handed one) {
        ProcessHandle started = process;
        return started != null && started.isAlive();
    }
}
