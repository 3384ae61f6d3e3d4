package dev.berth.server.runner.kubernetes;

import static dev.berth.server.runner.kubernetes.Handovers.NOW;
import static dev.berth.server.runner.kubernetes.Handovers.SETTINGS;

import dev.berth.server.runner.target.Handed;
import dev.berth.server.runner.target.Handover;
import dev.berth.server.runner.target.TargetEngine;
import dev.berth.server.runner.target.TargetEngine.Reading.Stream;
import dev.berth.server.runner.target.TargetEngineContract;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;

/** The contract of engines at Kubernetes, whose controllers and nodes are played. */
class MockEngineTest extends TargetEngineContract {
    private final MockCluster cluster = new MockCluster();
    private final Map<String, String> written = new HashMap<>();

    @BeforeEach
    void makeNamespace() {
        cluster.makeNamespace();
    }

    @Override
    protected void close() {
        cluster.close();
    }

    @Override
    protected TargetEngine begin() {
        return cluster.watching(SETTINGS, () -> NOW);
    }

    @Override
    protected Handover job(long number) {
        return Handovers.of(number);
    }

    @Override
    protected void start(Handed one) {
        cluster.start(one.name());
    }

    @Override
    protected void write(Handed one, Stream stream, String line) {
        String pod = cluster.pod(one.name()).getMetadata().getName();
        String all = written.merge(pod + stream, "2026-11-28T12:01:00.1Z " + line, String::concat);
        if (stream == Stream.TRACK) {
            cluster.track(pod, all);
        } else {
            cluster.log(pod, all);
        }
    }

    @Override
    protected void end(Handed one, int exitCode) {
        cluster.end(one.name(), exitCode);
    }

    @Override
    protected int count(Handed one) {
        return (int) cluster.client().batch().v1().jobs().inNamespace("lab").list().getItems().stream()
                .filter(job -> job.getMetadata().getName().equals(one.name()))
                .count();
    }
}
