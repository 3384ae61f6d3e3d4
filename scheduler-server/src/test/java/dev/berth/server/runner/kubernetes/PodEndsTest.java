package dev.berth.server.runner.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.StateName;
import dev.berth.server.runner.target.Phase.End;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.JobConditionBuilder;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** How pods end, by what real clusters say of them. */
class PodEndsTest {
    private static End of(UnaryOperator<PodBuilder> ended) {
        Pod pod = ended.apply(new PodBuilder()
                        .withNewMetadata()
                        .endMetadata()
                        .withNewSpec()
                        .withNodeName("gpu-01")
                        .endSpec()
                        .withNewStatus()
                        .withPhase("Failed")
                        .endStatus())
                .build();
        return PodEnds.of(new PodState(pod));
    }

    private static UnaryOperator<PodBuilder> reason(String reason, String message) {
        return pod -> pod.editStatus().withReason(reason).withMessage(message).endStatus();
    }

    private static UnaryOperator<PodBuilder> program(int exitCode, String reason, @Nullable String message) {
        return pod -> pod.editStatus()
                .addToContainerStatuses(new ContainerStatusBuilder()
                        .withName("job")
                        .withNewState()
                        .withNewTerminated()
                        .withExitCode(exitCode)
                        .withReason(reason)
                        .withMessage(message)
                        .endTerminated()
                        .endState()
                        .build())
                .endStatus();
    }

    private static void assertThatIs(End end, StateName state, OutcomeReason reason, String sentence) {
        assertThat(end).isInstanceOfSatisfying(End.ByEngine.class, one -> {
            assertThat(one.outcome().state()).isEqualTo(state);
            assertThat(one.outcome().reason()).isEqualTo(reason);
            assertThat(one.outcome().sentence()).isEqualTo(sentence);
        });
    }

    @Test
    void aProgramEndsByItself() {
        assertThat(of(program(0, "Completed", null))).isEqualTo(new End.Exited(0, false));
        assertThat(of(program(139, "Error", null))).isEqualTo(new End.Exited(139, false));
        assertThat(of(program(137, "OOMKilled", null))).isEqualTo(new End.Exited(137, true));
    }

    @Test
    void whatAProgramWritesDecidesNothing() {
        assertThat(of(program(1, "Error", "OOMKilled Evicted DeadlineExceeded")))
                .isEqualTo(new End.Exited(1, false));
    }

    @Test
    void theClustersDeadlineIsATimeLimit() {
        assertThatIs(
                of(pod -> program(143, "Error", null)
                        .apply(reason("DeadlineExceeded", "Pod was active").apply(pod))),
                StateName.TIMEOUT,
                OutcomeReason.TIME_LIMIT,
                "stopped by Kubernetes at its deadline (DeadlineExceeded), as Berth had not stopped it at its time"
                        + " limit");
    }

    @Test
    void anEvictedProgramIsLost() {
        assertThatIs(
                of(reason("Evicted", "The node was low on resource: memory.")),
                StateName.LOST,
                OutcomeReason.PREEMPTED,
                "its node gpu-01 gave it up (Evicted): The node was low on resource: memory.");
        assertThatIs(
                of(pod -> program(143, "Error", null)
                        .apply(pod.editStatus()
                                .addNewCondition()
                                .withType("DisruptionTarget")
                                .withStatus("True")
                                .withReason("PreemptionByScheduler")
                                .withMessage("preempting to accommodate a higher priority pod")
                                .endCondition()
                                .endStatus())),
                StateName.LOST,
                OutcomeReason.PREEMPTED,
                "Kubernetes took its pod from node gpu-01 (PreemptionByScheduler): preempting to accommodate a higher"
                        + " priority pod");
    }

    /** A drain that began as it ended took nothing from it. */
    @Test
    void aProgramThatHasEndedWellIsNotLost() {
        assertThat(of(pod -> program(0, "Completed", null)
                        .apply(pod.editStatus()
                                .withPhase("Succeeded")
                                .addNewCondition()
                                .withType("DisruptionTarget")
                                .withStatus("True")
                                .withReason("EvictionByEvictionAPI")
                                .endCondition()
                                .endStatus())))
                .isEqualTo(new End.Exited(0, false));
    }

    @Test
    void aNodeThatIsLostTakesItsProgramAlong() {
        assertThatIs(
                of(reason("NodeLost", "Node gpu-01 which was running pod is unresponsive")),
                StateName.LOST,
                OutcomeReason.NODE_LOST,
                "its node gpu-01 gave it up (NodeLost): Node gpu-01 which was running pod is unresponsive");
        assertThatIs(
                of(program(137, "ContainerStatusUnknown", "The container could not be located")),
                StateName.LOST,
                OutcomeReason.TARGET_LOST,
                "Kubernetes does not know how the program ended (ContainerStatusUnknown): The container could not be"
                        + " located");
    }

    @Test
    void aProgramThatIsNotInTheImageNeverStarted() {
        assertThatIs(
                of(program(128, "StartError", "exec: \"trian\": executable file not found in $PATH")),
                StateName.FAILED,
                OutcomeReason.START_FAILED,
                "Kubernetes could not start the program (StartError): exec: \"trian\": executable file not found in"
                        + " $PATH");
    }

    @Test
    void aDirectoryThatCannotBeUnpackedFailsItsJob() {
        assertThatIs(
                of(pod -> pod.editStatus()
                        .addToInitContainerStatuses(new ContainerStatusBuilder()
                                .withName("snapshot")
                                .withNewState()
                                .withNewTerminated()
                                .withExitCode(4)
                                .endTerminated()
                                .endState()
                                .build())
                        .endStatus()),
                StateName.FAILED,
                OutcomeReason.START_FAILED,
                "the job's directory could not be unpacked in its pod: container snapshot ended with exit code 4");
    }

    @Test
    void aJobWhosePodIsGoneTellsWhatItCan() {
        assertThat(PodEnds.of(new JobConditionBuilder().withType("Complete").build()))
                .isEqualTo(new End.Exited(0, false));
        assertThatIs(
                PodEnds.of(new JobConditionBuilder()
                        .withType("Failed")
                        .withReason("BackoffLimitExceeded")
                        .withMessage("Job has reached the specified backoff limit")
                        .build()),
                StateName.LOST,
                OutcomeReason.TARGET_LOST,
                "its pod is gone, and Kubernetes keeps no record of how it ended (BackoffLimitExceeded): Job has"
                        + " reached the specified backoff limit");
    }
}
