package dev.berth.server.runner.kubernetes;

import dev.berth.core.job.OutcomeReason;
import dev.berth.server.runner.EngineText;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateWaiting;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What keeps a container from starting, and may for ever: Kubernetes tries again and again, and never fails a Job for it.
 *
 * @param code Kubernetes' own: {@code ImagePullBackOff}
 * @param reason that of a job which ends by it
 * @param isForGood whether it cannot change, so that nobody needs to wait
 * @param sentence with Kubernetes' own words
 */
record StartTrouble(String code, OutcomeReason reason, boolean isForGood, String sentence) {
    private static final String INVALID_NAME = "InvalidImageName";

    private static final Map<String, OutcomeReason> KNOWN = Map.of(
            "ErrImagePull",
            OutcomeReason.IMAGE_UNAVAILABLE,
            "ImagePullBackOff",
            OutcomeReason.IMAGE_UNAVAILABLE,
            "ErrImageNeverPull",
            OutcomeReason.IMAGE_UNAVAILABLE,
            "ImageInspectError",
            OutcomeReason.IMAGE_UNAVAILABLE,
            "RegistryUnavailable",
            OutcomeReason.IMAGE_UNAVAILABLE,
            INVALID_NAME,
            OutcomeReason.IMAGE_UNAVAILABLE,
            "CreateContainerConfigError",
            OutcomeReason.START_FAILED,
            "CreateContainerError",
            OutcomeReason.START_FAILED,
            "RunContainerError",
            OutcomeReason.START_FAILED,
            // Of what runs beside the program alone, as nothing else is started again.
            "CrashLoopBackOff",
            OutcomeReason.START_FAILED);

    /** What is the matter with a pod; empty where nothing is. */
    static Optional<StartTrouble> of(PodState pod) {
        if (pod.hasBegun()) {
            // What ails its helper is no reason to end a program.
            return Optional.empty();
        }
        return Stream.of(pod.unpacking(), pod.tracking(), pod.program())
                .flatMap(Optional::stream)
                .map(ContainerState::getWaiting)
                .filter(Objects::nonNull)
                .filter(waiting -> waiting.getReason() != null && KNOWN.containsKey(waiting.getReason()))
                .findFirst()
                .map(StartTrouble::of);
    }

    private static StartTrouble of(ContainerStateWaiting waiting) {
        String code = waiting.getReason();
        OutcomeReason reason = Objects.requireNonNull(KNOWN.get(code));
        String message = Objects.requireNonNullElse(waiting.getMessage(), "");
        String what = reason == OutcomeReason.IMAGE_UNAVAILABLE
                ? "Kubernetes cannot pull the image"
                : "Kubernetes cannot start the container";
        String words = message.isBlank() ? "" : ": " + EngineText.of(message).sentence();
        return new StartTrouble(code, reason, code.equals(INVALID_NAME), what + " (" + code + ")" + words);
    }
}
