package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Command;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.JsonReading;
import dev.berth.system.fixture.Product;
import dev.berth.system.fixture.ProjectDirectory;
import dev.berth.system.fixture.Ran;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.TestFiles;
import dev.berth.system.fixture.UnixUser;
import dev.berth.system.fixture.WithGpus;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A job belongs to who submitted it, runs as that user, and is nobody else's business. */
@SystemTest
class OwnershipTest {
    /** Prints those of the paths in a file that the user who runs it may read. */
    private static final String READABLE = """
            import os, sys
            for path in open(sys.argv[1]).read().splitlines():
                if os.access(path, os.R_OK):
                    print(path)
            """;

    private static final Path INSTALLED = TestFiles.folder();
    private static final Path PROGRAM = INSTALLED.resolve("berth/bin/berth");
    private static final UnixUser ADA = UnixUser.create("berth-test-ada");
    private static final UnixUser BOB = UnixUser.create("berth-test-bob");

    /** The source tree may lie where only its owner can look. */
    @BeforeAll
    static void install() {
        TestFiles.copyTree(Product.DISTRIBUTION, INSTALLED.resolve("berth"));
    }

    @AfterAll
    static void removeUsers() {
        ADA.close();
        BOB.close();
        TestFiles.deleteTree(INSTALLED);
    }

