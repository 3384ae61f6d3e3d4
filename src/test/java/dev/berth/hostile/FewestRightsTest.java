package dev.berth.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Command;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.Product;
import dev.berth.system.fixture.Ran;
import dev.berth.system.fixture.Running;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.TestFiles;
import dev.berth.system.fixture.UnixUser;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What is left of root's rights for anyone who takes over a server's process, and that it is enough for all that a server
 * does: started as usual, in the foreground, and with the settings of the systemd unit of the distribution.
 */
@SystemTest
class FewestRightsTest {
    private static final Path UNIT = Product.DISTRIBUTION.resolve("share/systemd/berth.service");
    private static final Path AS_UNIT = Product.ROOT.resolve("src/test/resources/programs/as-unit.py");
    private static final Path INSTALLED = TestFiles.folder();
    private static final Path PROGRAM = INSTALLED.resolve("berth/bin/berth");
    private static final UnixUser ADA = UnixUser.create("berth-rights-ada");

    /** A child that has left its program, as one that wants to outlive its job does; only its environment tells of it. */
    private static final String LEAVE = "setsid sleep 1000 & echo ready; sleep 1000";

    @BeforeAll
    static void install() {
        TestFiles.copyTree(Product.DISTRIBUTION, INSTALLED.resolve("berth"));
    }

    @AfterAll
    static void remove() {
        ADA.close();
        TestFiles.deleteTree(INSTALLED);
    }

    private static Command as(Berth berth, String... words) {
        return Command.of(PROGRAM, "--data-dir", berth.dataDirectory().toString())
                .and(words)
                .as(ADA);
    }

    private static List<String> setting(String name) {
        return TestFiles.lines(UNIT).stream()
                .filter(line -> line.startsWith(name + "="))
                .flatMap(line -> Arrays.stream(line.substring(name.length() + 1).split(" ")))
                .toList();
    }

    private static String named(String bits) {
        return Command.of("capsh", "--decode=" + bits).run().expect(0).text().replaceAll(".*=", "");
    }

    /** Of each of its threads, so that none is left with more. */
    private static void assertFewestRights(ProcessHandle server) {
        String process = "/proc/" + server.pid();
        // A thread that looks with a user's rights has fewer, and ends with its look.
        Await.that("all threads say the same", () -> rights(process).size() == 7);
        List<String> said = rights(process);
        assertThat(said).contains("NoNewPrivs:\t1", "Umask:\t0077");
        String bounding = said.stream()
                .filter(line -> line.startsWith("CapBnd:\t"))
                .findFirst()
                .orElseThrow()
                .replace("CapBnd:\t", "");
        assertThat(said)
                .contains("CapPrm:\t" + bounding, "CapEff:\t" + bounding)
                .contains("CapInh:\t0000000000000000", "CapAmb:\t0000000000000000");
        Set<String> wanted = new TreeSet<>();
        setting("CapabilityBoundingSet").forEach(word -> wanted.add(word.toLowerCase(Locale.ROOT)));
        assertThat(named(bounding).split(",")).containsExactlyInAnyOrderElementsOf(wanted);
        assertThat(TestFiles.lines(Path.of(process, "limits")))
                .anyMatch(line -> line.matches("Max core file size +0 +0 .*"));
    }

    /** A thread may end while it is looked at. */
    private static List<String> rights(String process) {
        return Command.of("sh", "-c", "grep -shE '^(Cap|NoNew|Umask)' " + process + "/task/*/status | sort -u")
                .run()
                .lines();
    }

    /** A job with a mount and an output, one on the machine itself with a child that hides, and both ended. */
    private static void assertWorks(Berth berth) {
        Path own = ADA.home().resolve("data");
        if (!own.toFile().exists()) {
            TestFiles.give(TestFiles.folder(own), ADA);
        }
        SubmittedJob job = berth.submit(
                as(berth),
                berth.project("whoami.py"),
                "-v",
                own + ":/data",
                "--entrypoint",
                "sh",
                "--",
                "-c",
                "echo made >/data/new; echo out | tee \"$BERTH_OUTPUT_DIR/file\"");
        job.awaitCompleted();
        assertThat(TestFiles.read(own.resolve("new"))).isEqualTo("made\n");
        for (Path made : List.of(own.resolve("new"), job.output().resolve("file"))) {
            assertThat(TestFiles.owner(made)).isEqualTo(ADA.uid() + ":" + ADA.gid());
        }
        TestFiles.delete(own.resolve("new"));
        assertThat(as(berth, "logs", job.idText()).run().expect(0).out()).isEqualTo("out\n");
        Ran _ = as(berth, "delete", job.idText()).run().expect(0);
        assertThat(job.output()).doesNotExist();

        try (Running run =
                as(berth, "run", "--num-gpus", "1", "--", "sh", "-c", LEAVE).start()) {
            Await.that("the program has begun", () -> run.said().contains("ready"));
            JsonNode running = berth.api().get("/jobs").json().path("jobs").path(0);
            Ran _ = as(berth, "cancel", running.path("id").asText()).run().expect(0);
            assertThat(run.end().exitCode()).isEqualTo(130);
            Await.that(
                    "what hid is found",
                    () -> Command.of("pgrep", "-u", ADA.name(), "sleep")
                            .run()
                            .text()
                            .isEmpty());
        }
    }

