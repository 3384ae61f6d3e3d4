package dev.berth.server.runner.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.OutcomeReason;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Kubernetes' words for what keeps a container from starting, as its nodes say them. */
class StartTroubleTest {
    private static Pod waiting(String code, String message) {
        return new PodBuilder()
                .withNewMetadata()
                .withName("pod")
                .endMetadata()
                .withNewStatus()
                .withPhase("Pending")
                .addNewContainerStatus()
                .withName(PodManifest.CONTAINER)
                .withNewState()
                .withNewWaiting(message, code)
                .endState()
                .endContainerStatus()
                .endStatus()
                .build();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "ErrImagePull;IMAGE_UNAVAILABLE;false;Kubernetes cannot pull the image;manifest for python:9 not found",
                "ImagePullBackOff;IMAGE_UNAVAILABLE;false;Kubernetes cannot pull the image;Back-off pulling image \"python:9\"",
                "ErrImageNeverPull;IMAGE_UNAVAILABLE;false;Kubernetes cannot pull the image;Container image \"python:9\" is not"
                        + " present with pull policy of Never",
                "ImageInspectError;IMAGE_UNAVAILABLE;false;Kubernetes cannot pull the image;Failed to inspect image",
                "RegistryUnavailable;IMAGE_UNAVAILABLE;false;Kubernetes cannot pull the image;connection refused",
                "InvalidImageName;IMAGE_UNAVAILABLE;true;Kubernetes cannot pull the image;couldn't parse image reference",
                "CreateContainerConfigError;START_FAILED;false;Kubernetes cannot start the container;secret \"key\" not found",
                "CreateContainerError;START_FAILED;false;Kubernetes cannot start the container;no command specified",
                "RunContainerError;START_FAILED;false;Kubernetes cannot start the container;exec: \"nope\": not found",
                "CrashLoopBackOff;START_FAILED;false;Kubernetes cannot start the container;back-off 10s restarting"
            })
    void eachHasItsReasonAndItsSentence(
            String code, OutcomeReason reason, boolean isForGood, String what, String message) {
        StartTrouble trouble =
                StartTrouble.of(new PodState(waiting(code, message))).orElseThrow();
        assertThat(trouble.code()).isEqualTo(code);
        assertThat(trouble.reason()).isEqualTo(reason);
        assertThat(trouble.isForGood()).isEqualTo(isForGood);
        assertThat(trouble.sentence()).isEqualTo(what + " (" + code + "): " + message);
    }

    @Test
    void aContainerThatIsMadeIsInNoTrouble() {
        assertThat(StartTrouble.of(new PodState(waiting("ContainerCreating", ""))))
                .isEmpty();
    }
}
