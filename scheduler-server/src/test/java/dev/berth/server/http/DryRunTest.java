package dev.berth.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.core.job.StateName;
import dev.berth.server.config.Configuration;
import dev.berth.server.config.ProcessEnvironment;
import dev.berth.server.config.Settings;
import dev.berth.server.gpu.nvidia.Driver;
import dev.berth.testclient.Answer;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What {@code POST /jobs?dryRun=true} tells, and that it leaves nothing behind; and how full a queue may be. */
@Timeout(60)
class DryRunTest {
    private static final Settings SETTINGS = Configuration.read(
                    List.of("--set=jobs.memory=1g", "--set=jobs.max-queued-per-user=2"),
                    new ProcessEnvironment(
                            Map.of("BERTH_JOBS_MAX_TIME_LIMIT", "8h"),
                            Path.of("/"),
                            Path.of("/var/lib/berth"),
                            Path.of("/nonexistent"),
                            0))
            .settings();

    @TempDir
    private Path directory;

    @AutoClose
    private ServerFixture fixture;

    @BeforeEach
    void open() {
        fixture = new ServerFixture(directory, SETTINGS);
    }

    private Answer ask(String body) {
        return fixture.post("/api/v1/jobs?dryRun=true", body);
    }

    private static List<String> lines(Answer answer) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        List<String> lines = new ArrayList<>();
        for (JsonNode setting : answer.json().path("settings")) {
            lines.add("%s = %s (%s)"
                    .formatted(
                            setting.path("name").asText(),
                            setting.path("value").asText(),
                            setting.path("source").asText()));
        }
        return lines;
    }

    private static String sentence(Answer answer) {
        return answer.json().path("sentence").asText();
    }

    @Test
    void tasksThatShareAContainerAreShownInThatOfTheFirstOfThem() {
        List<String> lines = lines(ask("""
            {"command": ["main.py", "{lr}"], "sweep": ["lr=0.1,0.2,0.3"], "pack": 2, "volumes": ["/usr/share:/data:ro"]}\
            """));
        assertThat(lines)
                .contains(
                        "command = python3 main.py 0.1 (request)",
                        "container = one for tasks 0-1 of the array, one after the other, and so on: each has its command,"
                                + " variables, output and checkpoint, all else is the same for all (request)",
                        "environment = BERTH_PARAM_lr (berth)",
                        "environment = BERTH_ARRAY_TASK (berth)",
                        "mount = runs/ID.1/pack:/etc/berth-pack (berth)",
                        "mount = users/0/output/ID:/output/0 (berth)",
                        "mount = users/0/checkpoint/ID:/checkpoint/1 (berth)",
                        "volumes = /usr/share:/data:ro (request)");
        assertThat(lines).noneMatch(line -> line.contains(":/output (") || line.contains("berth-params.json"));
        assertThat(lines(ask("{\"command\": [\"x\"], \"array\": \"0-1\"}")))
                .noneMatch(line -> line.startsWith("container"));
    }

    @Test
    void everyValueIsToldWithWhereItComesFrom() {
        Answer answer = ask("""
            {"command": ["main.py", "a b"], "gpus": 2, "cpuMilli": 1500, "environment": {"TOKEN": "hush"},
             "volumes": ["/usr/share:/data:ro"], "tags": ["x"]}\
            """);
        assertThat(lines(answer))
                .contains(
                        "name = main.py (default)",
                        "tags = x (request)",
                        "command = python3 main.py 'a b' (request)",
                        "image = berth-job:latest (on this machine) (default)",
                        "pull = missing (default)",
                        "snapshot = none: an empty workspace (default)",
                        "workingDirectory = /workspace (default)",
                        "gpus = 2 (request)",
                        "gpuDevices = runtime nvidia, NVIDIA_VISIBLE_DEVICES=the UUIDs of the GPUs it is given (berth)",
                        "environment = TOKEN (request)",
                        "environment = OMP_NUM_THREADS (berth)",
                        "environment = NVIDIA_VISIBLE_DEVICES (berth)",
                        "environment = CUDA_VISIBLE_DEVICES (taken away) (berth)",
                        "mount = runs/ID.1/workspace:/workspace (berth)",
                        "mount = users/0/output/ID:/output (berth)",
                        "mount = users/0/checkpoint/ID:/checkpoint (berth)",
                        "mount = runs/ID.1/passwd:/etc/passwd:ro (berth)",
                        "volumes = /usr/share:/data:ro (request)",
                        "cpuMilli = 1500 (request)",
                        "memoryBytes = 1073741824 (--set)",
                        "shmBytes = 1073741824 (default)",
                        "network = bridge (default)",
                        "timeLimitSeconds = 28800 (BERTH_JOBS_MAX_TIME_LIMIT)",
                        "pids = 16384 (berth)",
                        "capabilities = none (berth)",
                        "noNewPrivileges = true (berth)",
                        "label = dev.berth.job=ID (berth)",
                        "label = dev.berth.server=harbour1 (berth)");
        assertThat(answer.text()).doesNotContain("hush", "GPU-");
        assertThat(sentence(answer)).isEqualTo("nothing is ahead of it: it would start at once");
    }

    @Test
    void aSweepIsToldWithItsParametersAndHowManyTasksItHas() {
        Answer answer = ask("""
            {"command": ["x", "{lr}"], "sweep": ["lr=0.1,0.01", "seed=1..3"], "zip": ["a=1,2"], "sample": 4, "array": "%2"}\
            """);
        assertThat(lines(answer))
                .contains(
                        "array = 0-3%2 (request)",
                        "tasks = 4 (request)",
                        "sweep = lr=0.1,0.01 (request)",
                        "sweep = seed=1..3 (request)",
                        "zip = a=1,2 (request)",
                        "sample = 4 (request)",
                        "seed = 0 (default)");
        assertThat(lines(ask("{\"command\": [\"x\"], \"sweep\": [\"a=1..6\"]}")))
                .contains("array = 0-5 (request)", "tasks = 6 (request)")
                .noneMatch(line -> line.startsWith("seed") || line.startsWith("sample"));
        assertThat(lines(ask("{\"command\": [\"x\"]}"))).noneMatch(line -> line.startsWith("tasks"));
    }

    @Test
    void whatWouldWaitIsToldWhereAndForWhat() {
        long running = fixture.running(3);
        Answer first = ask("{\"command\": [\"x\"], \"gpus\": 2, \"image\": \"far\"}");
        assertThat(sentence(first))
                .isEqualTo("it would wait: first in the queue; waits for 2 GPUs: 1 of 4 free, job " + running
                        + " has 3; its image is not on this machine yet");
        long waiting = fixture.submitted(2);
        assertThat(sentence(ask("{\"command\": [\"x\"], \"gpus\": 1}")))
                .startsWith("it would wait: one job is ahead of it; job " + waiting + " is first and ");
        assertThat(lines(first)).contains("image = far (not on this machine) (request)");
    }

    @Test
    void nothingIsQueuedAndNoNumberIsTaken() {
        assertThat(ask("{\"command\": [\"x\"]}").status()).isEqualTo(200);
        assertThat(fixture.queries().counts(null)).isEmpty();
        assertThat(fixture.engine().all()).isEmpty();
        assertThat(fixture.submitted(0)).isEqualTo(1);
    }

    @Test
    void whatWouldBeRefusedIsRefused() {
        Answer tooMany = ask("{\"command\": [\"x\"], \"gpus\": 5}");
        Answer real = fixture.post("/api/v1/jobs", "{\"command\": [\"x\"], \"gpus\": 5}");
        assertThat(tooMany.status()).isEqualTo(422);
        assertThat(tooMany.code()).isEqualTo("NEVER_FITS");
        assertThat(tooMany.text()).isEqualTo(real.text());
        assertThat(ask("{\"command\": []}").status()).isEqualTo(400);
        assertThat(fixture.post("/api/v1/jobs?dryRun=yes", "{\"command\": [\"x\"]}")
                        .message())
                .isEqualTo("dryRun: 'yes' must be true or false");
    }

    @Test
    void anImageThatTheDriverCannotRunIsRefusedBeforeTheJobWaits() {
        fixture.running(4);
        fixture.engine().withEnvironment("berth-job:latest", Map.of("NVIDIA_REQUIRE_CUDA", "cuda>=12.4"));
        fixture.driver = new Driver("525.60", "12.0", null);
        for (String target : List.of("/api/v1/jobs", "/api/v1/jobs?dryRun=true")) {
            Answer refused = fixture.post(target, "{\"command\": [\"x\"], \"gpus\": 1}");
            assertThat(refused.status()).isEqualTo(422);
            assertThat(refused.message())
                    .startsWith(
                            "not accepted: image berth-job:latest needs CUDA >= 12.4, the driver 525.60 runs at most");
            assertThat(fixture.post(target, "{\"command\": [\"x\"]}").status()).isLessThan(300);
        }
    }

    @Test
    void aUsersQueueHasABound() {
        fixture.running(4);
        fixture.submitted(4);
        fixture.submitted(4);
        for (String target : List.of("/api/v1/jobs", "/api/v1/jobs?dryRun=true")) {
            Answer refused = fixture.post(target, "{\"command\": [\"x\"], \"gpus\": 4}");
            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.code()).isEqualTo("QUEUE_FULL");
            assertThat(refused.message()).startsWith("not accepted: 2 jobs of ").contains("lets 2 of one user wait");
        }
    }

    /** An answer that was lost is given again, however full the queue is by then. */
    @Test
    void aRetryOfWhatWasAcceptedIsNoNewJob() {
        fixture.running(4);
        fixture.submitted(4);
        String body = "{\"command\": [\"x\"], \"gpus\": 4}";
        String head = """
            POST /api/v1/jobs HTTP/1.1\r
            Host: berth\r
            Connection: close\r
            Idempotency-Key: %s\r
            Content-Length: %d\r
            \r
            """;
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(fixture.socket());
        for (int status : List.of(201, 200)) {
            Answer answer = Wire.raw(address, head.formatted("one", body.length()), body.getBytes(UTF_8));
            assertThat(answer.status()).as(answer.text()).isEqualTo(status);
        }
        assertThat(Wire.raw(address, head.formatted("two", body.length()), body.getBytes(UTF_8))
                        .code())
                .isEqualTo("QUEUE_FULL");
    }

    /** What was allowed once is looked at again: the mount's source is gone. */
    @Test
    void whatIsQueuedAgainIsCheckedAgain() throws IOException {
        Path source = Files.createDirectory(directory.resolve("source"));
        long id = fixture.post("/api/v1/jobs", "{\"command\": [\"x\"], \"volumes\": [\"" + source + ":/data\"]}")
                .json()
                .path("id")
                .asLong();
        fixture.await(id, StateName.RUNNING);
        fixture.end(id, 0);
        fixture.await(id, StateName.COMPLETED);
        Files.delete(source);
        Answer refused = fixture.post("/api/v1/jobs/" + id + "/resubmit", "");
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.message()).contains("source " + source + " is not there");
        Files.createDirectory(source);
        assertThat(fixture.post("/api/v1/jobs/" + id + "/resubmit", "").status())
                .isEqualTo(201);
    }

    /** The API refuses these where it can; whatever comes through changes nothing that Berth decides. */
    @Test
    void hostileValuesChangeNothingOfBerths() {
        for (String variable :
                List.of("NVIDIA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES\\n", "BERTH_JOB_ID", "A\\nB=1")) {
            assertThat(ask("{\"command\": [\"x\"], \"environment\": {\"" + variable + "\": \"all\"}}")
                            .status())
                    .isEqualTo(400);
        }
        Answer answer = ask("""
            {"command": ["x"], "environment": {"LD_PRELOAD": "/workspace/evil.so", "A": "\\nNVIDIA_VISIBLE_DEVICES=all"}}\
            """);
        assertThat(lines(answer))
                .contains(
                        "environment = LD_PRELOAD (request)",
                        "gpuDevices = runtime runc, NVIDIA_VISIBLE_DEVICES=void (berth)",
                        "environment = NVIDIA_VISIBLE_DEVICES (berth)");
    }
}
