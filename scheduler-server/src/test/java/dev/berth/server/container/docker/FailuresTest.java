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
