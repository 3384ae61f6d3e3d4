package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.core.api.LogFrame;
import dev.berth.core.job.StateName;
import dev.berth.server.config.Settings;
import dev.berth.server.log.LogSink;
import dev.berth.testclient.Answer;
import dev.berth.testclient.Following;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A job's log over a real socket: whole, in part, as it grows. */
@Timeout(60)
class LogsApiTest {
    @TempDir
    private Path directory;

    @AutoClose
    private ServerFixture fixture;

    @BeforeEach
    void open() {
        fixture = new ServerFixture(directory);
    }

    private static String log(long id, String query) {
        return "/api/v1/jobs/" + id + "/log" + (query.isEmpty() ? "" : "?" + query);
    }

    private long chatty() {
        long id = fixture.running(1);
        fixture.print(id, LogSink.Stream.OUT, "one\n");
        fixture.print(id, LogSink.Stream.ERR, "oops\r\n");
        fixture.print(id, LogSink.Stream.OUT, "tw");
        fixture.print(id, LogSink.Stream.ERR, "again\n");
        fixture.print(id, LogSink.Stream.OUT, "o\nthr");
        return id;
    }

    @Test
    void aFollowerSeesTheLogGrowAndEnd() throws IOException {
        long id = fixture.running(1);
        fixture.print(id, "one\n");
        try (Following log = Wire.open(fixture.socket(), "/api/v1/jobs/" + id + "/log?follow=true")) {
            assertThat(log.header("content-type")).isEqualTo("application/octet-stream");
            assertThat(log.line()).isEqualTo("one");
            fixture.print(id, "two\n");
            assertThat(log.line()).isEqualTo("two");
            fixture.print(id, "last");
            fixture.end(id, 0);
            assertThat(log.rest()).isEqualTo("last");
        }
    }

    @Test
    void aFollowerMayComeBeforeTheJobStarts() throws IOException {
        long blocker = fixture.running(4);
        long id = fixture.submitted(1);
        try (Following log = Wire.open(fixture.socket(), "/api/v1/jobs/" + id + "/log?follow=true")) {
            fixture.end(blocker, 0);
            fixture.await(id, StateName.RUNNING);
            fixture.print(id, "here\n");
            assertThat(log.line()).isEqualTo("here");
            fixture.end(id, 0);
            assertThat(log.rest()).isEmpty();
        }
    }

    @Test
    void aFollowerOfAJobThatNeverStartsIsToldTheEnd() throws IOException {
        fixture.running(4);
        long id = fixture.submitted(1);
        try (Following log = Wire.open(fixture.socket(), "/api/v1/jobs/" + id + "/log?follow=true")) {
            assertThat(fixture.post("/api/v1/jobs/" + id + "/cancel", "").status())
                    .isEqualTo(202);
            assertThat(log.rest()).isEmpty();
        }
    }

    @Test
    void aLogIsReadFromAnyOffset() {
        long id = fixture.running(1);
        fixture.print(id, "0123456789");
        String log = "/api/v1/jobs/" + id + "/log";
        assertThat(fixture.get(log).text()).isEqualTo("0123456789");
        assertThat(fixture.get(log + "?offset=4").text()).isEqualTo("456789");
        assertThat(fixture.get(log + "?offset=10").text()).isEmpty();
        assertThat(fixture.get(log + "?offset=11").text()).isEmpty();
        assertThat(fixture.get(log + "?offset=" + Long.MAX_VALUE).text()).isEmpty();
        fixture.end(id, 0);
        fixture.await(id, StateName.COMPLETED);
        assertThat(fixture.get(log + "?offset=9").text()).isEqualTo("9");
        assertThat(fixture.get(log + "?follow=true").text()).isEqualTo("0123456789");
    }

    /** The end of the log may still be on its way when the end of the job is known already. */
    @Test
    void theLogOfAJobThatIsOverIsWhole() {
        long id = fixture.running(1);
        String text = "a line of output\n".repeat(20_000);
        fixture.print(id, text);
        fixture.end(id, 0);
        fixture.await(id, StateName.COMPLETED);
        assertThat(fixture.get("/api/v1/jobs/" + id + "/log").text()).isEqualTo(text);
    }

    @Test
    void aLogIsBytesAndNotText() {
        long id = fixture.running(1);
        fixture.print(id, "\u001b[31mr\u00f6t\u001b[0m\r\n\0");
        assertThat(fixture.get("/api/v1/jobs/" + id + "/log").text()).isEqualTo("\u001b[31mr\u00f6t\u001b[0m\r\n\0");
    }

    private JsonNode search(long id, String query) {
        return fixture.get("/api/v1/jobs/" + id + "/log/search?" + query)
                .expect(200)
                .json();
    }

