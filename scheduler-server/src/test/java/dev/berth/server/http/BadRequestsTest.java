package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.core.option.JobOption;
import dev.berth.server.http.exchange.Json;
import dev.berth.testclient.Answer;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that are wrong in some way, over a real socket; each is answered in the one form of all refusals. */
@Timeout(60)
class BadRequestsTest {
    private static final byte[] NOTHING = new byte[0];

    @TempDir
    private Path directory;

    private ServerFixture fixture;

    @BeforeEach
    void open() {
        fixture = new ServerFixture(directory);
    }

    @AfterEach
    void close() {
        assertThat(fixture.queries().counts(null))
                .as("what is refused is not kept")
                .isEmpty();
        fixture.close();
    }

    private static void refused(Answer answer, int status, String code) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(status);
        assertThat(answer.headers()).containsEntry("content-type", "application/json");
        JsonNode error = answer.json();
        assertThat(error.path("code").asText()).isEqualTo(code);
        assertThat(error.path("message").asText())
                .isNotBlank()
                .doesNotContain("dev.berth")
                .doesNotContain("java.");
        assertThat(error.path("details").isObject()).isTrue();
    }

    private Answer ask(String method, String target) {
        return Wire.ask(UnixDomainSocketAddress.of(fixture.socket()), method, target, NOTHING);
    }

    private Answer odd(String method, String target) {
        return Wire.odd(UnixDomainSocketAddress.of(fixture.socket()), method, target);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"LONG\":1}",
                "{\"LONG\":1,\"LONG\":1}",
                "{\"command\":[\"true\"],\"name\":\"LONG\"}",
                "{\"environment\":{\"LONG\":7}}",
                "LONG"
            })
    void noAnswerIsLongerOrWilderThanItsSentence(String body) {
        String hostile = "\\u001b" + "x".repeat(10_000) + "\\u202e";
        Answer answer = Wire.ask(
                UnixDomainSocketAddress.of(fixture.socket()),
                "POST",
                "/api/v1/jobs",
                body.replace("LONG", hostile).getBytes(StandardCharsets.UTF_8));
        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        assertThat(answer.message()).hasSizeLessThan(1_000);
        assertThat(answer.message().codePoints()).noneMatch(Character::isISOControl);
    }

    @ParameterizedTest
    @ValueSource(strings = {"%ff", "%", "%zz", "%c3%28", "%ed%a0%80", "x%f"})
    void aQueryThatIsNoTextIsRefused(String query) {
        for (String path : List.of("/api/v1/jobs", "/api/v1/jobs/1/log", "/api/v1/events", "/api/v1/tokens")) {
            refused(odd("GET", path + "?user=" + query), 400, "BAD_REQUEST");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/v1/jobs/%c2%9b2J", "/api/v1/gpus/WORD/resume", "/api/v1/WORD%e2%80%ae"})
    void noPathIsToldInMoreThanASentence(String path) {
        for (String method : List.of("BREW", "POST")) {
            Answer answer = ask(method, path.replace("WORD", "x".repeat(9_000)));
            assertThat(answer.status()).as(answer.text()).isIn(404, 405);
            assertThat(answer.message()).hasSizeLessThan(2_000);
            assertThat(answer.message().codePoints())
                    .noneMatch(Character::isISOControl)
                    .doesNotContain(0x202e);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"path\":\"a\",\"type\":\"link\",\"odd\":1}|'odd' is not a field of it",
                "{\"path\":\"a\",\"type\":7}|'type' has a value of another type than it must"
            })
    void aManifestIsRefusedInWordsForPeople(String entry, String words) {
        Answer answer = fixture.post("/api/v1/snapshots", "{\"version\":1,\"entries\":[" + entry + "]}");
        refused(answer, 400, "BAD_SNAPSHOT");
        assertThat(answer.message()).endsWith(words);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/nothing",
                "/api",
                "/api/v1",
                "/api/v1/",
                "/api/v2/jobs",
                "/api/v1/job",
                "/api/v1/jobs/",
                "/api/v1/jobs/1/",
                "/api/v1/jobs/1/logs",
                "/api/v1/jobs/1/log/2",
                "/API/V1/JOBS",
                "/api/v1/health/"
            })
    void whereNothingIsNothingIsFound(String path) {
        Answer answer = ask("GET", path);
        refused(answer, 404, "NO_SUCH_ROUTE");
        assertThat(answer.message()).isEqualTo("there is nothing at " + path);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "DELETE|/api/v1/jobs|POST, GET",
                "PUT|/api/v1/jobs/1|GET, DELETE",
                "GET|/api/v1/jobs/1/hold|POST",
                "POST|/api/v1/events|GET",
                "GET|/api/v1/jobs/1/cancel|POST",
                "POST|/api/v1/jobs/1/log|GET",
                "POST|/api/v1/jobs/1/snapshot/archive|GET",
                "GET|/api/v1/server/stop|POST",
                "GET|/api/v1/snapshots|POST",
                "POST|/api/v1/health|GET",
                "get|/api/v1/health|GET",
                "BREW|/api/v1/gpus|GET"
            })
    void aWrongMethodIsToldTheRightOnes(String method, String path, String right) {
        Answer answer = odd(method, path);
        refused(answer, 405, "WRONG_METHOD");
        assertThat(answer.message()).isEqualTo(path + " takes " + right + ", not " + method);
        assertThat(answer.headers()).containsEntry("allow", right);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"abc", "0", "-1", "1.5", "99999999999999999999", "1e3", "%31%00", "%20", "0x1", "%F0%9F%9A%A2"})
    void aJobsIdIsANumberFromOne(String id) {
        for (String what : List.of("", "/explanation", "/events", "/log")) {
            Answer answer = ask("GET", "/api/v1/jobs/" + id + what);
            assertThat(answer.status()).as(answer.text()).isEqualTo(400);
            assertThat(answer.code()).isIn("INVALID_FIELD", "BAD_REQUEST");
        }
        assertThat(ask("POST", "/api/v1/jobs/" + id + "/cancel").status()).isEqualTo(400);
    }

    @Test
    void aJobThatIsNotThereIsNotFound() {
        for (String what : List.of("", "/explanation", "/events", "/log")) {
            Answer answer = ask("GET", "/api/v1/jobs/99" + what);
            refused(answer, 404, "JOB_NOT_FOUND");
            assertThat(answer.message()).isEqualTo("there is no job 99 that you may see; berth ps -a lists yours");
        }
        refused(ask("POST", "/api/v1/jobs/99/cancel"), 404, "JOB_NOT_FOUND");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "limit=0|limit|0|must be a whole number from 1 to 1000",
                "limit=1001|limit|1001|must be a whole number from 1 to 1000",
                "limit=|limit||must be a whole number from 1 to 1000",
                "limit=ten|limit|ten|must be a whole number from 1 to 1000",
                "cursor=-1|cursor|-1|must be a whole number from 0 to 9223372036854775807",
                "scope=all&cursor=0|cursor|0|must be a whole number from 1 to 9223372036854775807",
                "text=|text||must have 1 to 200 characters",
                "tag=|tag||must have 1 to 4347 characters",
                "scope=mine|scope|mine|must be active, ended or all",
                "scope=|scope||must be active, ended or all",
                "state=running|state|running|must be one of QUEUED, HELD, STARTING, RUNNING, STOPPING, COMPLETED,"
                        + " FAILED, TIMEOUT, OUT_OF_MEMORY, LOST, CANCELLED",
                "state=RUNNING,|state||must be one of QUEUED, HELD, STARTING, RUNNING, STOPPING, COMPLETED, FAILED,"
                        + " TIMEOUT, OUT_OF_MEMORY, LOST, CANCELLED",
                "scope=active&state=RUNNING|state|RUNNING|goes with scope all"
            })
    void aListIsAskedForByItsRules(String query, String field, String value, String rule) {
        Answer answer = ask("GET", "/api/v1/jobs?" + query);
        refused(answer, 400, "INVALID_FIELD");
        String shown = value == null ? "" : value;
        assertThat(answer.message()).isEqualTo(field + ": '" + shown + "' " + rule);
        assertThat(answer.json().path("details").toString())
                .isEqualTo("{\"field\":\"%s\",\"value\":\"%s\",\"rule\":\"%s\"}".formatted(field, shown, rule));
    }

    @Test
    void aTextToLookForIsShort() {
        for (String list : List.of("jobs", "tracked")) {
            Answer answer = ask("GET", "/api/v1/" + list + "?text=" + "x".repeat(201));
            refused(answer, 400, "INVALID_FIELD");
            assertThat(answer.message()).startsWith("text: 'xxx").endsWith("must have 1 to 200 characters");
        }
    }

    private static List<Arguments> bodies() {
        return List.of(
                Arguments.of("", "BAD_REQUEST", "the request's body"),
                Arguments.of("null", "BAD_REQUEST", "the request's body"),
                Arguments.of("[]", "BAD_REQUEST", "the request's body"),
                Arguments.of("\"text\"", "BAD_REQUEST", "the request's body"),
                Arguments.of("17", "BAD_REQUEST", "the request's body"),
                Arguments.of("command=x", "BAD_REQUEST", "the request's body is not JSON"),
                Arguments.of("{\"command\": [\"x\"]", "BAD_REQUEST", "the request's body is not JSON"),
                Arguments.of("{'command': ['x']}", "BAD_REQUEST", "the request's body is not JSON"),
                Arguments.of("{\"command\": [\"x\"],}", "BAD_REQUEST", "the request's body is not JSON"),
                Arguments.of("// comment\n{}", "BAD_REQUEST", "the request's body is not JSON"),
                Arguments.of("{\"gpus\": NaN}", "BAD_REQUEST", "the request's body is not JSON"),
                Arguments.of("\0", "BAD_REQUEST", "the request's body is not JSON"),
                Arguments.of("{\"gpus\": 1, \"gpus\": 2}", "BAD_REQUEST", "Duplicate field 'gpus'"),
                Arguments.of("{\"environment\": {\"A\": \"1\", \"A\": \"2\"}}", "BAD_REQUEST", "Duplicate field 'A'"),
                Arguments.of("{\"command\": [\"x\"]} {}", "BAD_REQUEST", "the request's body"),
                Arguments.of("{\"command\": [\"x\"]} x", "BAD_REQUEST", "the request's body"),
                Arguments.of(
                        "{\"num_gpus\": 2}",
                        "INVALID_FIELD",
                        "num_gpus: 'num_gpus' is not a field of this"
                                + " request; there are: array, begin, command, cpuGuaranteeMilli, cpuMilli, dependencies, directory, entrypoint,"
                                + " environment, gpuLabels, gpuMemoryBytes, gpuMilli, gpuType, gpus, graceSeconds, host,"
                                + " idleTimeoutSeconds, image, keepWaiting, memoryBytes, memoryGuaranteeBytes, name, network, nice, noWait, notify, pack, parallel, parameters, profile, project, pull, requeue, retries, retryDelay, retryOn, retryPlace,"
                                + " sample, seed, shell, shmBytes, signal, snapshot, sweep, tags, target, timeLimitSeconds, track, volumes, workingDirectory, zip"),
                Arguments.of("{\"Gpus\": 2}", "INVALID_FIELD", "Gpus: 'Gpus' is not a field"),
                Arguments.of("{\"gpus\": \"2\"}", "BAD_REQUEST", "gpus: "),
                Arguments.of("{\"gpus\": 1.5}", "BAD_REQUEST", "gpus: "),
                Arguments.of("{\"gpus\": true}", "BAD_REQUEST", "gpus: "),
                Arguments.of("{\"gpus\": []}", "BAD_REQUEST", "gpus: "),
                Arguments.of("{\"gpus\": 99999999999}", "BAD_REQUEST", "gpus: "),
                Arguments.of("{\"timeLimitSeconds\": \"1h\"}", "BAD_REQUEST", "timeLimitSeconds: "),
                Arguments.of("{\"name\": 5}", "BAD_REQUEST", "name: "),
                Arguments.of("{\"name\": [\"a\"]}", "BAD_REQUEST", "name: "),
                Arguments.of("{\"command\": \"main.py\"}", "BAD_REQUEST", "command: "),
                Arguments.of("{\"command\": [1]}", "BAD_REQUEST", "command[0]: "),
                Arguments.of("{\"command\": [[\"x\"]]}", "BAD_REQUEST", "command[0]: "),
                Arguments.of("{\"environment\": [\"A=1\"]}", "BAD_REQUEST", "environment: "),
                Arguments.of("{\"environment\": {\"A\": 1}}", "BAD_REQUEST", "environment.A: "),
                Arguments.of("{\"environment\": {\"A\": {}}}", "BAD_REQUEST", "environment.A: "));
    }

    @ParameterizedTest
    @MethodSource("bodies")
    void aBodyIsReadStrictly(String body, String code, String message) {
        Answer answer = fixture.post("/api/v1/jobs", body);
        refused(answer, 400, code);
        assertThat(answer.message()).contains(message).doesNotContain("\n");
    }

    private static Stream<String> fieldsOfAJob() {
        return Stream.concat(
                Stream.of("command", "snapshot", "gpuMilli", "host", "directory", "shell"),
                Arrays.stream(JobOption.values()).map(JobOption::field).distinct());
    }

    /** A program that has no value for a field means no default by it: a null of GPUs was a job of 0. */
    @ParameterizedTest
    @MethodSource("fieldsOfAJob")
    void aNullIsRefused(String field) {
        String others = "\"snapshot\": \"" + fixture.snapshot() + "\", \"command\": [\"true\"]";
        String body = field.equals("command") || field.equals("snapshot")
                ? "{\"" + field + "\": null}"
                : "{" + others + ", \"" + field + "\": null}";
        for (String target : List.of("/api/v1/jobs", "/api/v1/jobs?dryRun=true")) {
            Answer answer = fixture.post(target, body);
            refused(answer, 400, "INVALID_FIELD");
            assertThat(answer.message())
                    .startsWith(field + ": 'null' must be ")
                    .endsWith("; leave the field out for its default");
            assertThat(answer.json().path("details").path("field").asText()).isEqualTo(field);
            assertThat(answer.json().path("details").path("value").asText()).isEqualTo("null");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"command", "tags", "volumes", "gpuLabels", "environment"})
    void aNullWithinAFieldIsRefused(String field) {
        String value = field.equals("environment") ? "{\"A\": null}" : "[null]";
        String command = field.equals("command") ? "" : ", \"command\": [\"true\"]";
        Answer answer = fixture.post(
                "/api/v1/jobs",
                "{\"snapshot\": \"" + fixture.snapshot() + "\"" + command + ", \"" + field + "\": " + value + "}");
        refused(answer, 400, "INVALID_FIELD");
        assertThat(answer.json().path("details").path("field").asText()).isEqualTo(field);
    }

    @Test
    void theSecretsOfABadRequestAreNotRepeated() {
        Answer answer = fixture.post("/api/v1/jobs", "{\"environment\": {\"TOKEN\": \"hush\", \"OTHER\": 1}, \"x\": }");
        refused(answer, 400, "BAD_REQUEST");
        assertThat(answer.text()).doesNotContain("hush");
    }

    @Test
    void aBodyMayBeOneMebibyteLong() {
        String start = "{\"command\": [\"x\"], \"snapshot\": \"" + "0".repeat(64) + "\"";
        String fits = start + " ".repeat(Json.MAX_SUBMIT_BYTES - start.length() - 1) + "}";
        refused(fixture.post("/api/v1/jobs", fits), 400, "INVALID_FIELD");
        Answer answer = fixture.post("/api/v1/jobs", fits + " ");
        refused(answer, 413, "TOO_LARGE");
        assertThat(answer.message()).isEqualTo("the request's body is larger than 1048576 bytes");
        refused(fixture.post("/api/v1/jobs", fits + fits), 413, "TOO_LARGE");
    }

    @ParameterizedTest
    @ValueSource(strings = {"[", "{\"a\":", "{\"command\": [", "{\"environment\": {\"A\": ["})
    void aBodyIsNestedWithinBounds(String opening) {
        refused(fixture.post("/api/v1/jobs", "[".repeat(20_000)), 400, "BAD_REQUEST");
        Answer answer = fixture.post("/api/v1/jobs", opening + "[".repeat(20_000));
        assertThat(answer.status()).isEqualTo(400);
    }

    @ParameterizedTest
    @ValueSource(strings = {"BERTH_JOB_ID", "BERTH_ANYTHING", "HOME", "USER"})
    void whatBerthSetsItselfCannotBeSet(String name) {
        Answer answer = fixture.post("/api/v1/jobs", """
            {"command": ["x"], "snapshot": "%s", "environment": {"%s": "all"}}\
            """.formatted(fixture.snapshot(), name));
        refused(answer, 400, "INVALID_FIELD");
        assertThat(answer.message())
                .isEqualTo("environment: '" + name + "' is set by Berth itself for every job; leave it out, or choose"
                        + " another name");
    }

    @ParameterizedTest
    @ValueSource(strings = {"CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES"})
    void whatDecidesOnGpusCannotBeSet(String name) {
        Answer answer = fixture.post("/api/v1/jobs", """
            {"command": ["x"], "snapshot": "%s", "environment": {"%s": "all"}}\
            """.formatted(fixture.snapshot(), name));
        refused(answer, 400, "INVALID_FIELD");
        assertThat(answer.message())
                .isEqualTo("environment: '" + name + "' is set by Berth alone, so that a job sees exactly its own GPUs;"
                        + " ask for GPUs with --num-gpus");
    }

    @Test
    void aSnapshotThatIsNotHereIsRefused() {
        String digest = "ab".repeat(32);
        Answer answer = fixture.post("/api/v1/jobs", "{\"command\": [\"x\"], \"snapshot\": \"" + digest + "\"}");
        refused(answer, 400, "INVALID_FIELD");
        assertThat(answer.message())
                .isEqualTo("snapshot: '" + digest + "' is not on this server; upload the directory first");
    }

    @Test
    void whatCannotBeReadByATerminalIsNotRepeated() {
        Answer answer = fixture.post("/api/v1/jobs", """
            {"command": ["x"], "snapshot": "%s", "name": "a\\u001b[2Jb\\u202e"}\
            """.formatted(fixture.snapshot()));
        refused(answer, 400, "INVALID_FIELD");
        assertThat(answer.message()).isEqualTo("name: 'a?[2Jb?' must not hold control or formatting characters");
        Answer image = fixture.post("/api/v1/jobs", """
            {"command": ["x"], "snapshot": "%s", "image": "a\\nb"}\
            """.formatted(fixture.snapshot()));
        refused(image, 400, "INVALID_FIELD");
        assertThat(image.message()).isEqualTo("image: 'a?b' is not an image name such as python:3.12-slim");
    }

    @Test
    void stopIsAskedForStrictlyToo() {
        refused(fixture.post("/api/v1/server/stop", ""), 400, "BAD_REQUEST");
        refused(fixture.post("/api/v1/server/stop", "{\"stopJobs\": \"yes\"}"), 400, "BAD_REQUEST");
        refused(fixture.post("/api/v1/server/stop", "{\"stopjobs\": true}"), 400, "INVALID_FIELD");
        Answer none = fixture.post("/api/v1/server/stop", "{\"stopJobs\": null}");
        refused(none, 400, "BAD_REQUEST");
        assertThat(none.message()).isEqualTo("stopJobs: must be true or false");
        assertThat(fixture.stopped()).isNotDone();
    }

    /** Everywhere, also where there is nothing, and whoever asks. */
    @ParameterizedTest
    @ValueSource(strings = {"x=%ff", "x=%", "x=%f", "x=%zz", "%c3=1", "x=%u00e9", "limit=1&y=%80%80", "x=%ed%a0%80"})
    void aQueryThatIsNoUtf8IsRefusedOnEveryRoute(String query) {
        List<String> targets = new ArrayList<>(List.of("GET /", "GET /index.html", "HEAD /", "OPTIONS /api/v1/jobs"));
        fixture.routes()
                .forEach(route ->
                        targets.add(route.method() + " " + route.pattern().replaceAll("\\{[a-z]+}", "1")));
        assertThat(targets).hasSizeGreaterThan(30);
        for (String target : targets) {
            String[] words = target.split(" ", 2);
            for (SocketAddress way : List.of(UnixDomainSocketAddress.of(fixture.socket()), fixture.tcp())) {
                Answer answer = Wire.odd(way, words[0], words[1] + "?" + query);
                assertThat(answer.status()).as("%s %s", target, answer.text()).isEqualTo(400);
                if (!words[0].equals("HEAD")) {
                    refused(answer, 400, "BAD_REQUEST");
                }
            }
        }
        assertThat(fixture.stopped()).isNotDone();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /api/v1/jobs/%ff HTTP/1.1\r\nHost: berth",
                "GET /api/v1/jobs/%c3 HTTP/1.1\r\nHost: berth",
                "GET /api/v1/jobs/1;x=y HTTP/1.1\r\nHost: berth",
                "GET /api/v1//jobs HTTP/1.1\r\nHost: berth",
                "GET /api/v1/./jobs/%2e%2e/x HTTP/1.1\r\nHost: berth",
                "GET /api/v1/jobs HTTP/1.1",
                "GET /api/v1/jobs HTTP/1.1\r\nHost: a\r\nHost: b",
                "GET /api/v1/jobs HTTP/1.1\r\nHost: berth\r\nContent-Length: x",
                "GET /api/v1/jobs HTTP/1.1\r\nHost: berth\r\nContent-Length: 1\r\nContent-Length: 2",
                "GET /api/v1/jobs HTTP/1.1\r\nHost: berth\r\nContent-Length: -1",
                "GET /api/v1/jobs HTTP/1.1\r\nHost: berth\r\nContent-Length: 99999999999999999999",
                "GET /api/v1/jobs HTTP/1.1\r\nHost: berth\r\nTransfer-Encoding: chunked\r\nContent-Length: 3",
                "GET /api/v1/jobs HTTP/1.1\r\nHost: berth\r\nTransfer-Encoding: gzip",
                "GET /api/v1/jobs HTTP/1.1\r\nHost: berth\r\nX\u0001: y",
                "G\u0001T /api/v1/jobs HTTP/1.1\r\nHost: berth",
                "GET /api/v1/jobs\u00e9 HTTP/1.1\r\nHost: berth",
                "POST /api/v1/jobs HTTP/1.1\r\nHost: berth\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}",
                "POST /api/v1/jobs HTTP/1.1\r\nHost: berth\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n{}",
                "POST /api/v1/snapshots HTTP/1.1\r\nHost: berth\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}"
            })
    void whatIsNoRequestIsRefusedWithASentence(String head) {
        Answer answer = Wire.raw(UnixDomainSocketAddress.of(fixture.socket()), head + "\r\n\r\n", NOTHING);
        assertThat(answer.status()).as(answer.text()).isBetween(400, 499);
        assertThat(answer.message()).isNotBlank().doesNotContain("\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"ff", "fe ff 00", "00 00 00 7b", "00 00 fe ff 00 11 00 00", "7b 22 ff 22 3a 31 7d", "7b 22 c3"})
    void aBodyThatIsNoTextIsRefused(String bytes) {
        byte[] body = HexFormat.ofDelimiter(" ").parseHex(bytes);
        for (String path : List.of("/jobs", "/tokens", "/server/stop")) {
            refused(
                    Wire.ask(UnixDomainSocketAddress.of(fixture.socket()), "POST", "/api/v1" + path, body),
                    400,
                    "BAD_REQUEST");
        }
    }

    /** What does not even reach a route is refused in the same form. */
    @ParameterizedTest
    @CsvSource({
        "GET /api/v1/jobs/%2e%2e/jobs HTTP/1.1,400",
        "GET /api/v1/jobs/1%2F2 HTTP/1.1,400",
        "GET /api/v1/jobs/%zz HTTP/1.1,400",
        "GET /api/v1/jobs HTTP/9.9,505"
    })
    void aBadRequestLineIsRefusedInTheSameForm(String line, int status) {
        Answer answer = Wire.raw(
                UnixDomainSocketAddress.of(fixture.socket()),
                line + "\r\nHost: berth\r\nConnection: close\r\n\r\n",
                NOTHING);
        assertThat(answer.status()).as(answer.text()).isEqualTo(status);
        assertThat(answer.headers()).containsEntry("content-type", "application/json");
        assertThat(answer.code()).isEqualTo("BAD_REQUEST");
    }

    @Test
    void aHeaderWithoutEndIsRefused() {
        String head = "GET /api/v1/health HTTP/1.1\r\nHost: berth\r\nX-Long: " + "x".repeat(20_000) + "\r\n\r\n";
        Answer answer = Wire.raw(UnixDomainSocketAddress.of(fixture.socket()), head, NOTHING);
        assertThat(answer.status()).isEqualTo(431);
        assertThat(answer.headers()).containsEntry("content-type", "application/json");
    }

    @Test
    void afterAllOfItTheServerStillAnswers() {
        fixture.post("/api/v1/jobs", "[".repeat(20_000));
        assertThat(ask("GET", "/api/v1/health").text()).contains("\"ok\"");
    }
}
