package dev.berth.server.runner.kubernetes;

import dev.berth.core.job.Limits;
import dev.berth.server.runner.target.Handed;
import dev.berth.server.runner.target.Handover;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Makes the Job of an attempt: one pod, once, whatever becomes of it. The Job is kept until Berth removes it, as it is the record
 * of how the attempt ended.
 *
 * @param brought which files of the program are brought here
 */
record JobManifest(KubernetesSettings settings, AttemptLabels labels, Brought brought) {
    /** Kueue's own label, by which it takes a Job into a queue. */
    static final String QUEUE = "kueue.x-k8s.io/queue-name";

    private static final Duration SLACK = Duration.ofMinutes(5);

    Job of(Handover handover) {
        Handed handed = handover.handed();
        Map<String, String> own = new HashMap<>(labels.of(handed));
        if (settings.queue() != null) {
            own.put(QUEUE, settings.queue());
        }
        return new JobBuilder()
                .withNewMetadata()
                .withName(handed.name())
                .withNamespace(settings.namespace())
                .withLabels(own)
                .endMetadata()
                .withNewSpec()
                .withParallelism(1)
                .withCompletions(1)
                .withBackoffLimit(0)
                .withSuspend(settings.queue() != null)
                .withTemplate(template(handover))
                .endSpec()
                .build();
    }

    private PodTemplateSpec template(Handover handover) {
        PodManifest pod = new PodManifest(settings, handover, brought);
        return new PodTemplateSpecBuilder()
                .withNewMetadata()
                .withLabels(labels.of(handover.handed()))
                .withAnnotations(ParameterPlan.annotations(handover))
                .endMetadata()
                .withSpec(pod.spec(longest(handover.job().spec().limits())))
                .build();
    }

    /**
     * For how long the cluster lets the pod be, should Berth be away when its time is up: so that Berth's own limit always comes
     * first, which counts from the program's start and not from that of the pod. Zero for no limit.
     */
    private Duration longest(Limits limits) {
        return limits.time() == null
                ? Duration.ZERO
                : limits.time()
                        .plus(PodManifest.grace(limits))
                        .plus(settings.startDeadline())
                        .plus(SLACK);
    }
}