    @Test
    void aLogIsSearchedWhole() {
        long id = chatty();
        JsonNode found = search(id, "text=o&ignoreCase=true");
        assertThat(found.path("matches")).hasSize(3);
        assertThat(found.path("matches").get(1).path("offset").asLong()).isEqualTo(4);
        assertThat(found.path("matches").get(1).path("stream").asText()).isEqualTo("stderr");
        assertThat(found.path("matches").get(1).path("text").asText()).isEqualTo("oops");
        assertThat(found.path("matches").get(2).path("text").asText()).isEqualTo("two");
        assertThat(found.path("next").isNull()).isTrue();
        assertThat(found.path("end").asLong()).isEqualTo(23);
        assertThat(search(id, "text=O").path("matches")).isEmpty();
        assertThat(search(id, "text=o&stream=stderr").path("matches")).hasSize(1);
        JsonNode first = search(id, "text=o&limit=1");
        assertThat(first.path("matches")).hasSize(1);
        assertThat(first.path("next").asLong()).isEqualTo(4);
        assertThat(search(id, "text=o&offset=4").path("matches")).hasSize(2);
        assertThat(search(id, "text=o&attempt=1").path("matches")).hasSize(3);
        assertThat(fixture.get("/api/v1/jobs/" + id + "/log/search?text=o&attempt=2")
                        .code())
                .isEqualTo("NO_ATTEMPT");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "x", "1.5", "99999999999999999999", ""})
    void anOffsetIsANumberFromZero(String offset) {
        long id = fixture.submitted(1);
        Answer answer = fixture.get("/api/v1/jobs/" + id + "/log?offset=" + offset);
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.code()).isEqualTo("INVALID_FIELD");
        assertThat(answer.json().path("details").path("field").asText()).isEqualTo("offset");
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "'',                         'one|oops>|twagain|o|thr', 0",
                "stream=both,                'one|oops>|twagain|o|thr', 0",
                "stream=stdout,              'one|two|thr',             0",
                "stream=stderr,              'oops>|again|',            0",
                "stream=stdout&offset=12,    'o|thr',                  12",
                "tail=0,                     '',                       23",
                "tail=1,                     'thr',                    20",
                "tail=2,                     'o|thr',                  18",
                "tail=99,                    'one|oops>|twagain|o|thr', 0",
                "tail=2&stream=stderr,       'oops>|again|',            0",
                "tail=1&stream=stderr,       'again|',                 10",
                "tail=2&stream=stdout,       'two|thr',                 4",
                "tail=2&offset=19,           '|thr',                   19",
                "since=0,                    'one|oops>|twagain|o|thr', 0",
                "since=1970-01-01T00:00:00Z, 'one|oops>|twagain|o|thr', 0",
                "since=2999-01-01T00:00:00Z, '',                       23",
                "since=253402300799,         '',                       23",
            })
    void aPartOfALogIsAskedForByItsEndItsTimeOrItsStream(String query, String expected, long offset) {
        Answer answer = fixture.get(log(chatty(), query));
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.text().replace('\n', '|').replace('\r', '>')).isEqualTo(expected);
        assertThat(answer.headers()).containsEntry("berth-log-start", "0");
        assertThat(answer.headers()).containsEntry("berth-log-offset", Long.toString(offset));
    }

    @Test
    void timestampsStandBeforeTheLinesOfEachStream() {
        String stamped = fixture.get(log(chatty(), "timestamps=true")).text();
        assertThat(stamped.replaceAll("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z ", "T "))
                .isEqualTo("T one\nT oops\r\nT twT again\no\nT thr");
    }

    @Test
    void framesTellThePiecesApartAndAreResumedByOffset() throws IOException {
        long id = chatty();
        try (Following wire = Wire.open(fixture.socket(), log(id, "format=frames&follow=true&stream=stdout"))) {
            assertThat(wire.header("content-type")).isEqualTo("application/vnd.berth.log-frames");
            List<String> pieces = new ArrayList<>();
            long next = 0;
            while (pieces.size() < 3) {
                byte[] head = wire.bytes(LogFrame.BYTES);
                LogFrame frame = LogFrame.get(head);
                assertThat(frame.isPossible()).isTrue();
                assertThat(frame.stream()).isEqualTo(LogFrame.STDOUT);
                pieces.add(frame.offset() + ":" + new String(wire.bytes(frame.length()), StandardCharsets.UTF_8));
                next = frame.end();
            }
            assertThat(pieces).containsExactly("0:one\n", "10:tw", "18:o\nthr");
            assertThat(fixture.get(log(id, "stream=stdout&offset=" + next)).text())
                    .isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "tail=-1",
                "tail=",
                "tail=all",
                "tail=1000001",
                "tail=9223372036854775808",
                "tail=4294967296",
                "since=",
                "since=yesterday",
                "since=-1",
                "since=9223372036854775808",
                "since=253402300800",
                "since=%2B1000000000-12-31T23:59:59Z",
                "since=10m",
                "stream=2",
                "stream=STDOUT",
                "timestamps=yes",
                "follow=1",
                "format=json",
                "offset=9223372036854775808",
                "timestamps=true&format=frames"
            })
    void whatIsNoneOfTheChoicesIsRefusedByItsName(String query) {
        long id = fixture.submitted(1);
        Answer answer = fixture.get(log(id, query));
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.code()).isEqualTo("INVALID_FIELD");
        assertThat(answer.json().path("details").path("field").asText())
                .isEqualTo(query.substring(0, query.indexOf('=')));
    }

    /** Nothing is written to it, so nothing fails; it must be noticed all the same. */
    @Test
    void aFollowerThatIsGoneWhileTheJobIsSilentIsLetGo() throws IOException {
        long id = fixture.running(1);
        String request = "GET " + log(id, "follow=true") + " HTTP/1.1\r\nHost: berth\r\n\r\n";
        try (SocketChannel gone = SocketChannel.open(UnixDomainSocketAddress.of(fixture.socket()))) {
            gone.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.US_ASCII)));
            ByteBuffer head = ByteBuffer.allocate(1 << 10);
            gone.read(head);
            gone.shutdownOutput();
            String all = new String(head.array(), 0, head.position(), StandardCharsets.US_ASCII)
                    + new String(Channels.newInputStream(gone).readAllBytes(), StandardCharsets.US_ASCII);
            assertThat(all)
                    .startsWith("HTTP/1.1 200 ")
                    .as("not ended as a whole answer is")
                    .doesNotEndWith("0\r\n\r\n");
        }
    }

    /** What cannot be written costs the log and nothing else: the job runs, ends and is cleaned up. */
    @Test
    void aLogThatCannotBeWrittenHoldsTheJobNotBack() throws IOException {
        long blocker = fixture.running(4);
        long id = fixture.submitted(1);
        Files.createDirectories(directory.resolve("jobs/" + id + "/log.0/in-the-way"));
        fixture.end(blocker, 0);
        fixture.await(id, StateName.RUNNING);
        fixture.print(id, "lost");
        fixture.end(id, 0);
        fixture.await(id, StateName.COMPLETED);
        // The answer ends when the container is removed.
        assertThat(fixture.get(log(id, "follow=true")).text()).isEmpty();
        assertThat(fixture.engine().all()).doesNotContain(fixture.container(id));
    }

    /** A reader that does not read holds nobody back, and gets everything when it reads again. */
    @Test
    void aSlowReaderHoldsNeitherTheWriterNorOthersBack() throws IOException {
        long id = fixture.running(2);
        try (Following slow = Wire.open(fixture.socket(), log(id, "follow=true"))) {
            byte[] block = new byte[1 << 20];
            Arrays.fill(block, (byte) 'x');
            String text = new String(block, StandardCharsets.US_ASCII);
            for (int at = 0; at < 20; at++) {
                fixture.print(id, text);
            }
            assertThat(fixture.get(log(id, "tail=1")).text()).hasSize(20 << 20);
            long other = fixture.running(1);
            fixture.end(other, 0);
            fixture.await(other, StateName.COMPLETED);
            fixture.end(id, 0);
            assertThat(slow.rest()).hasSize(20 << 20);
        }
    }

    private String container(long id, int attempt) {
        return fixture.container(id).replaceFirst("1$", Integer.toString(attempt));
    }

    /** A job that starts anew where its engine is stopped. */
    private long lasting() {
        long id = fixture.post("/api/v1/jobs", """
            {"command": ["main.py"], "snapshot": "%s", "gpus": 1, "requeue": true}\
            """.formatted(fixture.snapshot()))
                .json()
                .path("id")
                .asLong();
        fixture.await(id, StateName.RUNNING);
        return id;
    }

    private void beginAgain(long id, int attempt) {
        fixture.engine().endAllWithEngine();
        fixture.await(
                "attempt " + attempt,
                () -> fixture.engine().running().contains(container(id, attempt))
                        && fixture.job(id).path("state").asText().equals("RUNNING"));
    }

    private long ofThreeAttempts() {
        long id = lasting();
        fixture.print(id, "one\ntwo\n");
        beginAgain(id, 2);
        fixture.engine().print(container(id, 2), LogSink.Stream.OUT, "three\n");
        fixture.engine().print(container(id, 2), LogSink.Stream.ERR, "oops\n");
        beginAgain(id, 3);
        return id;
    }

    @ParameterizedTest
    @CsvSource({
        "attempt=1,                  'one|two|'",
        "attempt=1&offset=4,         'two|'",
        "attempt=1&tail=1,           'two|'",
        "attempt=1&tail=9,           'one|two|'",
        "attempt=1&since=0,          'one|two|'",
        "attempt=1&since=9999999999, ''",
        "attempt=1&offset=9999,      ''",
        "attempt=1&follow=true,      'one|two|'",
        "attempt=2,                  'three|oops|'",
        "attempt=2&tail=1,           'oops|'",
        "attempt=2&tail=9,           'three|oops|'",
        "attempt=2&stream=stderr,    'oops|'",
        "attempt=2&stream=stdout&follow=true, 'three|'",
        "attempt=3,                  ''",
    })
    void theLogOfOneAttemptIsAskedFor(String query, String expected) {
        long id = ofThreeAttempts();
        Answer answer = fixture.get(log(id, query));
        assertThat(answer.text().replace('\n', '|')).isEqualTo(expected);
        fixture.engine().end(container(id, 3), 0);
        fixture.await(id, StateName.COMPLETED);
        assertThat(fixture.get(log(id, query)).text().replace('\n', '|')).isEqualTo(expected);
    }

    @Test
    void theAnswerSaysWhereTheAttemptBegins() {
        long id = ofThreeAttempts();
        String whole = fixture.get(log(id, "")).text();
        Answer answer = fixture.get(log(id, "attempt=2&tail=1"));
        assertThat(answer.header("berth-log-begin")).isEqualTo(Integer.toString(whole.indexOf("three")));
        assertThat(answer.header("berth-log-offset")).isEqualTo(Integer.toString(whole.indexOf("oops")));
        assertThat(answer.header("berth-log-start")).isEqualTo("0");
    }

    @Test
    void aFollowerOfAnAttemptIsToldItsEndWhileTheJobGoesOn() throws IOException {
        long id = lasting();
        fixture.print(id, "one\n");
        try (Following log = Wire.open(fixture.socket(), log(id, "attempt=1&follow=true"))) {
            assertThat(log.line()).isEqualTo("one");
            fixture.print(id, "last");
            beginAgain(id, 2);
            fixture.engine().print(container(id, 2), LogSink.Stream.OUT, "more\n");
            assertThat(log.rest()).isEqualTo("last");
        }
        assertThat(fixture.get(log(id, "attempt=2")).text()).isEqualTo("more\n");
    }

    @Test
    void anAttemptThatNeverWasIsRefusedWithThoseThatWere() {
        long id = lasting();
        Answer answer = fixture.get(log(id, "attempt=2&follow=true"));
        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.code()).isEqualTo("NO_ATTEMPT");
        assertThat(answer.message())
                .isEqualTo("attempt: '2' must be an attempt that job " + id
                        + " has begun: 1 alone so far; without it the log of all attempts is answered");
        fixture.end(id, 0);
        fixture.await(id, StateName.COMPLETED);
        assertThat(fixture.get(log(id, "attempt=2")).message()).contains("has begun: 1 alone; without");
        fixture.running(3);
        long waiting = fixture.submitted(4);
        assertThat(fixture.get(log(waiting, "attempt=1")).message()).contains("has begun: none so far; without");
    }

    @Test
    void anAttemptOfWhichAnOlderBerthHasKeptNoPlaceIsRefused() throws IOException {
        long id = ofThreeAttempts();
        Files.delete(directory.resolve("jobs/" + id + "/log-attempts"));
        Answer answer = fixture.get(log(id, "attempt=2"));
        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.code()).isEqualTo("ATTEMPT_LOG_NOT_KNOWN");
        assertThat(answer.message()).contains("an older Berth has not kept it; without it the log of all");
        assertThat(fixture.get(log(id, "attempt=3")).status()).isEqualTo(200);
    }

    @Test
    void anAttemptWhoseOutputIsGoneIsRefused(@TempDir Path other) {
        fixture.close();
        fixture = new ServerFixture(other, Settings.of("logs.max-bytes=1m"));
        long id = lasting();
        fixture.print(id, "one\n");
        beginAgain(id, 2);
        for (int block = 0; block < 20; block++) {
            fixture.engine().print(container(id, 2), LogSink.Stream.OUT, "x".repeat(1 << 16));
        }
        Answer answer = fixture.get(log(id, "attempt=1"));
        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.code()).isEqualTo("ATTEMPT_LOG_NOT_KEPT");
        assertThat(answer.message()).contains("still kept", "(logs.max-bytes); without it the log of all");
        assertThat(fixture.get(log(id, "attempt=2")).text()).matches("x{100000,}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "x", "1.5", "1000000001", "99999999999999999999", ""})
    void anAttemptIsANumberFromOne(String attempt) {
        Answer answer = fixture.get(log(fixture.submitted(1), "attempt=" + attempt));
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.json().path("details").path("field").asText()).isEqualTo("attempt");
    }
}