    @Test
    void aServerInTheBackgroundHasWhatItNeedsAndNoMore() {
        try (Berth berth = Berth.on(Engine.ofMachine())) {
            Ran start = berth.start("--simulate-gpus", "2");
            assertThat(start.out()).doesNotContain("warning");
            assertFewestRights(berth.server());
            assertWorks(berth);
            assertFewestRights(berth.server());
            Ran _ = berth.stop();
        }
    }

    @Test
    void aServerInTheForegroundAndUnderTheUnitToo() {
        List<Command> ways = new ArrayList<>();
        try (Berth berth = Berth.on(Engine.ofMachine())) {
            Command start = berth.startCommand("--foreground", "--simulate-gpus", "2");
            ways.add(start);
            ways.add(start.behind("/usr/bin/python3", AS_UNIT.toString(), UNIT.toString()));
            for (Command way : ways) {
                try (Running server = way.start()) {
                    Await.that("it accepts", () -> server.said().contains("is ready"));
                    assertFewestRights(ProcessHandle.of(server.pid()).orElseThrow());
                    assertWorks(berth);
                    assertFewestRights(ProcessHandle.of(server.pid()).orElseThrow());
                    Ran _ = berth.run("server", "stop");
                    assertThat(server.end().exitCode()).isZero();
                }
            }
        }
    }

    /** All is read-only but its data, homes are hidden, and the right to mount is gone. */
    @Test
    void aServerThatGivesNoMountsWorksUnderTheDropInForIt() {
        String units = UNIT + ":" + UNIT.resolveSibling("berth.service.d/without-mounts.conf");
        try (Berth berth = Berth.on(Engine.ofMachine());
                Running server = berth.startCommand(
                                "--foreground", "--simulate-gpus", "2", "--set", "mounts.enabled=false")
                        .behind("/usr/bin/python3", AS_UNIT.toString(), units)
                        .start()) {
            Await.that("it accepts", () -> server.said().contains("is ready"));
            String process = "/proc/" + server.pid();
            assertThat(TestFiles.lines(Path.of(process, "mountinfo")))
                    .as("the root directory is read-only")
                    .anyMatch(line -> line.matches("\\S+ \\S+ \\S+ \\S+ / ro(,.*)? .*"));
            assertThat(rights(process))
                    .filteredOn(line -> line.startsWith("CapBnd"))
                    .singleElement()
                    .satisfies(line -> assertThat(named(line.replace("CapBnd:\t", "")))
                            .contains("cap_chown")
                            .doesNotContain("cap_sys_admin"));
            SubmittedJob job = berth.submit(
                    as(berth),
                    berth.project("whoami.py"),
                    "--entrypoint",
                    "sh",
                    "--",
                    "-c",
                    "echo made >\"$BERTH_OUTPUT_DIR/file\"");
            job.awaitCompleted();
            Path made = job.output().resolve("file");
            assertThat(TestFiles.owner(made)).isEqualTo(ADA.uid() + ":" + ADA.gid());
            Ran _ = as(berth, "delete", job.idText()).run().expect(0);
            assertThat(job.output()).doesNotExist();
            Ran _ = as(berth, "run", "--num-gpus", "1", "--", "true").run().expect(0);
            Ran _ = berth.run("server", "stop");
            assertThat(server.end().exitCode()).isZero();
        }
    }

    @Test
    void whatAServerCannotDoItSays() {
        try (Berth berth = Berth.on(Engine.ofMachine());
                Running server = berth.startCommand("--foreground", "--simulate-gpus", "1")
                        .behind("setpriv", "--bounding-set=-sys_admin,-setpcap")
                        .start()) {
            Await.that("it accepts", () -> server.said().contains("is ready"));
            assertThat(server.said())
                    .contains("warning  the server was started without CAP_SYS_ADMIN: mounts are refused")
                    .contains("warning  the server has all of root's rights", "install setpriv");
            SubmittedJob job =
                    berth.submit(as(berth), berth.project("whoami.py"), "-v", ADA.home() + ":/data", "whoami.py");
            job.await("FAILED");
            assertThat(job.sentence()).contains("the server may not mount (CAP_SYS_ADMIN)");
            berth.submit(as(berth), berth.project("whoami.py"), "whoami.py").awaitCompleted();
            Ran _ = berth.run("server", "stop");
        }
    }

    /** What systemd itself says of the units; no test runs them under it. */
    @Test
    void theUnitsAreOnesThatSystemdUnderstands() {
        Path units = TestFiles.folder();
        try {
            String text = TestFiles.read(UNIT);
            assertThat(text)
                    .contains("ExecStart=/opt/berth/bin/berth server start -g --foreground --wait-for-engine\n");
            Path unit = TestFiles.write(
                    units.resolve("berth.service"), text.replace("/opt/berth", Product.DISTRIBUTION.toString()));
            Path dropIn = TestFiles.folder(units.resolve("berth.service.d"));
            Ran verified = verify(unit);
            assertThat(verified.out() + verified.err()).isEmpty();
            Ran _ = Command.of("systemd-analyze", "security", "--offline=true", "--no-pager", "--threshold=55")
                    .and(unit.toString())
                    .run()
                    .expect(0);
            String without = "berth.service.d/without-mounts.conf";
            Path _ = TestFiles.write(
                    dropIn.resolve("without-mounts.conf"), TestFiles.read(UNIT.resolveSibling(without)));
            Ran strict = verify(unit);
            assertThat(strict.out() + strict.err()).isEmpty();
        } finally {
            TestFiles.deleteTree(units);
        }
    }

    private static Ran verify(Path unit) {
        return Command.of("systemd-analyze", "--no-pager", "verify", unit.toString())
                .run()
                .expect(0);
    }
}
