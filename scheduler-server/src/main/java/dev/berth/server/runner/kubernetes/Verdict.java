package dev.berth.server.runner.kubernetes;

import dev.berth.core.job.Outcome;
import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.StateName;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Berth's verdict on a Job that could not start, or would start again. It is kept with the Job itself, so that a restart of the server
 * finds it, and comes with a deadline by which the cluster ends the Job: only then it counts.
 */
final class Verdict {
    private static final String REASON = "dev.berth/end";
    private static final String SENTENCE = "dev.berth/end-sentence";
    private static final String SECOND_POD =
            "its pod is gone: somebody deleted it, or its node was drained; Kubernetes would have begun it again in"
                    + " another pod, and Berth ended that";
    private static final Map<OutcomeReason, StateName> POSSIBLE = Map.of(
            OutcomeReason.IMAGE_UNAVAILABLE,
            StateName.FAILED,
            OutcomeReason.START_FAILED,
            StateName.FAILED,
            OutcomeReason.TARGET_LOST,
            StateName.LOST);

    private Verdict() {}

    /** The annotations that keep it. */
    static Map<String, String> notes(StartTrouble trouble) {
        return Map.of(REASON, trouble.reason().name(), SENTENCE, trouble.sentence());
    }

    /** The same of a Job that would begin its program in another pod than it ran in. */
    static Map<String, String> ofSecondPod() {
        return Map.of(REASON, OutcomeReason.TARGET_LOST.name(), SENTENCE, SECOND_POD);
    }

    /** How such a Job has ended. */
    static Outcome secondPod() {
        return new Outcome(StateName.LOST, OutcomeReason.TARGET_LOST, SECOND_POD, null);
    }

    /** The one on this Job; empty where there is none. */
    static Optional<Outcome> on(Job job) {
        Map<String, String> notes = Objects.requireNonNullElse(job.getMetadata().getAnnotations(), Map.of());
        return reason(notes.getOrDefault(REASON, ""))
                .map(reason -> new Outcome(
                        Objects.requireNonNull(POSSIBLE.get(reason)),
                        reason,
                        notes.getOrDefault(SENTENCE, "Kubernetes could not start it"),
                        null));
    }

    private static Optional<OutcomeReason> reason(String name) {
        return Stream.of(OutcomeReason.values())
                .filter(POSSIBLE::containsKey)
                .filter(reason -> reason.name().equals(name))
                .findFirst();
    }
}
