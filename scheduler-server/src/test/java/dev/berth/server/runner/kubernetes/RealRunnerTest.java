package dev.berth.server.runner.kubernetes;

import dev.berth.core.job.Submitter;
import dev.berth.server.runner.target.Handed;
import dev.berth.server.runner.target.TargetEngine;
import dev.berth.server.runner.target.TargetRunnerContract;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** The contract of runners at a {@linkplain RealSite real cluster}. Run as {@link RealControllersTest} is. */
@Tag("kubernetes")
class RealRunnerTest extends TargetRunnerContract {
    @TempDir
    private Path files;

    private @Nullable RealSite made;

    /** Made when the first server begins, which is before this class's own methods may. */
    private RealSite site() {
        RealSite site = made;
        if (site == null) {
            try {
                site = new RealSite(files);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            made = site;
        }
        return site;
    }

    @Override
    protected TargetEngine connect() {
        return site().engine();
    }

    @Override
    protected String image() {
        return "python:3.13";
    }

    /** Kubernetes does not know the largest ids of users and groups. */
    @Override
    protected Submitter owner() {
        return Handovers.ADA;
    }

    @Override
    protected void start(Handed one) {
        site().start(one);
    }

    @Override
    protected void end(Handed one, int exitCode) {
        site().end(one, exitCode);
    }

    @Override
    protected boolean isAlive(Handed one) {
        return site().pod(one)
                .filter(pod -> pod.getStatus().getPhase().equals("Running"))
                .isPresent();
    }

    @Override
    protected void close() throws Exception {
        super.close();
        site().close();
    }
}
