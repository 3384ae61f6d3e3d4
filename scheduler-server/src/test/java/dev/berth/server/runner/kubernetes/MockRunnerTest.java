package dev.berth.server.runner.kubernetes;

import static dev.berth.server.runner.kubernetes.Handovers.NOW;
import static dev.berth.server.runner.kubernetes.Handovers.SETTINGS;

import dev.berth.core.job.Submitter;
import dev.berth.server.runner.target.Handed;
import dev.berth.server.runner.target.TargetEngine;
import dev.berth.server.runner.target.TargetRunnerContract;
import io.fabric8.kubernetes.api.model.Pod;

/** The runner of targets at Kubernetes, whose controllers and nodes are played. */
class MockRunnerTest extends TargetRunnerContract {
    private final MockCluster cluster = new MockCluster();

    MockRunnerTest() {
        cluster.makeNamespace();
    }

    @Override
    protected TargetEngine connect() {
        return cluster.watching(SETTINGS, () -> NOW);
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
        cluster.start(one.name());
        cluster.log(cluster.pod(one.name()).getMetadata().getName(), "");
    }

    @Override
    protected void end(Handed one, int exitCode) {
        cluster.end(one.name(), exitCode);
    }

    @Override
    protected boolean isAlive(Handed one) {
        Pod pod = cluster.pod(one.name());
        return pod != null && pod.getStatus().getPhase().equals("Running");
    }

    @Override
    protected void close() throws Exception {
        super.close();
        cluster.close();
    }
}