    @Test
    void aJobRunsAsItsSubmitterWhoOwnsWhatItWrites(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g");
            SubmittedJob job =
                    berth.submit(berth(berth, ADA), berth.project("whoami.py"), "whoami.py", "--num-gpus", "1");

            job.awaitCompleted();

            assertRanAs(ADA, job);
            Ran status = berth(berth, ADA).and("status", job.idText(), "--json").run();
            assertThat(status.json().path("outputDirectory").asText())
                    .isEqualTo(job.output().toString());
            assertThat(berth(berth, ADA)
                            .and("logs", job.idText())
                            .run()
                            .expect(0)
                            .text())
                    .isEqualTo("I am berth-test-ada");
            assertThat(job.view().path("user").asText()).isEqualTo(ADA.name());
        }
    }

    @Test
    void othersNeitherSeeNorEndAJobAndRootDoes(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g");
            SubmittedJob job = berth.submit(berth(berth, ADA), berth.project("whoami.py"), "whoami.py", "gate");
            job.awaitFile("whoami.json");

            for (String verb : List.of("status", "logs", "explain", "wait", "cancel")) {
                Ran refused = berth(berth, BOB).and(verb, job.idText()).run().expect(1);
                assertThat(refused.complaint())
                        .isEqualTo("berth: there is no job " + job.id() + " that you may see; berth ps -a lists yours");
                assertThat(refused.out()).isEmpty();
            }
            assertThat(berth(berth, BOB).and("ps", "-a", "--json").run().json().path("jobs"))
                    .isEmpty();
            assertThat(ids(berth(berth, ADA).and("ps", "--json").run())).containsExactly(job.idText());
            assertThat(ids(berth.run("ps", "--json"))).containsExactly(job.idText());
            assertThat(job.state()).isEqualTo("RUNNING");

            assertThat(berth(berth, BOB).and("server", "stop").run().expect(1).err())
                    .contains("only administrators may do that; you are berth-test-bob");
            assertThat(berth.run("cancel", job.idText()).text()).isEqualTo("job " + job.id() + " is being stopped");
            job.await("CANCELLED");
            assertThat(job.sentence()).isEqualTo("cancelled by root");
        }
    }

    @Test
    void theDataDirectoryKeepsItsSecrets(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g");
            ProjectDirectory project = berth.project("whoami.py");
            SubmittedJob running = berth.submit(berth(berth, ADA), project, "whoami.py", "gate");
            SubmittedJob over =
                    berth.submit(berth(berth, ADA), project, "whoami.py").awaitCompleted();
            running.awaitFile("whoami.json");

            assertThat(TestFiles.tree(berth.dataDirectory()))
                    .as("what would have to be hidden")
                    .contains(
                            berth.dataDirectory().resolve("berth.db"),
                            berth.dataDirectory().resolve("jobs/" + over.id() + "/log.0"));
            assertThat(readable(BOB, berth)).containsExactly("berth.sock");
            String own = "users/" + ADA.uid() + "/";
            assertThat(readable(ADA, berth))
                    .allMatch(path ->
                            path.matches("berth\\.sock|" + own + "((output|checkpoint)/\\d+(/.*)?|track/\\d+\\.1)"))
                    .contains(
                            "berth.sock",
                            own + "output/1/whoami.json",
                            own + "output/2/whoami.json",
                            own + "checkpoint/1");
        }
    }

    @Test
    void anOrdinaryUsersServerServesThatUserAlone(@WithGpus(8) Engine engine) {
        engine.admit(ADA);
        try (Berth berth = Berth.on(engine, PROGRAM, ADA)) {
            berth.start("-g");
            ProjectDirectory project = berth.project("whoami.py");
            SubmittedJob job = berth.submit(project, "whoami.py", "--num-gpus", "2");

            job.awaitCompleted();

            assertRanAs(ADA, job);
            assertThat(TestFiles.owner(berth.dataDirectory().resolve("berth.db")))
                    .isEqualTo(ADA.uid() + ":" + ADA.gid());
            assertThat(berth(berth, BOB).and("ps").run().expect(125).complaint())
                    .isEqualTo("berth: the socket " + berth.dataDirectory().resolve("berth.sock")
                            + " may not be used by you (permission denied)");
            Command root =
                    Command.of(PROGRAM, "--data-dir", berth.dataDirectory().toString());
            assertThat(root.and("submit", "scheduler", project.path().toString(), "whoami.py")
                            .run()
                            .expect(1)
                            .complaint())
                    .contains("this server runs as user " + ADA.uid() + " and serves that user alone; you are root");
        } finally {
            engine.dismiss();
        }
    }

    /** {@code berth} on the server of another, as this user. */
    private static Command berth(Berth berth, UnixUser user) {
        return Command.of(PROGRAM, "--data-dir", berth.dataDirectory().toString())
                .as(user);
    }

    private static List<String> ids(Ran ps) {
        return JsonReading.each(ps.expect(0).json().path("jobs"), "id");
    }

    private static void assertRanAs(UnixUser user, SubmittedJob job) {
        Path written = job.output().resolve("whoami.json");
        Ran read = Command.of("cat", written.toString()).as(user).run().expect(0);
        JsonNode record = read.json();
        assertThat(record.path("uid").asLong()).isEqualTo(user.uid());
        assertThat(record.path("gid").asLong()).isEqualTo(user.gid());
        assertThat(JsonReading.strings(record.path("groups")))
                .contains("" + user.groupId())
                .doesNotContain("0");
        assertThat(record.path("name").asText()).isEqualTo(user.name());
        assertThat(record.path("home").asText()).isEqualTo("/home/" + user.name());
        assertThat(record.path("mayWrite").toString())
                .isEqualTo("{\"home\":true,\"workspace\":true,\"output\":true,\"deep\":true,\"etc\":false}");
        assertThat(TestFiles.tree(job.output()))
                .hasSizeGreaterThan(4)
                .allSatisfy(path -> assertThat(TestFiles.owner(path)).isEqualTo(user.uid() + ":" + user.gid()));
    }

    /** What this user can open of the data directory, by paths in it. */
    private static List<String> readable(UnixUser user, Berth berth) {
        Path list = TestFiles.write(
                berth.home().resolve("paths"),
                TestFiles.tree(berth.dataDirectory()).stream()
                        .map(Path::toString)
                        .collect(Collectors.joining("\n")));
        Stream<String> readable = Command.python(READABLE, list.toString())
                .as(user)
                .run()
                .expect(0)
                .out()
                .lines();
        return readable.map(
                        path -> berth.dataDirectory().relativize(Path.of(path)).toString())
                .toList();
    }
}
