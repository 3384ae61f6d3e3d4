package dev.berth.cli.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.cli.Samples;
import dev.berth.cli.ScriptedServer;
import dev.berth.cli.client.http.ServerUnreachable;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.json.JsonText;
import dev.berth.core.api.ApiError;
import dev.berth.core.api.JobEventView;
import dev.berth.core.api.JobView;
import dev.berth.core.api.LogFrame;
import dev.berth.core.job.StateName;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
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

    @AutoClose
    private ScriptedServer server;

    private JobFollower follower;

    @BeforeEach
    void start() throws IOException {
        Path socket = directory.resolve("s");
        server = ScriptedServer.at(socket);
        follower = new JobFollower(new BerthClient(socket, "1", pauses::add, _ -> {}), pauses::add, notices::add);
    }

    private JobView follow() throws IOException {
        return follower.untilEnd(17, event -> seen.add(event.sequence()));
    }

    private String copyLog(boolean follow) throws IOException {
        return copyLog(follow, LogPart.ALL);
    }

    private String copyLog(boolean follow, LogPart part) throws IOException {
        follower.copyLog(17, follow, part, (frame, bytes) -> copied.write(bytes, 0, frame.length()));
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
    void aTaskThatEndsBeforeItsTurnHasNoEvents() throws IOException {
        server.events(17, true)
                .json("GET /api/v1/jobs/17", 200, Samples.queued(17, 1))
                .events(17, true)
                .json("GET /api/v1/jobs/17", 200, ENDED)
                .events(17, true)
                .json("GET /api/v1/jobs/17", 200, ENDED)
                .json("GET /api/v1/jobs/17", 200, ENDED);
        assertThat(follow()).isEqualTo(ENDED);
        assertThat(seen).isEmpty();
        assertThat(pauses).as("between two streams of a job that is not over").hasSize(1);
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
        // Each pause is longer or shorter by chance, by an eighth at most.
        assertThat(all).isBetween(Duration.ofSeconds(53), Duration.ofSeconds(69));
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

    /** By then the last lines would be others. */
    @Test
    void aPartIsResumedWhereItBrokeAndNotAskedForAgain() throws IOException {
        LogPart part = new LogPart(null, 2, "2026-01-31T08:00:00Z", "stderr");
        String first =
                ScriptedServer.frame(40, LogFrame.STDERR, "a\n") + ScriptedServer.frame(90, LogFrame.STDERR, "b\n");
        server.log(17, "offset=0&follow=true&stream=stderr&tail=2&since=2026-01-31T08:00:00Z", false, first)
                .log(17, "offset=92&follow=true&stream=stderr", false, "")
                .log(17, "offset=92&follow=true&stream=stderr", true, ScriptedServer.frame(95, LogFrame.STDERR, "c\n"))
                .json("GET /api/v1/jobs/17", 200, ENDED)
                .log(17, "offset=97&follow=true&stream=stderr", true, "");
        assertThat(copyLog(true, part)).isEqualTo("a\nb\nc\n");
    }

    /** Nothing came, and still it is known where the last lines begin. */
    @Test
    void aPartThatBrokeBeforeItsFirstByteBeginsWhereItWasToBegin() throws IOException {
        server.log(17, "offset=0&follow=false&tail=0", false, "", "Berth-Log-Start: 0", "Berth-Log-Offset: 70").log(
                17, "offset=70&follow=false", true, ScriptedServer.frame(70, LogFrame.STDOUT, "new\n"));
        assertThat(copyLog(false, new LogPart(null, 0, null, null))).isEqualTo("new\n");
    }

    @Test
    void theLogOfAnAttemptIsFollowedToTheEndOfThatAlone() throws IOException {
        String begin = "Berth-Log-Begin: 50";
        String nextAttempt = JsonText.of(Samples.running(17)).replace("\"attempt\":1", "\"attempt\":2");
        server.log(
                        17,
                        "offset=0&follow=true&attempt=1",
                        true,
                        ScriptedServer.frame(60, LogFrame.STDOUT, "a\n"),
                        begin,
                        "Berth-Log-Start: 60",
                        "Berth-Log-Offset: 60")
                .json("GET /api/v1/jobs/17", 200, Samples.running(17))
                .log(17, "offset=62&follow=true&attempt=1", true, "", begin)
                .json("GET /api/v1/jobs/17", 200, nextAttempt)
                .log(
                        17,
                        "offset=62&follow=true&attempt=1",
                        true,
                        ScriptedServer.frame(62, LogFrame.STDOUT, "b\n"),
                        begin);
        assertThat(copyLog(true, LogPart.ofAttempt(1))).isEqualTo("a\nb\n");
        assertThat(notices).containsExactly("the first 10 bytes are no longer kept");
    }

    @Test
    void aPieceThatIsCutOffComesAgainWhole() throws IOException {
        String piece = ScriptedServer.frame(4, LogFrame.STDOUT, "56789");
        for (int length = 1; length < piece.length(); length++) {
            String cut = ScriptedServer.frame(0, LogFrame.STDOUT, "1234") + piece.substring(0, length);
            copied.reset();
            server.log(17, "offset=0&follow=false", length % 2 == 0, cut).log(17, "offset=4&follow=false", true, piece);
            assertThat(copyLog(false)).as("cut at %d", length).isEqualTo("123456789");
        }
    }

    @Test
    void whatIsNoLongerKeptIsSaidOnceAndOnlyWhereItWasWanted() throws IOException {
        String piece = ScriptedServer.frame(100, LogFrame.STDOUT, "x");
        server.log(17, "offset=0&follow=false", false, piece, "Berth-Log-Start: 100", "Berth-Log-Offset: 100")
                .log(17, "offset=101&follow=false", true, "", "Berth-Log-Start: 150", "Berth-Log-Offset: 150").log(
                17, "offset=0&follow=false&tail=9", true, piece, "Berth-Log-Start: 90", "Berth-Log-Offset: 100");
        assertThat(copyLog(false)).isEqualTo("x");
        copyLog(false, new LogPart(null, 9, null, null));
        assertThat(notices)
                .containsExactly(
                        "the first 100 bytes are no longer kept",
                        "the server is away; trying again for 60 s",
                        "the server is back",
                        "the bytes from 101 to 150 are no longer kept");
    }

    @Test
    void whatIsNoPieceOfALogIsNotTaken() throws IOException {
        server.log(17, "offset=0&follow=false", true, ScriptedServer.frame(0, 9, "x")).log(
                17, "offset=0&follow=false", true, ScriptedServer.frame(0, LogFrame.STDOUT, "y"));
        assertThat(copyLog(false)).isEqualTo("y");
    }

    /** A job of weeks sees many outages; each is short. */
    @Test
    void outagesDoNotAddUpWhenTheServerAnsweredBetweenThem() throws IOException {
        for (int outage = 0; outage < 200; outage++) {
            server.log(17, 0, true, false, "").events(17, false);
        }
        server.log(17, 0, true, true, "end")
                .json("GET /api/v1/jobs/17", 200, ENDED)
                .log(17, 3, true, true, "")
                .events(17, true, FAILED)
                .json("GET /api/v1/jobs/17", 200, ENDED);
        assertThat(copyLog(true)).isEqualTo("end");
        assertThat(follow()).isEqualTo(ENDED);
        assertThat(pauses).hasSize(400);
    }

    @Test
    void aSinkThatIsClosedEndsTheCopying() {
        server.log(17, 0, true, true, "text");
        assertThatThrownBy(() -> follower.copyLog(17, true, LogPart.ALL, (_, _) -> {
                    throw Failure.of(141, "OUTPUT_CLOSED", "closed");
                }))
                .hasMessage("closed");
        assertThat(pauses).isEmpty();
    }
}
