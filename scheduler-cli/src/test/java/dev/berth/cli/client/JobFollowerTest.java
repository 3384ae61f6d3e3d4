package dev.berth.cli.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.cli.Samples;
import dev.berth.cli.ScriptedServer;
import dev.berth.cli.exit.Failure;
import dev.berth.core.api.ApiError;
import dev.berth.core.api.JobEventView;
import dev.berth.core.api.JobView;
import dev.berth.core.job.StateName;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class JobFollowerTest {
    private static final JobEventView QUEUED = Samples.event(11, 17, null, "QUEUED");
    private static final JobEventView RUNNING = Samples.event(14, 17, "STARTING", "RUNNING");
    private static final JobEventView FAILED = Samples.event(19, 17, "RUNNING", "FAILED");
    private static final JobView ENDED = Samples.ended(17, "FAILED", 3);

    @TempDir
    private Path directory;

    private final List<Duration> pauses = new ArrayList<>();
    private final List<String> notices = new ArrayList<>();
    private final List<Long> seen = new ArrayList<>();
    private final ByteArrayOutputStream copied = new ByteArrayOutputStream();
    private ScriptedServer server;
    private JobFollower follower;

    @BeforeEach
    void start() throws IOException {
        Path socket = directory.resolve("s");
        server = ScriptedServer.at(socket);
        follower = new JobFollower(new BerthClient(socket, "1", pauses::add, _ -> {}), pauses::add, notices::add);
    }

    @AfterEach
    void end() throws IOException {
        server.close();
    }

    private JobView follow() throws IOException {
        return follower.untilEnd(17, event -> seen.add(event.sequence()));
    }

    private String copyLog(boolean follow) throws IOException {
        follower.copyLog(17, follow, (bytes, count) -> copied.write(bytes, 0, count));
        return copied.toString(StandardCharsets.UTF_8);
    }

    private List<String> resumedAfter() {
        return server.received().stream()
                .filter(request -> request.line().endsWith("/events"))
                .map(request -> request.headers().getOrDefault("last-event-id", ""))
                .toList();
    }

    @ParameterizedTest
    @EnumSource
    void theFinalStatesAreThoseOfTheCore(StateName state) {
        assertThat(JobFollower.isFinal(state.name())).isEqualTo(state.isFinal());
    }

    @Test
    void aJobIsFollowedToItsEnd() throws IOException {
        server.events(17, true, QUEUED, RUNNING, FAILED).json("GET /api/v1/jobs/17", 200, ENDED);
        assertThat(follow()).isEqualTo(ENDED);
        assertThat(seen).containsExactly(11L, 14L, 19L);
        assertThat(pauses).isEmpty();
    }

    @Test
    void aBrokenStreamGoesOnWhereItBroke() throws IOException {
        server.events(17, false, QUEUED)
                .events(17, false)
                .events(17, false, RUNNING)
                .events(17, true, FAILED)
                .json("GET /api/v1/jobs/17", 200, ENDED);
        assertThat(follow()).isEqualTo(ENDED);
        assertThat(seen).containsExactly(11L, 14L, 19L);
        assertThat(resumedAfter()).containsExactly("", "11", "11", "14");
        assertThat(notices)
                .containsExactly(
                        "the server is away; trying again for 60 s",
                        "the server is back",
                        "the server is away; trying again for 60 s",
                        "the server is back");
    }

    @Test
    void aStreamThatEndsTooSoonGoesOnToo() throws IOException {
        server.events(17, true, QUEUED).events(17, true, FAILED).json("GET /api/v1/jobs/17", 200, ENDED);
        assertThat(follow()).isEqualTo(ENDED);
        assertThat(resumedAfter()).containsExactly("", "11");
        assertThat(pauses).containsExactly(Duration.ofMillis(100));
    }

    @Test
    void aServerInTroubleIsAskedAgain() throws IOException {
        server.json("GET /api/v1/jobs/17/events", 503, new ApiError("STOPPING", "the server stops", Map.of()))
                .events(17, true, FAILED)
                .json("GET /api/v1/jobs/17", 503, new ApiError("STOPPING", "the server stops", Map.of()))
                .json("GET /api/v1/jobs/17", 200, ENDED);
        assertThat(follow()).isEqualTo(ENDED);
        assertThat(seen).containsExactly(19L);
    }

    @Test
    void aRefusalIsFinal() {
        server.json("GET /api/v1/jobs/17/events", 404, new ApiError("NO_SUCH_JOB", "there is no job 17", Map.of()));
        assertThatThrownBy(this::follow).isInstanceOf(Failure.class).hasMessage("there is no job 17");
        assertThat(pauses).isEmpty();
    }

    @Test
    void aServerThatStaysAwayIsGivenUpAfterAMinute() throws IOException {
        JobFollower alone = new JobFollower(
                new BerthClient(directory.resolve("nobody"), "1", pauses::add, _ -> {}), pauses::add, notices::add);
        assertThatExceptionOfType(ServerUnreachable.class).isThrownBy(() -> alone.untilEnd(17, _ -> {}));
        Duration all = pauses.stream().reduce(Duration.ZERO, Duration::plus);
        assertThat(all).isBetween(Duration.ofSeconds(60), Duration.ofSeconds(62));
        assertThat(notices).containsExactly("the server is away; trying again for 60 s");
    }

    @Test
    void aFollowerThatIsStoppedDoesNotTryAgain() {
        server.events(17, false, QUEUED);
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> follower.untilEnd(17, event -> {
                    seen.add(event.sequence());
                    stop();
                }));
        assertThat(seen).containsExactly(11L);
        assertThat(pauses).isEmpty();
    }

    private void stop() {
        try {
            follower.stop();
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    @Test
    void aWholeLogIsCopiedAsItIs() throws IOException {
        server.log(17, 0, false, true, "one\ntwo\u0000\u001b[0m");
        assertThat(copyLog(false)).isEqualTo("one\ntwo\u0000\u001b[0m");
    }

    @Test
    void aBrokenLogGoesOnWithoutGapOrRepetition() throws IOException {
        server.log(17, 0, false, false, "0123456789").log(17, 10, false, false, "abc").log(17, 13, false, true, "defg");
        assertThat(copyLog(false)).isEqualTo("0123456789abcdefg");
    }

    @Test
    void aFollowedLogEndsWithTheJobAndNotWithTheServer() throws IOException {
        server.log(17, 0, true, true, "before the restart, ")
                .json("GET /api/v1/jobs/17", 200, Samples.running(17))
                .log(17, 20, true, true, "after it, ")
                .json("GET /api/v1/jobs/17", 200, ENDED)
                .log(17, 30, true, true, "and the rest");
        assertThat(copyLog(true)).isEqualTo("before the restart, after it, and the rest");
    }

    @Test
    void aSinkThatIsClosedEndsTheCopying() {
        server.log(17, 0, true, true, "text");
        assertThatThrownBy(() -> follower.copyLog(17, true, (_, _) -> {
                    throw Failure.of(141, "OUTPUT_CLOSED", "closed");
                }))
                .hasMessage("closed");
        assertThat(pauses).isEmpty();
    }
}
