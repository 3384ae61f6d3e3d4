package dev.berth.server.runner.docker;

import dev.berth.server.runner.docker.engine.DockerContainerEngine;
import dev.berth.server.time.Clocks;
import java.time.InstantSource;
import java.util.Objects;

/** The runner of containers on the real Docker Engine; {@code ./check} starts one and builds the image. */
class DockerEngineRunnerTest extends ContainerRunnerContract {
    @Override
    ContainerEngine connect() {
        return new DockerContainerEngine(Clocks.neverSet(InstantSource.system()));
    }

    @Override
    String image() {
        return Objects.requireNonNullElse(System.getenv("BERTH_TEST_IMAGE"), "berth-job:latest");
    }

    @Override
    void tellToExit(String container, int exitCode) {
        // Its program reads the file.
    }
}
