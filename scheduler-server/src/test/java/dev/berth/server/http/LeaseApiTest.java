package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.berth.core.job.StateName;
import dev.berth.testclient.Answer;
import dev.berth.testclient.Following;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Cards for processes of the machine itself: real processes, of which this test is the command that started them. */
class LeaseApiTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long OWN = ProcessHandle.current().pid();

    @TempDir
    private Path directory;

    private ServerFixture fixture;
    private final List<Process> started = new ArrayList<>();

    @BeforeEach
    void open() {
        fixture = new ServerFixture(directory);
    }

    @AfterEach
    void close() {
        started.forEach(process -> {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().onExit().join();
        });
        fixture.close();
    }

    private Process sh(String script) throws IOException {
        Process process = new ProcessBuilder("/bin/sh", "-c", script).start();
        started.add(process);
        return process;
    }

    private static long ticks(long pid) throws IOException {
        String stat = Files.readString(Path.of("/proc/" + pid + "/stat"), StandardCharsets.ISO_8859_1);
        return Long.parseLong(stat.substring(stat.lastIndexOf(')') + 2).split(" ")[19]);
    }

    /** Whoever adopts a process that lost its parent may take a while to ask for its end. */
    private static boolean runs(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"), StandardCharsets.ISO_8859_1);
            return stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
        } catch (IOException gone) {
            return false;
        }
    }

    private long queued(int gpus, String more) {
        Answer answer = fixture.post("/api/v1/jobs", """
                {"command": ["python3", "train.py"], "gpus": %d, "host": true, "directory": "/home/ada"%s}""".formatted(gpus, more));
        assertThat(answer.status()).as(answer.text()).isEqualTo(201);
        return answer.json().path("id").asLong();
    }

    private Following waiting(long job, long pid) throws IOException {
        return Wire.open(
                fixture.socket(), "/api/v1/jobs/%d/lease?pid=%d&startTicks=%d".formatted(job, pid, ticks(pid)));
    }

    /** The data of the next event of that name. */
    private static JsonNode event(Following wire, String name) throws IOException {
        String line = wire.line();
        while (!line.equals("event: " + name)) {
            line = wire.line();
        }
        return JSON.readTree(wire.line().substring("data:".length()));
    }

    private Answer begin(long job, Process program) throws IOException {
        return begin(job, program.pid(), "\"cliPid\": %d, \"cliStartTicks\": %d".formatted(OWN, ticks(OWN)));
    }

    private Answer begin(long job, Process program, List<String> gpus) throws IOException {
        return begin(
                job,
                program.pid(),
                "\"cliPid\": %d, \"cliStartTicks\": %d, \"gpus\": %s"
                        .formatted(OWN, ticks(OWN), JSON.writeValueAsString(gpus)));
    }

    private Answer begin(long job, long pid, String rest) throws IOException {
        return fixture.post("/api/v1/jobs/" + job + "/lease", """
                {"attempt": 1, "pid": %d, "startTicks": %d, %s}""".formatted(pid, ticks(pid), rest));
    }

    private Answer exit(long job, int code) {
        return fixture.post("/api/v1/jobs/" + job + "/lease/exit", """
                {"attempt": 1, "exitCode": %d}""".formatted(code));
    }

    /** Waits for it: an end is in the store before the state with the free GPUs is published. */
    private void assertFree(int count) {
        fixture.await(
                "that number of free GPUs",
                () -> fixture.scheduling().machine().freeGpus().size() == count);
    }

    /** A program that runs on its GPUs. */
    private long running(int gpus, Process program) throws IOException {
        long job = queued(gpus, "");
        try (Following wire = waiting(job, OWN)) {
            event(wire, "granted");
            assertThat(begin(job, program).status()).isEqualTo(200);
        }
        fixture.await(job, StateName.RUNNING);
        return job;
    }

    @Test
    void aProgramHasItsCardsUntilItEndsAndItsExitCodeIsKept() throws IOException {
        long job = queued(2, "");
        Process program = sh("read line");
        try (Following wire = waiting(job, OWN)) {
            JsonNode granted = event(wire, "granted");
            assertThat(granted.path("attempt").asInt()).isEqualTo(1);
            assertThat(granted.path("gpus").findValuesAsText("index")).containsExactly("0", "1");
            String uuids = String.join(",", granted.path("gpus").findValuesAsText("uuid"));
            JsonNode environment = granted.path("environment");
            assertThat(environment.path("CUDA_VISIBLE_DEVICES").asText()).isEqualTo(uuids);
            assertThat(environment.path("CUDA_DEVICE_ORDER").asText()).isEqualTo("PCI_BUS_ID");
            assertThat(environment.path("BERTH_JOB_ID").asText()).isEqualTo(Long.toString(job));

            assertThat(begin(job, program).status()).isEqualTo(200);
            fixture.await(job, StateName.RUNNING);
            assertThat(fixture.job(job).path("sentence").asText()).isEqualTo("runs on GPUs 0, 1");
            assertThat(fixture.job(job).path("image").asText()).isEqualTo("host");
            assertThat(fixture.job(job).path("host").asBoolean()).isTrue();
            assertFree(2);

            program.getOutputStream().close();
            assertThat(program.onExit().join().exitValue()).isEqualTo(1);
            assertThat(exit(job, 1).status()).isEqualTo(200);

            JsonNode ended = event(wire, "ended");
            assertThat(ended.path("state").asText()).isEqualTo("FAILED");
            assertThat(ended.path("exitCode").asInt()).isEqualTo(1);
            assertThat(wire.rest().strip()).isEmpty();
        }
        assertThat(fixture.job(job).path("sentence").asText()).isEqualTo("the program ended with exit code 1");
        assertFree(4);
    }

    @Test
    void withoutACardAProgramSeesNone() throws IOException {
        long job = queued(0, "");
        try (Following wire = waiting(job, OWN)) {
            JsonNode environment = event(wire, "granted").path("environment");
            assertThat(environment.path("CUDA_VISIBLE_DEVICES").isTextual()).isTrue();
            assertThat(environment.path("CUDA_VISIBLE_DEVICES").asText()).isEmpty();
        }
    }

    @Test
    void aProgramOfWhoseEndNobodyTellsIsLost() throws IOException {
        Process program = sh("read line");
        long job = running(1, program);

        program.destroyForcibly().onExit().join();

        fixture.await(job, StateName.LOST);
        assertThat(fixture.job(job).path("sentence").asText())
                .isEqualTo("its berth run was gone, or silent, when the program ended, so nobody knows how; Berth ended"
                        + " what was left of it");
        assertFree(4);
    }

    @Test
    void cancelEndsAllThatCameOfAProgram() throws IOException {
        // One child in a session of its own, one that does not listen to TERM.
        Process program = sh("setsid sleep 1000 & (trap '' TERM; sleep 1000) & echo $!; wait");
        long job = running(1, program);
        List<ProcessHandle> family = new ArrayList<>();
        while (family.size() < 2) {
            family = program.descendants().toList();
        }

        fixture.post("/api/v1/jobs/" + job + "/cancel", "{}");

        fixture.await(job, StateName.CANCELLED);
        assertThat(family).noneMatch(member -> runs(member.pid()));
        assertThat(program.isAlive()).isFalse();
        assertFree(4);
    }

    @Test
    void whatAProgramLeavesBehindIsEndedBeforeItsCardsAreFree() throws IOException {
        long job = queued(1, "");
        long child;
        try (Following wire = waiting(job, OWN)) {
            ProcessBuilder builder = new ProcessBuilder("/bin/sh", "-c", "setsid sleep 1000 & echo $!; read line");
            event(wire, "granted")
                    .path("environment")
                    .properties()
                    .forEach(variable -> builder.environment()
                            .put(variable.getKey(), variable.getValue().asText()));
            Process program = builder.start();
            started.add(program);
            assertThat(begin(job, program).status()).isEqualTo(200);
            fixture.await(job, StateName.RUNNING);
            child = Long.parseLong(program.inputReader().readLine());
            program.getOutputStream().close();
            program.onExit().join();
            exit(job, 0);
        }

        fixture.await(job, StateName.COMPLETED);
        assertThat(runs(child)).isFalse();
    }

    @Test
    void aShellKeepsItsCardsUntilItEnds() throws IOException {
        Process shell = sh("read line");
        long job = queued(1, ", \"shell\": true");
        try (Following wire = waiting(job, OWN)) {
            event(wire, "granted");
            assertThat(begin(job, shell.pid(), "\"shell\": true").status()).isEqualTo(200);
        }
        fixture.await(job, StateName.RUNNING);

        shell.getOutputStream().close();

        fixture.await(job, StateName.COMPLETED);
        assertThat(fixture.job(job).path("sentence").asText())
                .isEqualTo("what its GPUs were leased to has ended or given them back");
    }

    @Test
    void aShellGivesItsCardsBackAndGoesOn() throws IOException {
        Process shell = sh("read line");
        long job = queued(1, ", \"shell\": true");
        try (Following wire = waiting(job, OWN)) {
            event(wire, "granted");
            begin(job, shell.pid(), "\"shell\": true");
        }
        fixture.await(job, StateName.RUNNING);

        assertThat(exit(job, 0).status()).isEqualTo(200);

        assertFree(4);
        fixture.await(job, StateName.COMPLETED);
        assertThat(shell.isAlive()).isTrue();
        assertThat(exit(job, 0).status()).isEqualTo(200);
    }

    @Test
    void cancelLeavesAShellAlone() throws IOException {
        Process shell = sh("read line");
        long job = queued(1, ", \"shell\": true");
        try (Following wire = waiting(job, OWN)) {
            event(wire, "granted");
            begin(job, shell.pid(), "\"shell\": true");
        }
        fixture.await(job, StateName.RUNNING);

        fixture.post("/api/v1/jobs/" + job + "/cancel", "{}");

        fixture.await(job, StateName.CANCELLED);
        assertThat(shell.isAlive()).isTrue();
        assertFree(4);
    }

    @Test
    void whoWaitsIsToldWhyAndLeavesTheQueueWithItsLife() throws IOException {
        long container = fixture.running(4);
        long job = queued(1, "");
        Process client = sh("read line");
        try (Following wire = waiting(job, client.pid())) {
            JsonNode waiting = event(wire, "waiting");
            assertThat(waiting.path("reason").asText()).isEqualTo("AT_HEAD_WAITING_FOR_GPUS");
            assertThat(waiting.path("sentence").asText()).contains("job " + container + " has 4");

            client.destroyForcibly();

            assertThat(event(wire, "ended").path("state").asText()).isEqualTo("CANCELLED");
        }
        assertThat(fixture.job(job).path("sentence").asText())
                .isEqualTo("cancelled by its own berth command, which is gone, before it started");
    }

    @Test
    void cardsThatWereGrantedToACommandThatIsGoneAreFree() throws IOException {
        Process client = sh("read line");
        long job = queued(4, "");
        try (Following wire = waiting(job, client.pid())) {
            event(wire, "granted");
            client.destroyForcibly();

            assertThat(event(wire, "ended").path("state").asText()).isEqualTo("FAILED");
        }
        assertFree(4);
    }

    @Test
    void containersAndProcessesStandInOneLine() throws IOException {
        long first = fixture.running(4);
        long second = queued(3, "");
        long third = fixture.submitted(1);
        Process program = sh("read line");
        try (Following wire = waiting(second, OWN)) {
            assertThat(event(wire, "waiting").path("reason").asText()).isEqualTo("AT_HEAD_WAITING_FOR_GPUS");
            assertThat(fixture.job(third).path("reason").asText()).isEqualTo("BEHIND_HEAD");

            fixture.end(first, 0);
            event(wire, "granted");
            begin(second, program);
        }
        fixture.await(second, StateName.RUNNING);
        fixture.await(third, StateName.RUNNING);
        fixture.end(third, 0);
    }

    @Test
    void whoDoesNotWaitIsToldWhatIsFreeAndIsNotInTheQueue() {
        long container = fixture.running(3);

        Answer refused = fixture.post("/api/v1/jobs", """
                {"command": ["x"], "gpus": 2, "host": true, "noWait": true}""");

        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.code()).isEqualTo("NOT_NOW");
        assertThat(refused.message())
                .isEqualTo(
                        "not accepted, as it could not start at once: first in the queue; waits for 2 GPUs: 1 of 4 free,"
                                + " job " + container + " has 3; free GPUs: 3 (Simulated GPU)");
        assertThat(refused.json().path("details").path("free").asText()).isEqualTo("3");
        assertThat(fixture.get("/api/v1/jobs?scope=all").json().path("jobs")).hasSize(1);
        assertThat(queued(1, ", \"noWait\": true")).isEqualTo(container + 1);
    }

    @Test
    void onlyAChildOfTheCommandIsTakenForItsProgram() throws IOException {
        Process stranger = sh("sleep 1000 & echo $!; wait");
        long grandchild = Long.parseLong(stranger.inputReader().readLine());
        long job = queued(1, "");
        try (Following wire = waiting(job, OWN)) {
            event(wire, "granted");
            String rest = "\"cliPid\": %d, \"cliStartTicks\": %d".formatted(OWN, ticks(OWN));

            assertThat(begin(job, grandchild, rest).message()).contains("is not what cliPid has started");
            assertThat(fixture.post("/api/v1/jobs/" + job + "/lease", """
                    {"attempt": 1, "pid": %d, "startTicks": 1, %s}""".formatted(stranger.pid(), rest))
                            .message())
                    .contains("is no process that this server sees");
            assertThat(fixture.post("/api/v1/jobs/" + job + "/lease", """
                    {"attempt": 2, "pid": %d, "startTicks": %d, %s}""".formatted(
                                            stranger.pid(), ticks(stranger.pid()), rest))
                            .code())
                    .isEqualTo("NOT_GRANTED");
            assertThat(fixture.post("/api/v1/jobs/" + job + "/lease", "{}").message())
                    .isEqualTo("attempt: '' must be there");
        }
    }

    /** A server that began since may have granted others than the one that the command heard of them from. */
    @Test
    void aProgramOnGpusOfAnEarlierGrantIsRefused() throws IOException {
        Process program = sh("read line");
        long job = queued(1, "");
        try (Following wire = waiting(job, OWN)) {
            List<String> granted = event(wire, "granted").path("gpus").findValuesAsText("uuid");
            List<String> others =
                    new ArrayList<>(fixture.get("/api/v1/gpus").json().findValuesAsText("uuid"));
            others.removeAll(granted);
            assertThat(others).hasSize(3);

            for (List<String> told : List.of(others.subList(0, 1), others, List.<String>of())) {
                Answer refused = begin(job, program, told);
                assertThat(refused.status()).isEqualTo(409);
                assertThat(refused.code()).isEqualTo("NOT_GRANTED");
                assertThat(refused.message()).startsWith("job " + job + " has no GPUs for a program to start: ");
            }
            assertThat(fixture.job(job).path("state").asText()).isEqualTo("STARTING");
            Answer taken = begin(job, program, granted);
            assertThat(taken.status()).as(taken.text()).isEqualTo(200);
        }
        fixture.await(job, StateName.RUNNING);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"\"GPU-1\"|gpus: must be a list", "[1]|gpus[0]: must be a text", "{}|gpus: must be a list"})
    void gpusThatAreNoListOfTextsAreRefused(String gpus, String refusal) throws IOException {
        Process program = sh("read line");
        long job = queued(1, "");
        try (Following wire = waiting(job, OWN)) {
            event(wire, "granted");

            Answer refused = begin(job, program.pid(), "\"gpus\": " + gpus);

            assertThat(refused.status()).isEqualTo(400);
            assertThat(refused.message()).isEqualTo(refusal);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"image\": \"x\"|image",
                "\"snapshot\": \"x\"|snapshot",
                "\"volumes\": [\"/a:/b\"]|volumes",
                "\"memoryBytes\": 1000000000|memoryBytes",
                "\"network\": \"bridge\"|network",
                "\"environment\": {\"A\": \"b\"}|environment",
                "\"requeue\": true|requeue"
            })
    void whatOnlyContainersHaveIsRefused(String more, String field) {
        Answer refused = fixture.post("/api/v1/jobs", "{\"command\": [\"x\"], \"host\": true, %s}".formatted(more));

        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.message())
                .isEqualTo(
                        field + ": '' is a container's, and a process of the machine itself (host) has none; leave it"
                                + " out");
    }

    @Test
    void itHasNoLogAndIsNotQueuedOnceMore() throws IOException {
        Process program = sh("read line");
        long job = running(1, program);
        assertThat(fixture.get("/api/v1/jobs/" + job + "/log").code()).isEqualTo("NO_LOG");
        program.getOutputStream().close();
        program.onExit().join();
        exit(job, 0);
        fixture.await(job, StateName.COMPLETED);

        assertThat(fixture.post("/api/v1/jobs/" + job + "/resubmit", "{}").code())
                .isEqualTo("HOST_JOB");
        assertThat(fixture.post("/api/v1/jobs/" + fixture.running(1) + "/lease", "{}")
                        .code())
                .isEqualTo("NO_LEASE");
    }

    /** Repeated, as a start that comes too early may be in time by chance. */
    @RepeatedTest(20)
    void theAnswerToAnEndComesWhenTheNextCanHaveTheGpus() throws IOException {
        Process program = sh("read line");
        long job = running(2, program);
        int free = fixture.scheduling().machine().freeGpus().size();
        program.getOutputStream().close();
        program.onExit().join();
        assertThat(exit(job, 0).status()).isEqualTo(200);
        assertThat(fixture.scheduling().machine().freeGpus()).hasSize(free + 2);
        assertThat(fixture.job(job).path("state").asText()).isEqualTo(StateName.COMPLETED.name());
    }

    @Test
    void whatIsSaidTwiceIsHeardOnce() throws IOException {
        Process program = sh("read line");
        long job = running(1, program);

        assertThat(begin(job, program).status()).isEqualTo(200);
        program.getOutputStream().close();
        program.onExit().join();
        exit(job, 7);
        fixture.await(job, StateName.FAILED);
        assertThat(exit(job, 7).status()).isEqualTo(200);
        assertThat(fixture.job(job).path("exitCode").asInt()).isEqualTo(7);
    }
}
