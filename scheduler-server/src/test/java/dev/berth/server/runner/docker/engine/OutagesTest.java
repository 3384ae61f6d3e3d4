package dev.berth.server.runner.docker.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.command.InspectContainerResponse.ContainerState;
import dev.berth.core.job.EngineRun;
import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Found;
import dev.berth.core.machine.Found.Condition;
import dev.berth.core.machine.RunnerKind;
import dev.berth.server.time.Clocks;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OutagesTest {
    private static final Instant BROKEN = Instant.parse("2026-01-01T09:00:00Z");

    /** How long before or after the break a stream ended. */
    @ParameterizedTest
    @CsvSource({"-501, false", "-499, true", "0, true", "499, true", "501, false"})
    void aStreamMayHaveBrokenWithThoseOfEvents(long millis, boolean mayHave) {
        List<Outages.Break> breaks = List.of(
                new Outages.Break(BROKEN.minusSeconds(100), BROKEN.minusSeconds(100)),
                new Outages.Break(BROKEN, BROKEN));
        assertThat(Outages.isAbout(breaks, BROKEN.plusMillis(millis))).isEqualTo(mayHave);
        assertThat(Outages.isAbout(List.of(), BROKEN)).isFalse();
    }

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

    /** By how much the date was set while the stream of events was broken; then a program ended, by the date of then or of now. */
    @ParameterizedTest
    @CsvSource({"0, false", "-7200, true", "-7200, false", "7200, true", "7200, false"})
    void aDateThatIsSetMeanwhileHidesNoEnd(long ahead, boolean isByTheNewDate) {
        Instant[] date = {BROKEN};
        Instant[] steady = {BROKEN};
        Clocks clocks = new Clocks(() -> date[0], () -> steady[0]);
        Outages.Break broken = Outages.Break.now(clocks);
        steady[0] = BROKEN.plusSeconds(20);
        date[0] = BROKEN.plusSeconds(20 + ahead);
        Instant ended = BROKEN.plusSeconds(10 + (isByTheNewDate ? ahead : 0));
        Condition.Exited exited = new Condition.Exited(137, false, BROKEN.minusSeconds(60), ended);
        assertThat(Outages.isByEngine(exited, broken.earliest(clocks), false)).isTrue();
        assertThat(Outages.keepsContainers(
                        alive(date[0].minusSeconds(1)), broken.earliest(clocks), heard(1, false), heard(2, false)))
                .as("what was started since is no proof that containers outlive the engine")
                .isFalse();
    }

    private static List<Found> alive(Instant startedAt) {
        return List.of(new Found(
                RunnerKind.CONTAINER, new Attempt(new JobId(1), 1), new Condition.Alive(startedAt), List.of()));
    }

    private static Outages.Heard heard(int run, boolean keepsContainers) {
        return new Outages.Heard(new EngineRun("run " + run), keepsContainers);
    }

    /** An engine that was told so by a file is the next run only, which is begun by the end of the last one. */
    @ParameterizedTest
    @CsvSource({"true, true, true", "false, true, false", "true, false, false", "false, false, false"})
    void bothRunsOfAnEngineHaveToKeepContainers(boolean before, boolean now, boolean keeps) {
        assertThat(Outages.keepsContainers(List.of(), BROKEN, heard(1, before), heard(2, now)))
                .isEqualTo(keeps);
        assertThat(Outages.keepsContainers(alive(BROKEN.minusSeconds(1)), BROKEN, heard(1, before), heard(2, now)))
                .as("one outlived it")
                .isTrue();
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
        assertThat(DockerContainerEngine.conditionOf(state("running", true, "0001-01-01T00:00:00Z"), BROKEN))
                .isEqualTo(new Condition.Created());
        assertThat(DockerContainerEngine.conditionOf(state("running", true, "2026-01-01T09:00:00Z"), BROKEN))
                .isEqualTo(new Condition.Alive(BROKEN));
    }

    /** Found so by dockerd 20.10 after a kill in the middle of a creation: its job was COMPLETED, and had never run. */
    @Test
    void whatIsDeadSinceNoTimeHasNotBegun() throws IOException {
        for (String status : List.of("created", "dead", "removing")) {
            assertThat(DockerContainerEngine.conditionOf(state(status, false, "0001-01-01T00:00:00Z"), BROKEN))
                    .isEqualTo(new Condition.Created());
        }
        assertThat(DockerContainerEngine.conditionOf(state("dead", false, "2026-01-01T09:00:00Z"), BROKEN))
                .isEqualTo(new Condition.Exited(0, false, BROKEN, BROKEN.plusSeconds(1)));
    }

    /** An end without its code or its time is not known: no exit with 0, and none in the year 1. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "'FinishedAt': '2026-01-01T09:00:01Z'",
                "'ExitCode': null, 'FinishedAt': '2026-01-01T09:00:01Z'",
                "'ExitCode': 0",
                "'ExitCode': 0, 'FinishedAt': ''",
                "'ExitCode': 0, 'FinishedAt': '0001-01-01T00:00:00Z'"
            })
    void anEndThatIsNotWholeIsNotKnown(String said) throws IOException {
        ContainerState state = new ObjectMapper()
                .readValue(
                        ("{'State': {'Status': 'exited', 'Running': false, 'StartedAt': '2026-01-01T09:00:00Z', " + said
                                        + "}}")
                                .replace('\'', '"'),
                        InspectContainerResponse.class)
                .getState();
        assertThat(DockerContainerEngine.conditionOf(state, BROKEN.plusSeconds(1)))
                .isEqualTo(new Condition.Exited(255, false, BROKEN, BROKEN.plusSeconds(1), true));
    }

    @Test
    void anEventWithoutAnExitCodeIsNoExitWithZero() {
        assertThat(DockerEvents.exitCode(Map.of("exitCode", "137"))).hasValue(137);
        assertThat(DockerEvents.exitCode(Map.of("exitCode", ""))).isEmpty();
        assertThat(DockerEvents.exitCode(Map.of("exitCode", "none"))).isEmpty();
        assertThat(DockerEvents.exitCode(Map.of())).isEmpty();
    }

    private static ContainerState state(String status, boolean running, String startedAt) throws IOException {
        InspectContainerResponse there =
                new ObjectMapper().readValue("""
                    {"State": {"Status": "%s", "Running": %s, "ExitCode": 0, "StartedAt": "%s",
                        "FinishedAt": "2026-01-01T09:00:01Z"}}\
                    """.formatted(status, running, startedAt), InspectContainerResponse.class);
        return there.getState();
    }
}
