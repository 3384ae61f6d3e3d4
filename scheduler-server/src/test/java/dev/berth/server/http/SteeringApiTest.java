package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Place.InContainer;
import dev.berth.core.job.Program;
import dev.berth.core.job.StateName;
import dev.berth.core.job.Submitter;
import dev.berth.core.machine.Input.SubmitJob;
import dev.berth.core.machine.Step.Reply;
import dev.berth.server.example.Draft;
import dev.berth.server.example.Jobs;
import dev.berth.server.gpu.nvidia.Driver;
import dev.berth.server.linux.Users;
import dev.berth.server.loop.Room;
import dev.berth.testclient.Answer;
import dev.berth.testclient.Following;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is done with jobs after their submit: held, released, queued again, fetched, deleted. */
class SteeringApiTest {
    @TempDir
    private Path directory;

    @AutoClose
    private ServerFixture fixture;

    @BeforeEach
    void open() {
        fixture = new ServerFixture(directory);
    }

    private Answer verb(long id, String verb) {
        return fixture.post("/api/v1/jobs/" + id + "/" + verb, "");
    }

    private Answer ask(String method, String target) {
        return Wire.ask(UnixDomainSocketAddress.of(fixture.socket()), method, target, new byte[0]);
    }

    private long ended() {
        long id = fixture.running(1);
        fixture.end(id, 0);
        fixture.await(id, StateName.COMPLETED);
        return id;
    }

    private List<Long> ids(String query) {
        return StreamSupport.stream(
                        fixture.get("/api/v1/jobs" + query).json().path("jobs").spliterator(), false)
                .map(job -> job.path("id").asLong())
                .toList();
    }

    @Test
    void aHeldJobIsPassedOverAndKeepsItsPlace() {
        long blocker = fixture.running(4);
        long held = fixture.submitted(4);
        long next = fixture.submitted(4);
        Answer answer = verb(held, "hold");
        assertThat(answer.status()).isEqualTo(202);
        assertThat(answer.json().path("state").asText()).isEqualTo("HELD");
        assertThat(answer.json().path("reason").asText()).isEqualTo("HELD");
        assertThat(answer.json().path("position").isNull()).isTrue();
        assertThat(answer.json().path("sentence").asText()).startsWith("held by root;");
        assertThat(verb(held, "hold").status()).as("again").isEqualTo(202);
        assertThat(ids("")).containsExactly(blocker, held, next);
        fixture.end(blocker, 0);
        fixture.await(next, StateName.RUNNING);
        long last = fixture.submitted(4);
        assertThat(verb(held, "release").json().path("position").asInt()).isEqualTo(1);
        assertThat(fixture.job(last).path("position").asInt()).isEqualTo(2);
        fixture.end(next, 0);
        fixture.await(held, StateName.RUNNING);
    }

    @Test
    void theHistoryTellsWhoAsked() {
        fixture.running(4);
        long other = fixture.submitted(4);
        for (String verb : List.of("hold", "release", "cancel")) {
            verb(other, verb);
        }
        fixture.await(other, StateName.CANCELLED);
        assertThat(ask("GET", "/api/v1/jobs/" + other + "/events").text())
                .containsSubsequence(
                        "HoldRequested", "\"sentence\":\"by root\"",
                        "ReleaseRequested", "\"sentence\":\"by root\"",
                        "CancelRequested", "\"sentence\":\"by root\"");
    }

    @Test
    void whatCannotBeHeldOrReleasedIsSaid() {
        long running = fixture.running(1);
        assertThat(verb(running, "hold").code()).isEqualTo("JOB_STARTED");
        assertThat(verb(running, "release").code()).isEqualTo("JOB_NOT_HELD");
        long over = ended();
        assertThat(verb(over, "hold").code()).isEqualTo("JOB_ENDED");
        assertThat(verb(over, "release").code()).isEqualTo("JOB_ENDED");
        assertThat(verb(running, "resubmit").code()).isEqualTo("JOB_NOT_ENDED");
        assertThat(ask("DELETE", "/api/v1/jobs/" + running).code()).isEqualTo("JOB_NOT_ENDED");
        assertThat(fixture.job(running).path("state").asText()).isEqualTo("RUNNING");
        assertThat(verb(99, "hold").code()).isEqualTo("JOB_NOT_FOUND");
    }

