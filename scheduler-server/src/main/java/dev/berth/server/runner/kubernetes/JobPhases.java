package dev.berth.server.runner.kubernetes;

import dev.berth.core.job.Outcome;
import dev.berth.core.job.StateName;
import dev.berth.server.runner.EngineText;
import dev.berth.server.runner.target.Phase;
import dev.berth.server.runner.target.Phase.End;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStateWaiting;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobCondition;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How far an attempt is, by its Job and its pod.
 *
 * @param queue Kueue's, or null
 */
record JobPhases(@Nullable String queue) {

    /**
     * How far a Job is that is there.
     *
     * @param pod its own; null where there is none
     * @param hindrance Kubernetes' words for why it could not make the pod; empty where it says nothing
     */
    Phase of(Job job, @Nullable PodState pod, String hindrance, Instant now) {
        String id = job.getMetadata().getName();
        Optional<JobCondition> end = end(job);
        Optional<Outcome> verdict = Verdict.on(job);
        if (end.isPresent() && (pod == null || pod.isOver())) {
            return over(id, how(end.get(), pod, verdict), pod, endOf(end.get(), pod, now));
        }
        if (pod == null) {
            return new Phase.Waiting(id, isHeld(job), unmade(job, hindrance));
        }
        if (pod.isOver()) {
            return over(id, how(pod, verdict), pod, ended(pod).orElse(now));
        }
        return pod.startedAt()
                .<Phase>map(started -> new Phase.Alive(id, started, pod.node()))
                .orElseGet(() -> new Phase.Waiting(id, false, waiting(pod, verdict.isPresent())));
    }

    private static End how(JobCondition end, @Nullable PodState pod, Optional<Outcome> verdict) {
        return pod == null ? verdict.<End>map(End.ByEngine::new).orElseGet(() -> PodEnds.of(end)) : how(pod, verdict);
    }

    /** A pod whose Job the cluster was told to end may be over before the Job is. */
    private static End how(PodState pod, Optional<Outcome> verdict) {
        return verdict.filter(outcome -> !pod.hasBegun() || outcome.state() == StateName.LOST)
                .<End>map(End.ByEngine::new)
                .orElseGet(() -> PodEnds.of(pod));
    }

    /** How far an attempt is whose Job is gone and whose pod is not: what a cancel leaves until the program has ended. */
    Phase without(PodState pod, Instant now) {
        String id = AttemptLabels.jobOf(pod.pod());
        if (pod.isOver()) {
            return over(id, PodEnds.of(pod), pod, ended(pod).orElse(now));
        }
        return pod.startedAt()
                .<Phase>map(started -> new Phase.Alive(id, started, pod.node()))
                .orElseGet(() -> new Phase.Waiting(id, false, "Kubernetes removes its pod"));
    }

    private static Phase over(String id, End how, @Nullable PodState pod, Instant at) {
        Instant began = pod == null ? null : pod.startedAt().orElse(null);
        return new Phase.Over(id, how, began, at, null);
    }

    private static Instant endOf(JobCondition end, @Nullable PodState pod, Instant now) {
        return (pod == null ? Optional.<Instant>empty() : ended(pod))
                .or(() -> PodState.time(end.getLastTransitionTime()))
                .orElse(now);
    }

    private static Optional<Instant> ended(PodState pod) {
        return pod.end().map(ContainerStateTerminated::getFinishedAt).flatMap(PodState::time);
    }

    /** The condition by which a Job is over: {@code Complete} or {@code Failed}. */
    static Optional<JobCondition> end(Job job) {
        List<JobCondition> all =
                job.getStatus() == null ? List.of() : job.getStatus().getConditions();
        return all.stream()
                .filter(condition -> "True".equals(condition.getStatus()))
                .filter(condition -> "Complete".equals(condition.getType()) || "Failed".equals(condition.getType()))
                .findFirst();
    }

    private boolean isHeld(Job job) {
        return queue == null && isSuspended(job);
    }

    /** The end of a program that ran in a pod of a suspended Job, which is gone. */
    static Phase takenBack(Job job, Instant now) {
        return over(job.getMetadata().getName(), new End.ByEngine(Verdict.secondPod()), null, now);
    }

    static boolean isSuspended(Job job) {
        return Boolean.TRUE.equals(job.getSpec().getSuspend());
    }

    private String unmade(Job job, String hindrance) {
        if (isSuspended(job)) {
            return queue == null
                    ? "somebody has suspended its Job in Kubernetes"
                    : "Kueue has not admitted it yet (queue " + queue + ")";
        }
        return hindrance.isEmpty()
                ? "Kubernetes has not made its pod yet"
                : "Kubernetes could not make its pod: "
                        + EngineText.of(hindrance).sentence();
    }

    private static String waiting(PodState pod, boolean isGivenUp) {
        Optional<StartTrouble> trouble = StartTrouble.of(pod);
        if (trouble.isPresent()) {
            return trouble.get().sentence() + (isGivenUp ? "; it is given up" : "; it tries again");
        }
        Optional<PodCondition> unscheduled = pod.condition("PodScheduled", false);
        if (unscheduled.isPresent() && pod.node().isEmpty()) {
            String message = unscheduled.get().getMessage();
            return message == null || message.isBlank()
                    ? "Kubernetes has found no node for it"
                    : "Kubernetes has no node for it: " + EngineText.of(message).sentence();
        }
        return pod.node().isEmpty() ? "Kubernetes looks for a node" : starting(pod);
    }

    private static String starting(PodState pod) {
        String there = " on node " + pod.node();
        Optional<ContainerState> unpacking = pod.unpacking();
        if (unpacking.map(ContainerState::getRunning).isPresent()) {
            return "its directory is unpacked" + there;
        }
        String reason = pod.program()
                .map(ContainerState::getWaiting)
                .map(ContainerStateWaiting::getReason)
                .orElse("");
        return switch (Objects.requireNonNullElse(reason, "")) {
            case "", "ContainerCreating", "PodInitializing" -> "its container is made, or its image pulled," + there;
            default -> "its container waits" + there + " (" + reason + ")";
        };
    }
}
