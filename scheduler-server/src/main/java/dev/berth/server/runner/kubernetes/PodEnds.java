package dev.berth.server.runner.kubernetes;

import dev.berth.core.job.Outcome;
import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.StateName;
import dev.berth.server.runner.EngineText;
import dev.berth.server.runner.target.Phase.End;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.batch.v1.JobCondition;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** How a program ended, by what its pod says, or by its Job where the pod is gone. Kubernetes' codes decide, its words do not. */
final class PodEnds {
    private static final String DEADLINE = "DeadlineExceeded";

    /** The pod was told to go by the cluster and not by its program (kubernetes.io, "Pod disruption conditions"). */
    private static final String DISRUPTION = "DisruptionTarget";

    private static final String EVICTED = "Evicted";

    /** Reasons of a whole pod for which its node gave it up. */
    private static final Set<String> NODE_REASONS = Set.of(
            EVICTED, "NodeLost", "NodeShutdown", "Terminated", "Shutdown", "Preempting", "UnexpectedAdmissionError");

    /** Codes of a container whose program never ran: containerd's, Docker's. */
    private static final Set<String> NEVER_RAN = Set.of("StartError", "ContainerCannotRun");

    private static final String UNKNOWN = "ContainerStatusUnknown";

    private PodEnds() {}

    /** The end of a pod that is over. */
    static End of(PodState pod) {
        if (pod.reason().equals(DEADLINE)) {
            return timeout();
        }
        Optional<ContainerStateTerminated> end = pod.end();
        if (pod.hasSucceeded() && end.isPresent()) {
            // It was quicker than what was to take it from its node.
            return of(end.get());
        }
        Optional<PodCondition> disruption = pod.condition(DISRUPTION, true);
        if (disruption.isPresent()) {
            return lost(
                    reason(disruption.get().getReason()),
                    "Kubernetes took its pod from node " + pod.node() + " ("
                            + disruption.get().getReason() + ")"
                            + words(disruption.get().getMessage()));
        }
        if (NODE_REASONS.contains(pod.reason())) {
            return lost(
                    reason(pod.reason()),
                    "its node " + pod.node() + " gave it up (" + pod.reason() + ")" + words(pod.message()));
        }
        return end.isPresent() ? of(end.get()) : withoutProgram(pod);
    }

    private static End of(ContainerStateTerminated end) {
        String reason = Objects.requireNonNullElse(end.getReason(), "");
        if (NEVER_RAN.contains(reason)) {
            return failed("Kubernetes could not start the program (" + reason + ")" + words(end.getMessage()));
        }
        if (reason.equals(UNKNOWN)) {
            return lost("Kubernetes does not know how the program ended (" + reason + ")" + words(end.getMessage()));
        }
        return new End.Exited(Objects.requireNonNullElse(end.getExitCode(), 0), reason.equals("OOMKilled"));
    }

    private static End withoutProgram(PodState pod) {
        ContainerStateTerminated unpacking =
                pod.unpacking().map(ContainerState::getTerminated).orElse(null);
        if (unpacking != null && !Objects.equals(unpacking.getExitCode(), 0)) {
            return failed("the job's directory could not be unpacked in its pod: container " + SnapshotPlan.CONTAINER
                    + " ended with exit code " + unpacking.getExitCode() + words(unpacking.getMessage()));
        }
        return lost("its pod ended before its program began (" + orUnknown(pod.reason()) + ")" + words(pod.message()));
    }

    /** The end of a Job whose pod nobody has any more. */
    static End of(JobCondition condition) {
        if ("Complete".equals(condition.getType())) {
            return new End.Exited(0, false);
        }
        return DEADLINE.equals(condition.getReason())
                ? timeout()
                : lost("its pod is gone, and Kubernetes keeps no record of how it ended ("
                        + orUnknown(condition.getReason()) + ")" + words(condition.getMessage()));
    }

    private static String orUnknown(@Nullable String reason) {
        return reason == null || reason.isEmpty() ? "no reason given" : reason;
    }

    private static End timeout() {
        return new End.ByEngine(new Outcome(
                StateName.TIMEOUT,
                OutcomeReason.TIME_LIMIT,
                "stopped by Kubernetes at its deadline (" + DEADLINE
                        + "), as Berth had not stopped it at its time limit",
                null));
    }

    private static End failed(String sentence) {
        return new End.ByEngine(new Outcome(StateName.FAILED, OutcomeReason.START_FAILED, sentence, null));
    }

    private static End lost(String sentence) {
        return lost(OutcomeReason.TARGET_LOST, sentence);
    }

    private static End lost(OutcomeReason reason, String sentence) {
        return new End.ByEngine(new Outcome(StateName.LOST, reason, sentence, null));
    }

    /** Kubernetes' own words for why a pod had to go (kubernetes.io, "Pod disruption conditions"; kubelet's of nodes). */
    private static OutcomeReason reason(@Nullable String word) {
        return switch (Objects.requireNonNullElse(word, "")) {
            case "PreemptionByScheduler", "Preempting", EVICTED, "EvictionByEvictionAPI" -> OutcomeReason.PREEMPTED;
            case "DeletionByTaintManager",
                    "DeletionByPodGC",
                    "NodeLost",
                    "NodeShutdown",
                    "Shutdown",
                    "TerminationByKubelet" -> OutcomeReason.NODE_LOST;
            default -> OutcomeReason.TARGET_LOST;
        };
    }

    private static String words(@Nullable String message) {
        return message == null || message.isBlank()
                ? ""
                : ": " + EngineText.of(message).sentence();
    }
}