    @Test
    void aHeldJobCanBeCancelled() {
        fixture.running(4);
        long held = fixture.submitted(1);
        verb(held, "hold");
        assertThat(verb(held, "cancel").json().path("sentence").asText())
                .isEqualTo("cancelled by root while it was held");
    }

    @Test
    void aJobThatHasEndedIsQueuedAgainAtTheEnd() {
        long over = ended();
        fixture.running(4);
        long waiting = fixture.submitted(1);
        Answer again = verb(over, "resubmit");
        assertThat(again.status()).isEqualTo(201);
        assertThat(again.json().path("id").asLong()).isGreaterThan(waiting);
        assertThat(again.json().path("resubmitOf").asLong()).isEqualTo(over);
        assertThat(again.json().path("command")).isEqualTo(fixture.job(over).path("command"));
        assertThat(again.json().path("position").asInt()).isEqualTo(2);
    }

    @Test
    void aRequeueThatIsRepeatedMakesOneJobAndAnotherOneAnother() {
        long one = ended();
        long other = ended();
        Answer first = resubmit(one, "k-9");
        assertThat(first.status()).isEqualTo(201);
        assertThat(resubmit(one, "k-9").json().path("id"))
                .isEqualTo(first.json().path("id"));
        assertThat(resubmit(other, "k-9").code()).isEqualTo("KEY_TAKEN");
    }

