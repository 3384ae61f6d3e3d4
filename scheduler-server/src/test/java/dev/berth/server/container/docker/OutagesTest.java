package dev.berth.server.container.docker;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.command.InspectContainerResponse.ContainerState;
import dev.berth.core.machine.Found.Condition;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OutagesTest {
    private static final Instant BROKEN = Instant.parse("2026-01-01T09:00:00Z");

    /** What it ended with, how long after the stream of events broke, and whether containers outlive the engine. */
    @ParameterizedTest
    @CsvSource({
        "143, -5, false, true",
        "137, 1, false, true",
        "143, 1, true, false",
        "143, -20, false, false",
        "0, 1, false, false",
        "7, 1, true, false",
        "255, 1, true, true",
        "255, 1, false, true",
        "255, -1, true, false"
    })
    void whatTheEngineEndedOrDoesNotKnowTheEndOf(int code, int seconds, boolean keeps, boolean byEngine) {
        Condition.Exited exited =
                new Condition.Exited(code, false, BROKEN.minusSeconds(60), BROKEN.plusSeconds(seconds));
        assertThat(Outages.isByEngine(exited, BROKEN, keeps)).isEqualTo(byEngine);
    }

    /** When it started and when it ended, in seconds after the start of the engine that tells of it. */
    @ParameterizedTest
    @CsvSource({"-10, 1, true", "-10, 0, true", ", 1, true", "-10, 90, false", "-10, -5, false", "1, 2, false"})
    void whatIsOverWhenAnEngineBeginsWasSeenByNobody(Integer started, int ended, boolean isUnseen) {
        Condition.Exited exited = new Condition.Exited(
                255, false, started == null ? null : BROKEN.plusSeconds(started), BROKEN.plusSeconds(ended));
        assertThat(DockerContainerEngine.isFoundEnded(exited, BROKEN)).isEqualTo(isUnseen);
    }

    /** Found so by dockerd 20.10 after a kill between the making of a container's first process and its start. */
    @Test
    void whatRunsSinceNoTimeIsNotKnownToHaveBegun() throws IOException {
        assertThat(DockerContainerEngine.conditionOf(state("running", true, "0001-01-01T00:00:00Z")))
                .isEqualTo(new Condition.Created());
        assertThat(DockerContainerEngine.conditionOf(state("running", true, "2026-01-01T09:00:00Z")))
                .isEqualTo(new Condition.Alive(BROKEN));
    }

    /** Found so by dockerd 20.10 after a kill in the middle of a creation: its job was COMPLETED, and had never run. */
    @Test
    void whatIsDeadSinceNoTimeHasNotBegun() throws IOException {
        for (String status : List.of("created", "dead", "removing")) {
            assertThat(DockerContainerEngine.conditionOf(state(status, false, "0001-01-01T00:00:00Z")))
                    .isEqualTo(new Condition.Created());
        }
        assertThat(DockerContainerEngine.conditionOf(state("dead", false, "2026-01-01T09:00:00Z")))
                .isEqualTo(new Condition.Exited(0, false, BROKEN, BROKEN.plusSeconds(1)));
    }

    private static ContainerState state(String status, boolean running, String startedAt) throws IOException {
        InspectContainerResponse there =
                new ObjectMapper().readValue("""
                        {"State": {"Status": "%s", "Running": %s, "ExitCode": 0, "StartedAt": "%s",
                            "FinishedAt": "2026-01-01T09:00:01Z"}}""".formatted(status, running, startedAt), InspectContainerResponse.class);
        return there.getState();
    }
}
