package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Command;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.JsonReading;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.TestFiles;
import dev.berth.system.fixture.UnixUser;
import dev.berth.system.fixture.WithGpus;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Mounts give a job what its submitter may reach on the machine, and nothing more. */
@SystemTest
class MountTest {
    /** Posts a job as the user who runs it; prints the answer. */
    private static final String SUBMIT = """
            import http.client, socket, sys
            class Unix(http.client.HTTPConnection):
                def connect(self):
                    self.sock = socket.socket(socket.AF_UNIX)
                    self.sock.connect(sys.argv[1])
            unix = Unix("berth")
            unix.request("POST", "/api/v1/jobs", sys.argv[2].encode())
            print(unix.getresponse().read().decode())
            """;

    private static final UnixUser ADA = UnixUser.create("berth-mount-ada");
    private static final UnixUser BOB = UnixUser.create("berth-mount-bob");

    private final Path own = ADA.home().resolve("data");
    private final Path secret = BOB.home().resolve("secret");

    @AfterAll
    static void removeUsers() {
        ADA.close();
        BOB.close();
    }

    @BeforeEach
    void lay() {
        for (Path folder : List.of(own, secret)) {
            if (!folder.toFile().exists()) {
                Path _ = TestFiles.folder(folder);
            }
        }
        Path _ = TestFiles.write(own.resolve("note"), "mine\n");
        TestFiles.give(own, ADA);
        TestFiles.give(own.resolve("note"), ADA);
        Path _ = TestFiles.write(secret.resolve("note"), "hush\n");
        TestFiles.give(secret, BOB);
        Path _ = TestFiles.allow(secret, "rwx------");
    }

    private static JsonNode submit(Berth berth, String program, String... volumes) {
        String request = JsonReading.text(
                Map.of("command", List.of("sh", "-c", program), "volumes", List.of(volumes), "network", "none"));
        return Command.python(
                        SUBMIT, berth.dataDirectory().resolve("berth.sock").toString(), request)
                .as(ADA)
                .run()
                .expect(0)
                .json();
    }

    @Test
    void aJobReadsAndWritesWhatIsItsSubmitters(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g");
            SubmittedJob job = SubmittedJob.of(
                    berth,
                    submit(
                            berth,
                            "cat /data/note /fixed/note; echo more > /data/new; touch /fixed/new || echo refused",
                            own + ":/data",
                            own + ":/fixed:ro"));
            job.awaitCompleted();
            // The streams travel apart, and what is written to both within a moment may change places.
            assertThat(berth.run("logs", "--stdout", job.idText()).out()).isEqualTo("mine\nmine\nrefused\n");
            assertThat(TestFiles.owner(own.resolve("new"))).isEqualTo(ADA.uid() + ":" + ADA.gid());
        }
    }

    @Test
    void whatIsAnothersIsRefusedWhateverTheWay(@WithGpus(4) Engine engine) {
        Path link = ADA.home().resolve("link");
        TestFiles.link(link, secret.toString());
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g");
            for (Path source : List.of(secret, link, secret.resolve("note"), link.resolve("note"))) {
                JsonNode refused = submit(berth, "true", source + ":/data");
                assertThat(refused.path("code").asText()).isEqualTo("INVALID_FIELD");
                assertThat(refused.path("message").asText())
                        .contains("on this machine; a job gets what its submitter may reach");
            }
            assertThat(submit(berth, "true", berth.dataDirectory() + ":/data")
                            .path("message")
                            .asText())
                    .contains("mounted into a job");
            assertThat(berth.run("ps", "-a", "-q").out()).isEmpty();
        }
    }

    /** It was the submitter's when the job was accepted; at the start the way leads to somebody else's. */
    @Test
    void theStartLooksAgain(@WithGpus(4) Engine engine) {
        Path way = ADA.home().resolve("way");
        TestFiles.link(way, own.toString());
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g", "--workers", "1");
            SubmittedJob first = SubmittedJob.of(
                    berth, submit(berth, "while [ ! -e /data/go ]; do sleep 0.1; done", own + ":/data"));
            first.await("RUNNING");
            SubmittedJob job = SubmittedJob.of(berth, submit(berth, "cat /data/note", way + ":/data"));
            assertThat(way.toFile().delete()).isTrue();
            TestFiles.link(way, secret.toString());
            Path _ = TestFiles.write(own.resolve("go"), "");
            first.awaitCompleted();
            job.awaitReason("START_FAILED");
            assertThat(job.sentence()).contains("the mount of " + way + ": it is closed to you on this machine");
        }
    }
}