    /** Accepted, it would wait for its GPUs to fail. */
    @Test
    void whatTheDriverCannotRunAnyMoreIsNotQueuedAgain() {
        long over = ended();
        long repeated = resubmit(over, "k-9").json().path("id").asLong();
        fixture.engine().withEnvironment(ServerFixture.IMAGE, Map.of("NVIDIA_REQUIRE_CUDA", "cuda>=12.4"));
        fixture.driver = new Driver("525.60", "12.0", null);
        Answer refused = verb(over, "resubmit");
        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.message())
                .isEqualTo(
                        "not accepted: image berth-job:latest needs CUDA >= 12.4, the driver 525.60 runs at most CUDA"
                                + " 12.0; take an older image or update the driver (NVIDIA_DISABLE_REQUIRE=true runs it all the same)");
        assertThat(resubmit(over, "k-9").json().path("id").asLong())
                .as("accepted before")
                .isEqualTo(repeated);
    }

    /** Ended, as a user of that name submitted it who had these numbers and one more group then. */
    private long ended(String name, long uid) {
        Submitter then = new Submitter(uid, 4_242, List.of(4_243L), name);
        JobSpec spec = Jobs.with(Jobs.spec(0), InContainer.of("", ServerFixture.IMAGE));
        Program program = new Program(List.of("true"), Map.of());
        Reply reply = fixture.scheduling()
                .submit(now -> new SubmitJob(now, spec, program, then, null), Room.UNBOUNDED)
                .join();
        long id = reply instanceof Reply.Accepted(Job job) ? job.id().value() : -1;
        fixture.await(id, StateName.RUNNING);
        fixture.end(id, 0);
        fixture.await(id, StateName.COMPLETED);
        return id;
    }

    @ParameterizedTest
    @ValueSource(strings = {"root", "daemon"})
    void aJobThatIsQueuedAgainHasItsOwnersGroupsOfNow(String name) {
        Submitter now = new Users().find(name).orElseThrow();
        Answer again = verb(ended(name, now.uid()), "resubmit");
        assertThat(again.status()).isEqualTo(201);
        Job job = fixture.queries()
                .find(new JobId(again.json().path("id").asLong()))
                .orElseThrow();
        assertThat(job.owner()).isEqualTo(now);
    }

    @Test
    void aJobWhoseOwnerIsGoneIsNotQueuedAgain() {
        Answer gone = verb(ended("berth-nobody-of-that-name", 4_244), "resubmit");
        assertThat(gone.status()).isEqualTo(409);
        assertThat(gone.code()).isEqualTo("NO_SUCH_USER");
        assertThat(gone.message()).contains("berth-nobody-of-that-name (4244)", "cannot run again");
        assertThat(verb(ended("daemon", 4_245), "resubmit").code())
                .as("the name is another user's by now")
                .isEqualTo("NO_SUCH_USER");
    }

    private Answer resubmit(long id, String key) {
        return Wire.raw(
                UnixDomainSocketAddress.of(fixture.socket()),
                "POST /api/v1/jobs/" + id
                        + "/resubmit HTTP/1.1\r\nHost: berth\r\nConnection: close\r\nIdempotency-Key: " + key
                        + "\r\nContent-Length: 0\r\n\r\n",
                new byte[0]);
    }

    @Test
    void aPausedServerStartsNothing() {
        Answer paused = fixture.post("/api/v1/server/pause", "");
        assertThat(paused.status()).isEqualTo(202);
        assertThat(paused.json().path("paused").path("by").asText()).isEqualTo("root");
        long id = fixture.submitted(1);
        JsonNode job = fixture.job(id);
        assertThat(job.path("reason").asText()).isEqualTo("SERVER_PAUSED");
        assertThat(job.path("sentence").asText()).startsWith("the server was paused by root");
        Answer resumed = fixture.post("/api/v1/server/resume", "");
        assertThat(resumed.json().path("paused").isNull()).isTrue();
        fixture.await(id, StateName.RUNNING);
    }

    private Answer submit(String key, String name) {
        byte[] body = """
                {"command": ["x"], "name": "%s", "snapshot": "%s"}""".formatted(name, fixture.snapshot()).getBytes(StandardCharsets.UTF_8);
        return Wire.raw(
                UnixDomainSocketAddress.of(fixture.socket()),
                "POST /api/v1/jobs HTTP/1.1\r\nHost: berth\r\nConnection: close\r\nIdempotency-Key: " + key
                        + "\r\nContent-Length: " + body.length + "\r\n\r\n",
                body);
    }

    @Test
    void aSubmitThatIsRepeatedMakesOneJob() {
        Answer first = submit("k-1", "a");
        assertThat(first.status()).isEqualTo(201);
        Answer again = submit("k-1", "a");
        assertThat(again.status()).isEqualTo(200);
        assertThat(again.json().path("id")).isEqualTo(first.json().path("id"));
        assertThat(submit("k-2", "a").status()).isEqualTo(201);
        Answer other = submit("k-1", "b");
        assertThat(other.status()).isEqualTo(422);
        assertThat(other.code()).isEqualTo("KEY_TAKEN");
        assertThat(ids("?scope=all")).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "two words", "caf\u00e9"})
    void aKeyIsVisibleAscii(String key) {
        Answer answer = submit(key, "a");
        assertThat(answer.status()).isEqualTo(400);
        assertThat(ids("?scope=all")).isEmpty();
    }

    @Test
    void listsAreFiltered() {
        long over = ended();
        long running = fixture.running(4);
        String snapshot = fixture.snapshot();
        long named = fixture.post("/api/v1/jobs", """
                {"command": ["x"], "snapshot": "%s", "name": "needle", "project": "hay", "gpus": 1}""".formatted(snapshot))
                .json()
                .path("id")
                .asLong();
        assertThat(ids("")).containsExactly(running, named);
        assertThat(ids("?name=needle")).containsExactly(named);
        assertThat(ids("?project=hay")).containsExactly(named);
        assertThat(ids("?project=hay&name=other")).isEmpty();
        assertThat(ids("?user=root")).containsExactly(running, named);
        assertThat(ids("?user=daemon")).isEmpty();
        assertThat(fixture.get("/api/v1/jobs?user=nobody-of-that-name")
                        .expect(400)
                        .message())
                .isEqualTo("user: 'nobody-of-that-name' is not in this machine's user database, and has no jobs here");
        assertThat(ids("?scope=ended")).containsExactly(over);
        assertThat(ids("?scope=all")).containsExactly(named, running, over);
        long theirs = fixture.submitted("gone-from-here", "theirs", 1);
        assertThat(ids("?user=gone-from-here")).containsExactly(theirs);
        assertThat(ids("?state=COMPLETED,RUNNING")).containsExactly(running, over);
        assertThat(ids("?state=COMPLETED,RUNNING&limit=1")).containsExactly(running);
        assertThat(ids("?state=COMPLETED,RUNNING&cursor=" + running)).containsExactly(over);
    }

    @Test
    void whatGitSaidOfADirectoryIsKept() throws Exception {
        String plain = fixture.snapshot();
        assertThat(fixture.job(fixture.submitted(1)).path("git").isNull()).isTrue();
        String dirty = new Draft()
                .file("main.py", "print(2)")
                .git("c0ffee".repeat(6) + "abcd", "main", "--- a/main.py\n+++ b/main.py\n")
                .uploadTo(fixture.snapshots(), 0);
        assertThat(dirty).isNotEqualTo(plain);
        long id = fixture.post("/api/v1/jobs", """
                {"command": ["x"], "snapshot": "%s"}""".formatted(dirty))
                .json()
                .path("id")
                .asLong();
        JsonNode git = fixture.job(id).path("git");
        assertThat(git.path("commit").asText()).startsWith("c0ffee");
        assertThat(git.path("branch").asText()).isEqualTo("main");
        assertThat(git.path("dirty").asBoolean()).isTrue();
        assertThat(ask("GET", "/api/v1/jobs/" + id + "/diff").text()).isEqualTo("--- a/main.py\n+++ b/main.py\n");
        assertThat(ask("GET", "/api/v1/jobs/1/diff").code()).isEqualTo("NO_DIFF");
    }

    @Test
    void listsAreTextForWhoeverAsksForText() {
        long running = fixture.running(2);
        Answer jobs = Wire.raw(
                UnixDomainSocketAddress.of(fixture.socket()),
                "GET /api/v1/jobs HTTP/1.1\r\nHost: berth\r\nConnection: close\r\nAccept: text/plain\r\n\r\n",
                new byte[0]);
        assertThat(jobs.headers()).containsEntry("content-type", "text/plain; charset=utf-8");
        assertThat(jobs.text())
                .isEqualTo("ID  STATE    USER  GPUS  NAME     WHY\n" + running
                        + "   RUNNING  root  2     main.py  runs on GPUs 0, 1\n");
        Answer gpus = Wire.raw(
                UnixDomainSocketAddress.of(fixture.socket()),
                "GET /api/v1/gpus HTTP/1.1\r\nHost: berth\r\nConnection: close\r\nAccept: text/plain\r\n\r\n",
                new byte[0]);
        assertThat(gpus.text().lines()).hasSize(5).first().asString().startsWith("INDEX  UUID");
    }

    @Test
    void whatAJobWroteIsFetchedAndNoLinkIsFollowed() throws IOException {
        long id = ended();
        Path output = directory.resolve("users/0/output/" + id);
        Files.createDirectories(output.resolve("model"));
        Files.writeString(output.resolve("model/best.pt"), "weights");
        Files.createSymbolicLink(output.resolve("latest"), Path.of("model/best.pt"));
        Files.createSymbolicLink(output.resolve("out"), Path.of("/etc"));
        List<String> all = names(ask("GET", "/api/v1/jobs/" + id + "/output"));
        assertThat(all)
                .containsExactlyInAnyOrder("model/", "model/best.pt=weights", "latest->model/best.pt", "out->/etc");
        assertThat(names(ask("GET", "/api/v1/jobs/" + id + "/output?path=model/best.pt")))
                .containsExactly("best.pt=weights");
        assertThat(names(ask("GET", "/api/v1/jobs/" + id + "/output?path=out"))).containsExactly("out->/etc");
    }

    @Test
    void whatIsDeletedIsNotSaidNotToHaveStarted() throws IOException {
        long id = ended();
        Files.delete(directory.resolve("users/0/output/" + id));
        Answer answer = ask("GET", "/api/v1/jobs/" + id + "/output");
        assertThat(answer.code()).isEqualTo("NO_OUTPUT");
        assertThat(answer.message()).endsWith("has no output: it is deleted, or what it wrote is");
        long _ = fixture.running(4);
        long queued = fixture.submitted(4);
        fixture.post("/api/v1/jobs/" + queued + "/cancel", "");
        assertThat(ask("GET", "/api/v1/jobs/" + queued + "/output").message())
                .endsWith("has no output: it has not started");
    }

    private static List<String> names(Answer answer) throws IOException {
        assertThat(answer.status()).isEqualTo(200);
        List<String> names = new ArrayList<>();
        try (TarArchiveInputStream tar =
                new TarArchiveInputStream(new ByteArrayInputStream(answer.text().getBytes(StandardCharsets.UTF_8)))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                names.add(entry.getName()
                        + (entry.isSymbolicLink() ? "->" + entry.getLinkName() : "")
                        + (entry.isFile() && !entry.isSymbolicLink()
                                ? "=" + new String(tar.readAllBytes(), StandardCharsets.UTF_8)
                                : ""));
            }
        }
        return names;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"..", "../..", "/etc/passwd", "a/../../b", "./a", "a/./b", "out/passwd", "nothing", "a%00b"})
    void nothingOutsideOfTheOutputIsReached(String path) throws IOException {
        long id = ended();
        Path output = directory.resolve("users/0/output/" + id);
        Files.createSymbolicLink(output.resolve("out"), Path.of("/etc"));
        Answer answer = ask("GET", "/api/v1/jobs/" + id + "/output?path=" + path);
        assertThat(answer.status()).isIn(400, 404);
        assertThat(answer.text()).doesNotContain("root:");
    }

    @Test
    void noFileHasANameThatLinuxDoesNotHave() {
        long id = ended();
        for (String path : List.of("x".repeat(256), "a/" + "é".repeat(128), "a/".repeat(3_000) + "b")) {
            String encoded = URLEncoder.encode(path, StandardCharsets.UTF_8);
            Answer answer = ask("GET", "/api/v1/jobs/" + id + "/output?path=" + encoded);
            assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        }
        assertThat(ask("GET", "/api/v1/jobs/" + id + "/output?path=" + "x".repeat(255))
                        .status())
                .isEqualTo(404);
    }

    @Test
    void aDeletedJobIsGoneWithAllItsFiles() {
        long id = fixture.running(1);
        fixture.print(id, "words");
        fixture.end(id, 0);
        fixture.await(id, StateName.COMPLETED);
        Answer answer = ask("DELETE", "/api/v1/jobs/" + id);
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.text()).isEqualTo("{\"id\":%d,\"remains\":[]}".formatted(id));
        assertThat(directory.resolve("jobs/" + id)).doesNotExist();
        assertThat(fixture.get("/api/v1/jobs/" + id).code()).isEqualTo("JOB_NOT_FOUND");
        assertThat(fixture.queries().find(new JobId(id))).isEmpty();
        assertThat(fixture.queries().feed(null, 0, 100).items()).isEmpty();
        assertThat(fixture.submitted(1)).as("a number is never used again").isGreaterThan(id);
        assertThat(ask("DELETE", "/api/v1/jobs/" + id).code()).isEqualTo("JOB_NOT_FOUND");
    }

    @Test
    void theFeedTellsOfAllJobsAndGoesOnWhereItEnded() throws IOException {
        long over = ended();
        List<String> kept = new ArrayList<>();
        try (Following all = Wire.open(fixture.socket(), "/api/v1/events")) {
            kept.addAll(
                    all.rest().lines().filter(line -> line.startsWith("id: ")).toList());
        }
        assertThat(kept).hasSize(6);
        try (Following feed = Wire.open(fixture.socket(), "/api/v1/events?follow=true")) {
            assertThat(line(feed, "id: ")).as("where it begins").isEqualTo(kept.getLast());
            long next = fixture.submitted(1);
            assertThat(line(feed, "data: ")).contains("\"job\":" + next, "JobAccepted");
        }
        try (Following feed = Wire.open(fixture.socket(), "/api/v1/events?follow=true", "Last-Event-ID: 5")) {
            assertThat(line(feed, "data: ")).contains("\"job\":" + over, "ContainerExited");
        }
    }

    private static String line(Following stream, String start) throws IOException {
        String line = stream.line();
        while (!line.startsWith(start)) {
            line = stream.line();
        }
        return line;
    }
}
