package dev.berth.server.container.docker;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.dockerjava.api.exception.BadRequestException;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.exception.InternalServerErrorException;
import com.github.dockerjava.api.exception.NotFoundException;
import dev.berth.server.container.EngineException.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Errors as Docker Engines sent them. */
class FailuresTest {
    private static String body(String message) {
        return "Status 500: {\"message\":\"" + message + "\"}";
    }

    @ParameterizedTest
    @CsvSource({
        "open : no such file or directory, FAILING",
        "failed to update store for object type *libnetwork.endpoint: open : no such file or directory, FAILING",
        "Bad Gateway, FAILING",
        "mkdir /var/lib/docker/overlay2/4711-init: no space left on device, UNABLE",
        "daemon is shutting down, UNABLE",
        "OCI runtime create failed: runc create failed: unable to start container process, REFUSED",
        "OCI runtime create failed: mkdir /run/x: no space left on device: unknown, UNABLE",
    })
    void aServersErrorIsTheContainersFaultOnlyWhereTheRuntimeSaysSo(String message, Kind kind) {
        assertThat(Failures.kindOf(new InternalServerErrorException(body(message))))
                .isEqualTo(kind);
    }

    private static DockerException failure(String message) {
        return new InternalServerErrorException(
                body(message.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n")));
    }

    /** As NVIDIA's documents, its issue tracker and the engines here have them. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "OCI runtime create failed: runc create failed: error during container init: error running hook #0: exit status 1,"
                        + " stdout: , stderr: Auto-detected mode as 'legacy'\nnvidia-container-cli: initialization error: nvml"
                        + " error: driver not loaded: unknown",
                "OCI runtime create failed: error running hook: exit status 1, stdout: , stderr: nvidia-container-cli: device error:"
                        + " GPU-00000001: unknown device: unknown",
                "OCI runtime create failed: stderr: nvidia-container-cli: detection error: driver rpc error: timed out: unknown",
                "OCI runtime create failed: nvidia-container-runtime (stand-in): unknown device: GPU-7: unknown",
                "could not select device driver \"\" with capabilities: [[gpu]]",
                "could not select device driver \"cdi\" with capabilities: []",
                "CDI device injection failed: unresolvable CDI devices nvidia.com/gpu=GPU-1",
            })
    void aGpuThatIsNotToBeHadIsTheGpusFault(String message) {
        assertThat(Failures.isOfGpu(failure(message))).isTrue();
        assertThat(Failures.kindOf(failure(message)))
                .as("asked again, the engine would say the same")
                .isEqualTo(Kind.REFUSED);
    }

    /** Else somebody could have the GPUs of others taken out of service by submitting nonsense a few times. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "OCI runtime create failed: exec: \"nvidia-container-cli: initialization error\": executable file not found",
                "OCI runtime create failed: exec: \"a\\\"stderr: nvidia-container-cli: device error\": no such file: unknown",
                "OCI runtime create failed: mkdir /x/nvidia-container-cli: not a directory: unknown",
                "OCI runtime create failed: stderr: nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.4",
                "OCI runtime create failed: stderr: nvidia-container-cli: mount error: file creation failed:"
                        + " /usr/lib/libnvidia-ml.so.1: file exists: unknown",
                "OCI runtime create failed: stderr: unsupported capabilities found in 'warp' (allowed ''): unknown",
                "no space left on device",
            })
    void whatASubmitterChoseIsNoFaultOfAGpu(String message) {
        assertThat(Failures.isOfGpu(failure(message))).isFalse();
    }

    @Test
    void aRefusalStaysOne() {
        assertThat(Failures.kindOf(new BadRequestException(body("invalid mount config"))))
                .isEqualTo(Kind.REFUSED);
        assertThat(Failures.kindOf(new NotFoundException(body("No such container: x"))))
                .isEqualTo(Kind.NOT_FOUND);
        assertThat(Failures.kindOf(new DockerException("Service Unavailable", 503)))
                .isEqualTo(Kind.FAILING);
    }

    @ParameterizedTest
    @CsvSource({
        "pull access denied for no/such-image, REFUSED",
        "manifest for python:99 not found: manifest unknown, REFUSED",
        "dial tcp: lookup registry-1.docker.io: no such host, FAILING",
        "net/http: TLS handshake timeout, FAILING",
        "unexpected EOF, FAILING",
        "context canceled, FAILING",
        "write /var/lib/docker/tmp/GetImageBlob1: no space left on device, UNABLE",
    })
    void aRegistryThatCannotBeReachedIsNoImageThatIsNotThere(String message, Kind kind) {
        assertThat(Failures.kindOfPull(message)).isEqualTo(kind);
    }

    @Test
    void anEndpointThatAKilledEngineLeftNamesItsNetwork() {
        assertThat(Failures.networkWithLeftover(new DockerException(
                        body("endpoint with name berth-7f3f8b9f-133-1 already exists in network bridge"), 403)))
                .contains("bridge");
        assertThat(Failures.networkWithLeftover(new DockerException(body("network bridge not found"), 404)))
                .isEmpty();
    }

    @Test
    void aTaskThatIsThereAlreadyMayHaveBegunAndAnEndpointHasNot() {
        assertThat(Failures.isBegun(new InternalServerErrorException(body("task 3770ab: already exists: unknown"))))
                .isTrue();
        assertThat(Failures.isBegun(new InternalServerErrorException(body("id already in use"))))
                .isTrue();
        assertThat(Failures.isBegun(new InternalServerErrorException(
                        body("endpoint with name berth-1-2-1 already exists in network bridge"))))
                .isFalse();
    }
}
