package dev.berth.server.runner.kubernetes;

import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Program;
import dev.berth.core.job.Signal;
import dev.berth.core.job.Submitter;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.kubernetes.KubernetesSettings.SnapshotWay;
import dev.berth.server.runner.target.Handed;
import dev.berth.server.runner.target.Handover;
import dev.berth.server.runner.target.Phase;
import dev.berth.server.runner.target.Snapshot;
import dev.berth.server.runner.target.TargetEngine;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A namespace of a Kubernetes cluster as a target. Each attempt is one Job of one pod that is never started again; its name is the
 * attempt's. What has to outlive this server is kept with the Job, as annotations: up to where its output is known, and why it could
 * not start.
 *
 * <p>Jobs cannot be set aside here. Kubernetes has {@code spec.suspend} for that, which deletes the pod: a program that began in that
 * very moment would be ended, and begin a second time when the Job goes on. What Berth has not handed over yet it holds itself.
 */
public final class KubernetesEngine implements TargetEngine, AutoCloseable {
    private final ClusterCalls calls;
    private final ClusterHealth health;
    private final SnapshotArchives archives;
    private final Told told;
    private final Looks looks;
    private final Logs logs;
    private volatile @Nullable Boolean isTracked;

    /**
     * Connects to a cluster, which is asked nothing yet.
     *
     * @throws EngineException where the kubeconfig cannot be read
     */
    public static KubernetesEngine of(OwnServer server, KubernetesSettings settings, InstantSource clock) {
        return new KubernetesEngine(server, settings, KubernetesConnection.open(settings), clock, Watched.GOOD_FOR);
    }

    KubernetesEngine(
            OwnServer server,
            KubernetesSettings settings,
            KubernetesClient client,
            InstantSource clock,
            Duration goodFor) {
        Failures failures = new Failures(client.getMasterUrl().toString(), Kubectl.of(settings));
        this.calls = new ClusterCalls(client, settings, new AttemptLabels(server.id()), failures);
        this.health = new ClusterHealth(calls);
        this.archives = new SnapshotArchives(settings.snapshots(), new AttemptSecret(settings, calls.labels()), server);
        this.told = new Told(calls, goodFor, clock);
        this.looks = new Looks(calls, told, clock);
        this.logs = new Logs(calls, told, clock);
    }

    @Override
    public Abilities abilities() {
        Set<Ability> all =
                EnumSet.of(Ability.GRACE, Ability.CONTAINERS, Ability.WORKING_DIRECTORY, Ability.NODE_TRAITS);
        if (calls.settings().snapshots() instanceof SnapshotWay.OnVolume) {
            all.add(Ability.OUTPUTS);
        }
        return new Abilities("Kubernetes", health.usualOrder(), all);
    }

    @Override
    public Health health() {
        return health.health();
    }

    @Override
    public List<Finding> examine(Submitter who) {
        return new Examination(calls, health).findings();
    }

    @Override
    public Optional<String> refusal(JobSpec spec, Program program, Submitter owner, Optional<Snapshot> directory) {
        return KubernetesRefusals.of(spec, owner, calls.settings())
                .or(() -> AttemptSecret.refusal(program.environment()))
                .or(() -> directory.flatMap(archives::refusal));
    }

    /** Events outlive what they are about, by an hour unless the cluster says otherwise (kube-apiserver, "event-ttl"). */
    @Override
    public String inspection(Handed handed, String id) {
        return Kubectl.of(calls.settings()).inNamespace("get events") + " | grep " + handed.name() + " says more";
    }

    /** What unpacks snapshots can be pulled in any case. */
    @Override
    public Optional<String> trialImage() {
        return Optional.of(calls.settings().snapshots().image());
    }

    @Override
    public void handOver(Handover handover) {
        new HandOvers(calls, archives, isTracked()).handOver(handover);
    }

    /** Asked once: a cluster that is brought to a newer version has it from the next server on. */
    private boolean isTracked() {
        Boolean known = isTracked;
        if (known == null) {
            known = health.hasSidecars();
            isTracked = known;
        }
        return known;
    }

    @Override
    public Map<Handed, Phase> look(Collection<Handed> handed) {
        return looks.look(handed);
    }

    @Override
    public boolean collect(Collection<Reading> readings) {
        return logs.collect(readings);
    }

    /** The Job goes first, so that it makes no other pod; its pod then has the grace that is asked for. */
    @Override
    public void cancel(Handed handed, Duration grace) {
        calls.job(handed).ifPresent(calls::delete);
        for (Pod pod : calls.pods(handed)) {
            if (!new PodState(pod).isOver()) {
                calls.delete(pod, grace);
            }
        }
    }

    @Override
    public boolean signal(Handed handed, Signal signal) {
        throw new EngineException(
                Kind.REFUSED,
                "Kubernetes sends a program no signal but TERM at its end, so " + signal.inFull()
                        + " cannot be sent: berth cancel ends it");
    }

    @Override
    public void hold(Handed handed, boolean isHeld) {
        throw new EngineException(
                Kind.REFUSED,
                "Kubernetes cannot set a Job aside without ending a program that begins in that moment: cancel the job"
                        + " and submit it again, or have the operator set targets.NAME.at-once lower, so that the others wait in"
                        + " Berth's own queue, where they can be held");
    }

    /** Without a volume that this server sees as well, the files of a pod end with it. */
    @Override
    public void fetch(Handed handed, Path into) {
        archives.fetch(handed, () -> calls.job(handed).filter(OutputPlan::isIn).isPresent(), into);
    }

    @Override
    public void discard(Handed handed) {
        calls.job(handed).ifPresent(calls::delete);
        // They go with the Job, unless it was deleted by somebody who left them.
        calls.deleteSecret(handed.name());
        calls.deleteSecret(AttemptSecret.snapshotName(handed));
        archives.remove(handed);
        logs.forget(handed);
        looks.forget(handed);
    }

    @Override
    public void close() {
        told.close();
        calls.client().close();
    }
}
