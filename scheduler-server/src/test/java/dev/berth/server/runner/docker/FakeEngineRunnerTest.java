package dev.berth.server.runner.docker;

import java.time.InstantSource;

/** The runner of containers on an engine that runs nothing. */
class FakeEngineRunnerTest extends ContainerRunnerContract {
    private final FakeContainerEngine engine =
            new FakeContainerEngine(InstantSource.system(), (_, _) -> {}).withImage("image");

    @Override
    ContainerEngine connect() {
        return engine;
    }

    @Override
    String image() {
        return "image";
    }

    @Override
    void tellToExit(String container, int exitCode) {
        engine.end(container, exitCode);
    }
}
