package dev.berth.server.runner.kubernetes;

import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodStatus;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The parts of a pod's status that say how far its program is. What a pod does not say yet is empty. */
record PodState(Pod pod) {
    private static final String FAILED = "Failed";
    private static final String SUCCEEDED = "Succeeded";

    String name() {
        return pod.getMetadata().getName();
    }

    String node() {
        return Objects.requireNonNullElse(pod.getSpec().getNodeName(), "");
    }

    private Optional<PodStatus> status() {
        return Optional.ofNullable(pod.getStatus());
    }

    /** Whether nothing of its program runs any more, or ever will. */
    boolean isOver() {
        return status().map(PodStatus::getPhase)
                        .filter(phase -> phase.equals(FAILED) || phase.equals(SUCCEEDED))
                        .isPresent()
                || (end().isPresent() && isOutlived());
    }

    /** Whether all of it ended well. */
    boolean hasSucceeded() {
        return status().map(PodStatus::getPhase).filter(SUCCEEDED::equals).isPresent();
    }

    /** Whether a container runs in it that the cluster has put there (a proxy's), which may go on for ever. */
    private boolean isOutlived() {
        return status().map(PodStatus::getContainerStatuses).orElse(List.of()).stream()
                .filter(status -> !PodManifest.CONTAINER.equals(status.getName()))
                .map(ContainerStatus::getState)
                .anyMatch(state -> state != null && state.getRunning() != null);
    }

    boolean isDeleted() {
        return pod.getMetadata().getDeletionTimestamp() != null;
    }

    /** Kubernetes' own word for why the whole pod ended: {@code Evicted}, {@code DeadlineExceeded}. */
    String reason() {
        return status().map(PodStatus::getReason).orElse("");
    }

    String message() {
        return status().map(PodStatus::getMessage).orElse("");
    }

    /** The state of the container that the program runs in. */
    Optional<ContainerState> program() {
        return state(status().map(PodStatus::getContainerStatuses).orElse(List.of()), PodManifest.CONTAINER);
    }

    /** The state of the container that unpacks the directory. */
    Optional<ContainerState> unpacking() {
        return state(initContainers(), SnapshotPlan.CONTAINER);
    }

    /** The state of the container that prints what the program tells. */
    Optional<ContainerState> tracking() {
        return state(initContainers(), TrackPlan.CONTAINER);
    }

    /** How often that container was started again, each time with a log of its own. */
    int trackRestarts() {
        return of(initContainers(), TrackPlan.CONTAINER)
                .map(ContainerStatus::getRestartCount)
                .orElse(0);
    }

    /** Whether it has that container. */
    boolean isTracked() {
        return pod.getSpec().getInitContainers().stream()
                .anyMatch(container -> container.getName().equals(TrackPlan.CONTAINER));
    }

    /** Of those that begin before the program. */
    private List<ContainerStatus> initContainers() {
        return status().map(PodStatus::getInitContainerStatuses).orElse(List.of());
    }

    private static Optional<ContainerStatus> of(List<ContainerStatus> all, String name) {
        return all.stream().filter(status -> name.equals(status.getName())).findFirst();
    }

    private static Optional<ContainerState> state(List<ContainerStatus> all, String name) {
        return of(all, name).map(ContainerStatus::getState);
    }

    /** How the program ended; empty where it did not, or never began. */
    Optional<ContainerStateTerminated> end() {
        return program().map(ContainerState::getTerminated);
    }

    /** When the program began; empty where it did not. */
    Optional<Instant> startedAt() {
        return program()
                .flatMap(state -> Stream.of(
                                Optional.ofNullable(state.getRunning()).map(running -> running.getStartedAt()),
                                Optional.ofNullable(state.getTerminated()).map(ended -> ended.getStartedAt()))
                        .flatMap(Optional::stream)
                        .findFirst()
                        .flatMap(PodState::time));
    }

    /** Whether there is, or was, output of its program. */
    boolean hasBegun() {
        return program()
                .filter(state -> state.getRunning() != null || state.getTerminated() != null)
                .isPresent();
    }

    /** The condition of this type that is so, or is not. */
    Optional<PodCondition> condition(String type, boolean isSo) {
        return status().map(PodStatus::getConditions).orElse(List.of()).stream()
                .filter(condition -> type.equals(condition.getType()))
                .filter(condition -> (isSo ? "True" : "False").equals(condition.getStatus()))
                .findFirst();
    }

    /** The time that Kubernetes writes; empty where it says none. */
    static Optional<Instant> time(@Nullable String text) {
        try {
            return text == null
                    ? Optional.empty()
                    : Optional.of(OffsetDateTime.parse(text).toInstant());
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }
}
