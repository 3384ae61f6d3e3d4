package dev.berth.server.runner.kubernetes;

import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.target.Handed;
import dev.berth.server.runner.target.Handover;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Makes the Job of an attempt, and then its Secrets, which belong to it. The Job's name is the attempt's, so a second one is never
 * made; and until both Secrets are there its program cannot start, so a hand-over that broke off is completed by the next.
 *
 * @param isTracked whether what programs write to {@code $BERTH_TRACK} is read
 */
record HandOvers(ClusterCalls calls, SnapshotArchives archives, boolean isTracked) {
    /** A name of a Job is put into a label of its pods (kubernetes.io, "Labels and Selectors"). */
    private static final int MAX_NAME = 63;

    void handOver(Handover handover) {
        check(handover);
        // One that nobody has begun is not asked for: should it be there all the same, its name says so.
        Optional<Job> there = handover.mayBeThere() ? calls.job(handover.handed()) : Optional.empty();
        Secret environment = archives.secrets().environment(handover);
        if (there.isPresent()) {
            complete(handover, environment, there.get());
            return;
        }
        Optional<Secret> snapshot = archives.prepare(handover);
        Brought brought = new Brought(isTracked, archives.prepareOutputs(handover.handed()));
        Job job = create(handover, new JobManifest(calls.settings(), calls.labels(), brought).of(handover));
        if (job == null) {
            complete(handover, environment, calls.job(handover.handed()).orElseThrow(() -> notOurs(handover.handed())));
            return;
        }
        try {
            snapshot.ifPresent(secret -> calls.create(AttemptSecret.ownedBy(secret, job)));
            calls.create(AttemptSecret.ownedBy(environment, job));
        } catch (EngineException e) {
            withdraw(job, e);
            throw e;
        }
    }

    private void check(Handover handover) {
        String name = handover.handed().name();
        if (name.length() > MAX_NAME) {
            throw new EngineException(
                    Kind.REFUSED,
                    "the name " + name + " has " + name.length() + " characters, and a Job of Kubernetes at most "
                            + MAX_NAME);
        }
        KubernetesRefusals.of(handover.job().spec(), handover.handed().owner(), calls.settings())
                .ifPresent(sentence -> {
                    throw new EngineException(Kind.REFUSED, sentence);
                });
    }

    /** What is missing of a hand-over that broke off after its Job was made. Once the last Secret is there, nothing is. */
    private void complete(Handover handover, Secret environment, Job job) {
        if (!OneStart.hasBegun(job)
                && !calls.hasSecret(environment.getMetadata().getName())) {
            archives.prepare(handover).ifPresent(secret -> calls.create(AttemptSecret.ownedBy(secret, job)));
            calls.create(AttemptSecret.ownedBy(environment, job));
        }
    }

    /** The Job as it was made; null where there is one of its name. */
    private @Nullable Job create(Handover handover, Job job) {
        KubernetesClient client = calls.client();
        try {
            return client.batch()
                    .v1()
                    .jobs()
                    .inNamespace(calls.namespace())
                    .resource(job)
                    .create();
        } catch (KubernetesClientException e) {
            if (Failures.isConflict(e)) {
                return null;
            }
            throw refused(handover.handed(), e);
        }
    }

    private EngineException notOurs(Handed handed) {
        return new EngineException(
                Kind.REFUSED,
                "there is a Job " + handed.name() + " in namespace " + calls.namespace()
                        + " that this server did not make: look at it, and delete it where nobody needs it: "
                        + calls.failures().kubectl().inNamespace("delete job " + handed.name()));
    }

    /**
     * Kubernetes says 403 for a quota that is used up or a namespace that is being deleted, which is no matter of the job; for an
     * admission rule that such a job breaks, which is; and for a right that the server lacks, which it can ask about.
     */
    private EngineException refused(Handed handed, KubernetesClientException failure) {
        EngineException usual = calls.failures().ofCreate("Jobs", "jobs.batch", handed.name(), failure);
        return !Failures.isForbidden(failure)
                        || Failures.isPassing("jobs.batch", handed.name(), failure)
                        || !new Rights(calls).may("create", "batch", "jobs", "")
                ? usual
                : new EngineException(
                        Kind.REFUSED,
                        "a rule of the cluster does not admit such a job: " + Failures.words(failure),
                        failure);
    }

    /** A Job without its Secrets can never start: it goes again, unless the next hand-over may complete it. */
    private void withdraw(Job job, EngineException failure) {
        if (failure.kind() == Kind.REFUSED) {
            try {
                calls.delete(job);
            } catch (EngineException e) {
                failure.addSuppressed(e);
            }
        }
    }
}
