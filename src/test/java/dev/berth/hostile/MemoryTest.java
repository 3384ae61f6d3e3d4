package dev.berth.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Command;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.Product;
import dev.berth.system.fixture.Ran;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.TestFiles;
import dev.berth.system.fixture.UnixUser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** Mallory makes everything as large as it may be; Bob, and root, go on beside it. The server has its ordinary heap. */
@SystemTest
@Tag("alone")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class MemoryTest {
    private static final Path INSTALLED = TestFiles.folder();
    private static final Path PROGRAM = INSTALLED.resolve("berth/bin/berth");
    private static final UnixUser MALLORY = UnixUser.create("berth-memory-mallory");
    private static final UnixUser BOB = UnixUser.create("berth-memory-bob");
    private static final Berth BERTH = Berth.on(Engine.ofMachine());

    /** The heap of 256 MiB, and what the virtual machine, SQLite and the threads take beside it. */
    private static final long MOST_RESIDENT_KIB = 600 * 1024;

    private static final int QUEUED_MIB = 100;

    @BeforeAll
    static void start() {
        TestFiles.copyTree(Product.DISTRIBUTION, INSTALLED.resolve("berth"));
        BERTH.start("--simulate-gpus", "2", "--set", "jobs.max-queued-bytes-per-user=" + QUEUED_MIB + "MiB");
        BERTH.run("server", "pause");
    }

    @AfterAll
    static void stop() {
        BERTH.close();
        List.of(MALLORY, BOB).forEach(UnixUser::close);
        TestFiles.deleteTree(INSTALLED);
    }

    private static Command as(UnixUser user, String... words) {
        return Command.of(PROGRAM, "--data-dir", BERTH.dataDirectory().toString())
                .and(words)
                .as(user);
    }

    /** What a program of Mallory's says of the requests that it sent: how often each status came. */
    private static Map<String, Long> attack(String name, String... arguments) {
        Ran ran = Command.python(
                        TestFiles.read(Product.ROOT.resolve("src/test/resources/hostile/" + name)),
                        Stream.concat(Stream.of(BERTH.api().socket().toString()), Stream.of(arguments))
                                .toArray(String[]::new))
                .as(MALLORY)
                .run()
                .expect(0);
        return ran.lines().stream()
                .collect(Collectors.toMap(
                        line -> line.substring(0, line.indexOf(' ')),
                        line -> Long.parseLong(line.substring(line.indexOf(' ') + 1))));
    }

    private static void assertBounded() {
        assertThat(BERTH.server().isAlive()).as("the server lives").isTrue();
        assertThat(peakKiB()).as("resident memory at its highest, in KiB").isLessThan(MOST_RESIDENT_KIB);
    }

    private static long peakKiB() {
        return TestFiles.read(Path.of("/proc", Long.toString(BERTH.server().pid()), "status"))
                .lines()
                .filter(line -> line.startsWith("VmHWM:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                .findFirst()
                .orElseThrow();
    }

    @Test
    @Order(1)
    void theLargestJobsFillTheirOwnersPartOfTheQueueAndNoMore() {
        Map<String, Long> answers = attack("submits.py", "480");
        assertThat(answers).containsOnlyKeys("201", "429");
        assertThat(answers.get("201")).as("of 248,000 bytes each").isEqualTo(QUEUED_MIB * 1024L * 1024 / 248_000);
        JsonNode large = json(as(MALLORY, "ps", "-n", "1", "--json"));
        Ran refused = as(MALLORY, "submit", "scheduler", ".", "--no-snapshot", "-e", "A=" + "x".repeat(120_000))
                .and("--", "/bin/true", "x".repeat(128_000))
                .run()
                .expect(125);
        assertThat(refused.err())
                .contains(
                        "the commands, variables and options of " + MALLORY.name() + "'s jobs that have not ended take")
                .contains("jobs.max-queued-bytes-per-user");
        assertThat(large.path("jobs").get(0).path("command").isNull()).isTrue();
        assertBounded();
    }

    private static JsonNode json(Command command) {
        return command.run().expect(0).json();
    }

    @Test
    @Order(2)
    void othersSubmitAndSeeAsBefore() {
        Ran _ = as(BOB, "submit", "scheduler", ".", "--no-snapshot", "--", "/bin/true")
                .run()
                .expect(0);
        for (Command berth : List.of(BERTH.command(), as(BOB), as(MALLORY))) {
            for (List<String> words : List.of(
                    List.of("ps", "--json"),
                    List.of("ps", "-a", "--json"),
                    List.of("ps", "-n", "10000", "--json"),
                    List.of("history", "--json"),
                    List.of("status", "--json"),
                    List.of("server", "status", "--json"))) {
                Ran _ = berth.and(words.toArray(String[]::new)).run().expect(0);
            }
        }
        assertThat(json(BERTH.command("ps", "-n", "10000", "--json"))
                        .path("jobs")
                        .size())
                .isGreaterThan(400);
        assertBounded();
    }

    @Test
    @Order(3)
    void manyLargeAnswersAndBodiesAtOnceAreRefusedBeforeTheyTakeTheMemory() {
        Map<String, Long> answers = attack("answers.py");
        assertThat(answers).containsOnlyKeys("200", "429");
        assertThat(answers.get("200")).isPositive();
        Ran _ = as(BOB, "ps", "--json").run().expect(0);
        assertBounded();
    }

    @Test
    @Order(4)
    void aRestartListsThemToo() {
        BERTH.stop();
        BERTH.start("--simulate-gpus", "2", "--set", "jobs.max-queued-bytes-per-user=" + QUEUED_MIB + "MiB");
        assertThat(json(BERTH.command("ps", "-n", "10000", "--json"))
                        .path("jobs")
                        .size())
                .isGreaterThan(400);
        assertThat(attack("submits.py", "16")).as("the sum is kept").containsOnlyKeys("429");
        Ran _ = as(BOB, "status", "--json").run().expect(0);
        assertBounded();
    }

    @Test
    @Order(5)
    void aServerWithoutMemorySaysSo() {
        try (Berth small = Berth.on(Engine.ofMachine())) {
            Ran refused = small.startCommand("--simulate-gpus", "1")
                    .with("BERTH_SERVER_JAVA_OPTS", "-Xms4m -Xmx6m")
                    .run()
                    .expect(125);
            assertThat(refused.err())
                    .contains("berth: the server ends: it has no memory left. What was acknowledged is on disk");
            assertThat(TestFiles.read(small.dataDirectory().resolve("server.err")))
                    .contains("it has no memory left");
            assertThat(small.processes()).as("no half of it is left").isEmpty();
            small.start("--simulate-gpus", "1");
            assertThat(Files.exists(small.dataDirectory().resolve("berth.db"))).isTrue();
        }
    }
}
