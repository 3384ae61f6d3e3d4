package dev.berth.server.runner.kubernetes;

import dev.berth.core.job.Outcome;
import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.StateName;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Berth's verdict on a Job that could not start. It is kept with the Job itself, so that a restart of the server finds it, and comes
 * with a deadline by which the cluster ends the Job: only then it counts.
 */
final class Verdict {
    private static final String REASON = "dev.berth/end";
    private static final String SENTENCE = "dev.berth/end-sentence";
    private static final Set<OutcomeReason> POSSIBLE =
            Set.of(OutcomeReason.IMAGE_UNAVAILABLE, OutcomeReason.START_FAILED);

    private Verdict() {}

    /** The annotations that keep it. */
    static Map<String, String> notes(StartTrouble trouble) {
        return Map.of(REASON, trouble.reason().name(), SENTENCE, trouble.sentence());
    }

    /** The one on this Job; empty where there is none. */
    static Optional<Outcome> on(Job job) {
        Map<String, String> notes = Objects.requireNonNullElse(job.getMetadata().getAnnotations(), Map.of());
        return reason(notes.getOrDefault(REASON, ""))
                .map(reason -> new Outcome(
                        StateName.FAILED, reason, notes.getOrDefault(SENTENCE, "Kubernetes could not start it"), null));
    }

    private static Optional<OutcomeReason> reason(String name) {
        return Stream.of(OutcomeReason.values())
                .filter(POSSIBLE::contains)
                .filter(reason -> reason.name().equals(name))
                .findFirst();
    }
}
