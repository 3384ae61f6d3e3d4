package dev.berth.server.container;

import dev.berth.server.log.LogSink.Stream;
import java.time.InstantSource;

class FakeContainerEngineTest extends ContainerEngineContract {
    @Override
    ContainerEngine connect() {
        return new FakeContainerEngine(InstantSource.system(), FakeContainerEngineTest::perform).withImage(image());
    }

    @Override
    String image() {
        return "some-image:latest";
    }

    private static void perform(FakeContainerEngine engine, ContainerPlan plan) {
        if (plan.command().equals(ENDS_WITH_3)) {
            engine.end(plan.name(), 3);
        } else if (plan.command().equals(WRITES)) {
            engine.print(plan.name(), Stream.OUT, "out\n");
            engine.print(plan.name(), Stream.ERR, "err\n");
            engine.print(plan.name(), Stream.OUT, "last");
            engine.end(plan.name(), 0);
        }
    }
}
