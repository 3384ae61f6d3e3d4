package dev.berth.server.runner.docker;

import dev.berth.server.runner.docker.engine.DockerContainerEngine;
import dev.berth.server.time.Clocks;
import java.time.InstantSource;
import java.util.Objects;

/** On the real Docker Engine; {@code ./check} starts one and builds the image. */
class DockerContainerEngineTest extends ContainerEngineContract {
    @Override
    ContainerEngine connect() {
        return new DockerContainerEngine(Clocks.neverSet(InstantSource.system()));
    }

    @Override
    String image() {
        return Objects.requireNonNullElse(System.getenv("BERTH_TEST_IMAGE"), "berth-job:latest");
    }
}
