package dev.berth.server.runner.kubernetes;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState;
import dev.berth.core.job.Label;
import dev.berth.core.job.Limits;
import dev.berth.core.job.Place.InContainer;
import dev.berth.core.job.Program;
import dev.berth.core.job.Resources;
import dev.berth.core.job.Submitter;
import dev.berth.core.machine.Attempt;
import dev.berth.server.linux.UserThreads;
import dev.berth.server.runner.kubernetes.KubernetesSettings.Access;
import dev.berth.server.runner.kubernetes.KubernetesSettings.Nodes;
import dev.berth.server.runner.kubernetes.KubernetesSettings.SnapshotWay;
import dev.berth.server.runner.target.Handed;
import dev.berth.server.runner.target.Handover;
import dev.berth.server.runner.target.Snapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Jobs for the tests, and the settings of a cluster. */
final class Handovers {
    static final String SERVER = "a1b2c3";
    static final Submitter ADA = new Submitter(1000, 1001, List.of(27L, 44L), "ada");
    static final InContainer PYTHON = InContainer.of("", "python:3.13");
    static final Instant NOW = Instant.parse("2026-11-28T12:00:00Z");

    static final KubernetesSettings SETTINGS = new KubernetesSettings(
            Access.USUAL,
            "lab",
            null,
            Nodes.ANY,
            List.of(),
            new SnapshotWay.InSecret(KubernetesSettings.DEFAULT_SNAPSHOT_IMAGE),
            KubernetesSettings.DEFAULT_START_DEADLINE,
            KubernetesSettings.DEFAULT_CALL_DEADLINE);

    private Handovers() {}

    static OwnServer server() {
        return server(SERVER);
    }

    /** Another one. */
    static OwnServer server(String id) {
        return new OwnServer(
                id,
                handed -> "/fetch?of=" + handed.name(),
                ProcessHandle.current().info().user().equals(Optional.of("root"))
                        ? UserThreads.ofRoot()
                        : UserThreads.own());
    }

    static KubernetesSettings in(String namespace) {
        return new KubernetesSettings(
                SETTINGS.access(),
                namespace,
                SETTINGS.queue(),
                SETTINGS.nodes(),
                SETTINGS.imagePullSecrets(),
                SETTINGS.snapshots(),
                SETTINGS.startDeadline(),
                SETTINGS.callDeadline());
    }

    static KubernetesSettings within(Duration deadline) {
        return new KubernetesSettings(
                SETTINGS.access(),
                SETTINGS.namespace(),
                SETTINGS.queue(),
                SETTINGS.nodes(),
                SETTINGS.imagePullSecrets(),
                SETTINGS.snapshots(),
                SETTINGS.startDeadline(),
                deadline);
    }

    static KubernetesSettings queued(String queue) {
        return new KubernetesSettings(
                SETTINGS.access(),
                SETTINGS.namespace(),
                queue,
                SETTINGS.nodes(),
                SETTINGS.imagePullSecrets(),
                SETTINGS.snapshots(),
                SETTINGS.startDeadline(),
                SETTINGS.callDeadline());
    }

    static KubernetesSettings by(SnapshotWay way) {
        return new KubernetesSettings(
                SETTINGS.access(),
                SETTINGS.namespace(),
                SETTINGS.queue(),
                SETTINGS.nodes(),
                SETTINGS.imagePullSecrets(),
                way,
                SETTINGS.startDeadline(),
                SETTINGS.callDeadline());
    }

    static KubernetesSettings on(Nodes nodes, String... pullSecrets) {
        return new KubernetesSettings(
                SETTINGS.access(),
                SETTINGS.namespace(),
                SETTINGS.queue(),
                nodes,
                List.of(pullSecrets),
                SETTINGS.snapshots(),
                SETTINGS.startDeadline(),
                SETTINGS.callDeadline());
    }

    static JobSpec spec(InContainer place, Resources resources, Limits limits) {
        return new JobSpec(new Label("train", "ships", List.of()), place, resources, limits, false, null);
    }

    static JobSpec gpus(int count) {
        return spec(PYTHON, Resources.of(GpuRequest.whole(count)), Limits.NONE);
    }

    static Handed handed(long job) {
        return new Handed(new Attempt(new JobId(job), 1), "berth-" + SERVER + "-" + job + "-1", ADA, NOW);
    }

    static Handover of(long id, JobSpec spec, Program program) {
        Job job = new Job(new JobId(id), spec, ADA, NOW, new JobState.Queued(1, new ImageState.Pending()));
        return new Handover(handed(id), job, program, Map.of("BERTH_JOB_ID", Long.toString(id)), null);
    }

    static Handover of(long id, JobSpec spec) {
        return of(id, spec, new Program(List.of("python", "main.py"), Map.of("LR", "0.1")));
    }

    static Handover of(long id) {
        return of(id, gpus(0));
    }

    static Handover with(Handover handover, Snapshot snapshot) {
        return new Handover(handover.handed(), handover.job(), handover.program(), handover.environment(), snapshot);
    }

    /** A directory that is no real archive: nobody here unpacks it. */
    static Snapshot snapshot(byte[] content) {
        return archive -> archive.write(content);
    }

    static Snapshot snapshot(String content) {
        return snapshot(content.getBytes(UTF_8));
    }
}
