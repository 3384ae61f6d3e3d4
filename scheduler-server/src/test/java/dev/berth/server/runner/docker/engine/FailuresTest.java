package dev.berth.server.runner.docker.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonMappingException;
import com.github.dockerjava.api.exception.BadRequestException;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.exception.InternalServerErrorException;
import com.github.dockerjava.api.exception.NotFoundException;
import dev.berth.server.runner.EngineException.Kind;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Errors as Docker Engines sent them. */
class FailuresTest {
    private static final String ID = "3770ab".repeat(11).substring(0, 64);
    private static final String NAME = "berth-7f3f8b9f-133-1";

    private static String body(String message) {
        return "Status 500: {\"message\":\""
                + message.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + "\"}";
    }

    /** Words that a submitter, an image or a registry can have an engine say, at any place, as they like. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "no space left on device",
                "OCI runtime create failed: mkdir /x/no space left on device: not a directory: unknown",
                "daemon is shutting down",
                "could not select device driver",
                "OCI runtime create failed: mkdir /x/could not select device driver \"\" with capabilities: [[gpu]]:"
                        + " not a directory",
                "OCI runtime create failed: stderr: nvidia-container-cli: device error: unknown device",
                "cdi device injection failed",
                "OCI runtime create failed: runc create failed",
                "pull access denied",
                "manifest unknown",
                "dial tcp: lookup registry-1.docker.io: no such host",
            })
    void whatIsSaidDecidesNothing(String message) {
        assertThat(Failures.kindOf(new InternalServerErrorException(body(message))))
                .isEqualTo(Kind.FAILING);
        assertThat(Failures.kindOf(new BadRequestException(body(message)))).isEqualTo(Kind.REFUSED);
        assertThat(Failures.kindOf(new NotFoundException(body(message)))).isEqualTo(Kind.NOT_FOUND);
        assertThat(Failures.kindOf(new DockerException(message, 503))).isEqualTo(Kind.FAILING);
        assertThat(Failures.isBegun(new InternalServerErrorException(body(message)), ID))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "task {id}: already exists",
                "task {id}: already exists: unknown",
                "failed to create task for container: failed to create shim task: task {id}: already exists: unknown",
                "id already in use",
                "OCI runtime create failed: id already in use: unknown",
                "ttrpc: closed: unknown",
                "failed to create task for container: failed to create shim task: ttrpc: closed",
                "transport is closing: unavailable",
                "error reading from server: EOF: unavailable",
                "connection closed: unavailable",
                "connection error: desc = \"error reading from server: read unix @->/x: read: connection reset by"
                        + " peer\": unavailable",
                "context canceled: unknown",
                "context deadline exceeded",
                "not found",
                "grpc: the client connection is closing: unknown",
                "OCI runtime start failed: /usr/bin/runc did not terminate successfully: exit status 137: : unknown",
                "OCI runtime start failed: /usr/bin/runc did not terminate successfully: exit status 1: a line\n"
                        + "and one more: unknown",
                "OCI runtime start failed: unable to retrieve OCI runtime error (open /x/log.json: no such file or"
                        + " directory): runc did not terminate successfully: exit status 1: unknown",
                "OCI runtime start failed: cannot start an already running container: unknown",
            })
    void whereTheEngineDoesNotKnowItMayHaveBegun(String message) {
        assertThat(Failures.isBegun(new InternalServerErrorException(body(message.replace("{id}", ID))), ID))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "endpoint with name berth-7f3f8b9f-133-1 already exists in network bridge",
                "OCI runtime create failed: mkdir /x/task {id}: already exists: not a directory",
                "OCI runtime create failed: exec: \"task {id}: already exists\": executable file not found in $PATH:"
                        + " unknown",
                "OCI runtime create failed: exec: id already in use",
                "task 0000000000000000000000000000000000000000000000000000000000000000: already exists",
                "task 3770ab: already exists: unknown",
                "OCI runtime create failed: exec: \"ttrpc: closed\": executable file not found in $PATH: unknown",
                "error while mounting volume '/x': ttrpc: closed: unknown",
                "OCI runtime create failed: runc create failed: exec: \"OCI runtime start failed: x\": not found:"
                        + " unknown",
                "error while mounting volume '/OCI runtime start failed: x': not found",
                "network x not found",
                "OCI runtime create failed: not found: unknown",
                "OCI runtime create failed: OCI runtime start failed: x: unknown",
                "connection error: desc = \"transport: Error while dialing dial unix /x: connect: connection refused\":"
                        + " unavailable",
            })
    void whatOnlyBearsSuchWordsHasNot(String message) {
        assertThat(Failures.isBegun(new InternalServerErrorException(body(message.replace("{id}", ID))), ID))
                .isFalse();
    }

    /** It may have ended and begun anew in the middle of the start. */
    @ParameterizedTest
    @ValueSource(strings = {"no space left on device", "network x not found", "could not select device driver"})
    void whereTheRunOfTheEngineIsNotSeenEachErrorOfItsOwnMayHideAStart(String message) {
        assertThat(Failures.mayHaveBegun(new InternalServerErrorException(body(message)), ID, false))
                .isTrue();
        assertThat(Failures.mayHaveBegun(new BadRequestException(body(message)), ID, false))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "OCI runtime create failed: mkdir /x: not a directory: unknown",
                "failed to create task for container: OCI runtime create failed: exec: \"x\": not found: unknown",
            })
    void butNotOneOfTheStepBeforeIt(String message) {
        assertThat(Failures.mayHaveBegun(new InternalServerErrorException(body(message)), ID, false))
                .isFalse();
    }

    @Test
    void whereTheRunIsSeenItsWordCounts() {
        assertThat(Failures.mayHaveBegun(new InternalServerErrorException(body("no space left on device")), ID, true))
                .isFalse();
        assertThat(Failures.mayHaveBegun(new InternalServerErrorException(body("not found")), ID, true))
                .isTrue();
    }

    private static DockerException forbidden(String message) {
        return new DockerException(body(message), 403);
    }

    @Test
    void anEndpointThatAKilledEngineLeftNamesItsNetwork() {
        assertThat(Failures.networkWithLeftover(
                        forbidden("endpoint with name " + NAME + " already exists in network bridge"), NAME))
                .contains("bridge");
        assertThat(Failures.networkWithLeftover(
                        forbidden("failed to set up container networking: endpoint with name " + NAME
                                + " already exists in network bridge"),
                        NAME))
                .contains("bridge");
        assertThat(Failures.networkWithLeftover(
                        forbidden("endpoint with name berth-7f3f8b9f-134-1 already exists in network bridge"), NAME))
                .as("another's")
                .isEmpty();
        assertThat(Failures.networkWithLeftover(
                        forbidden("mkdir /endpoint with name " + NAME + " already exists in network bridge: no"), NAME))
                .isEmpty();
        assertThat(Failures.networkWithLeftover(forbidden("network bridge not found"), NAME))
                .isEmpty();
    }

    @Test
    void anAnswerThatBreaksOffIsNoneThatCannotBeRead() {
        JsonMappingException unread = new JsonMappingException(null, "no port");
        assertThat(Failures.isUnreadable(new IllegalStateException(unread))).isTrue();
        assertThat(Failures.isUnreadable(new JsonMappingException(null, "reset", new IOException("reset"))))
                .isFalse();
        assertThat(Failures.isUnreadable(new IOException("reset"))).isFalse();
    }

    @Test
    void noSentenceIsLongerThanTwoThousandCharacters() {
        assertThat(Failures.messageOf(forbidden("x".repeat(100_000)))).hasSize(2_004);
    }
}
