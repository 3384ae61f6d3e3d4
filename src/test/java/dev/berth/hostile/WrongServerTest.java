package dev.berth.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Command;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.Product;
import dev.berth.system.fixture.Ran;
import dev.berth.system.fixture.Running;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.TestFiles;
import dev.berth.system.fixture.UnixUser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Commands that are led to another server than the one that is meant, and commands called where nothing is. */
@SystemTest
class WrongServerTest {
    private static final Path INSTALLED = TestFiles.folder();
    private static final Path PROGRAM = INSTALLED.resolve("berth/bin/berth");
    private static final UnixUser ADA = UnixUser.create("berth-addr-ada");
    private static final UnixUser BOB = UnixUser.create("berth-addr-bob");
    private static final Berth BERTH = Berth.on(Engine.ofMachine());

    /** Answers at a socket as no server would, and says that it was spoken to. */
    private static final String TRAP = """
            import os, socket, sys
            os.makedirs(os.path.dirname(sys.argv[1]))
            server = socket.socket(socket.AF_UNIX)
            server.bind(sys.argv[1])
            os.chmod(sys.argv[1], 0o666)
            server.listen()
            print("ready", flush=True)
            while True:
                client, _ = server.accept()
                print("caught", flush=True)
                client.close()
            """;

    /** Goes down so far that the kernel tells nobody where that is, and becomes a program. */
    private static final String DESCEND = """
            import os, sys
            os.chdir(sys.argv[1])
            for each in range(20):
                os.mkdir("x" * 250)
                os.chdir("x" * 250)
            os.execv(sys.argv[2], sys.argv[2:])
            """;

    @BeforeAll
    static void start() {
        TestFiles.copyTree(Product.DISTRIBUTION, INSTALLED.resolve("berth"));
        BERTH.start("--simulate-gpus", "1");
    }

    @AfterAll
    static void stop() {
        BERTH.close();
        ADA.close();
        BOB.close();
        TestFiles.deleteTree(INSTALLED);
    }

    private static Path socket() {
        return BERTH.dataDirectory().resolve("berth.sock");
    }

    @Test
    void aVariableStopsNoOtherServerThanTheLineNames() {
        try (Berth other = Berth.on(Engine.ofMachine())) {
            other.start();
            Ran stop = other.command("server", "stop")
                    .with(Map.of("BERTH_SOCKET", socket().toString(), "BERTH_URL", "http://127.0.0.1:1"))
                    .run()
                    .expect(0);
            assertThat(stop.err())
                    .isEqualTo("berth: the server at " + other.dataDirectory() + "/berth.sock (by --data-dir)\n");
            assertThat(other.server().isAlive()).isFalse();
            assertThat(BERTH.server().isAlive()).isTrue();

            Ran restore = Command.of(Product.BERTH, "server", "restore", "--socket")
                    .and(other.dataDirectory() + "/berth.sock")
                    .with("BERTH_DATA_DIR", BERTH.dataDirectory().toString())
                    .run()
                    .expect(2);
            assertThat(restore.complaint()).contains("name its data directory by --data-dir");
        }
    }

    @Test
    void aVariableStopsNoServerOverTheNetwork() {
        String url = BERTH.run("server", "status", "--json").json().path("url").asText();
        String token = BERTH.run("token", "create", "-q", "--scope", "admin").text();
        Ran stop = Command.of(Product.BERTH, "server", "stop")
                .with(Map.of("BERTH_URL", url, "BERTH_TOKEN", token))
                .run()
                .expect(2);
        assertThat(stop.complaint()).contains("say berth server stop --url " + url);
        assertThat(BERTH.server().isAlive()).isTrue();
    }

    /** As with a sudo that leaves the caller's home, or a su that does. */
    @Test
    void aSocketInTheHomeOfAnotherIsSpokenToByNobodyElse() {
        Path trap = ADA.home().resolve(".local/state/berth/berth.sock");
        try (Running ada = Command.python(TRAP, trap.toString()).as(ADA).start()) {
            Await.that("the trap is set", () -> ada.said().contains("ready"));
            Command asRoot = Command.of(PROGRAM, "ps").with("HOME", ADA.home().toString());
            Command asBob =
                    Command.of(PROGRAM, "ps").as(BOB).with("HOME", ADA.home().toString());
            Ran _ = asRoot.run();
            Ran _ = asBob.run();
            assertThat(ada.said()).isEqualTo("ready\n");
        }
    }

    private static Ran as(UnixUser user, String script, String... words) {
        return Command.of("/bin/sh", "-c", script, "sh")
                .and(words)
                .as(user)
                .with("BERTH_SOCKET", socket().toString())
                .run();
    }

    @Test
    void aDirectoryThatWasRemovedKeepsNobodyFromTheirJobs() {
        String gone = "cd ~ && mkdir gone && cd gone && rmdir ../gone && exec \"$@\"";
        assertThat(as(BOB, gone, PROGRAM.toString(), "gpus").expect(0).out()).contains("Simulated");
        String project = BERTH.project("whoami.py").path().toString();
        String id = as(BOB, gone, PROGRAM.toString(), "submit", "-q", "scheduler", project, "whoami.py")
                .expect(0)
                .text();
        assertThat(as(BOB, gone, PROGRAM.toString(), "wait", id).expect(0).exitCode())
                .isZero();
        for (String line : new String[] {
            "submit scheduler . main.py",
            "run -- true",
            "get " + id,
            "server backup here.db",
            "config check here.yaml",
            "ps --socket here",
            "submit scheduler " + project + " whoami.py --env-file here"
        }) {
            Ran ran = as(BOB, gone.replace("\"$@\"", PROGRAM + " " + line)).expect(2);
            assertThat(ran.err())
                    .as(line)
                    .contains("needs the directory that the command is called in, and that one was removed");
        }
        assertThat(Files.exists(Path.of("/job-" + id))).isFalse();
    }

    @Test
    void aDirectoryThatIsClosedOrTooDeepKeepsNobodyFromTheirJobs() {
        Path closed = TestFiles.allow(TestFiles.folder(ADA.home().resolve("closed")), "rwx------");
        TestFiles.give(closed, ADA);
        Command inClosed = Command.of("/bin/sh", "-c", "cd \"$0\" && shift && exec \"$@\"", closed.toString(), "-")
                .with("BERTH_SOCKET", socket().toString());
        String[] become = Command.of(PROGRAM).as(BOB).words().toArray(String[]::new);
        assertThat(inClosed.and(become).and("gpus").run().expect(0).out()).contains("Simulated");
        assertThat(inClosed.and(become)
                        .and("submit", "scheduler", ".", "main.py")
                        .run()
                        .expect(2)
                        .complaint())
                .contains("not to be entered by you (permission denied)");

        Command deep = Command.python(DESCEND, BOB.home().toString(), PROGRAM.toString())
                .as(BOB)
                .with("BERTH_SOCKET", socket().toString());
        assertThat(deep.and("gpus").run().expect(0).out()).contains("Simulated");
        Ran _ = Command.of("rm", "-rf", BOB.home() + "/" + "x".repeat(250))
                .run()
                .expect(0);
        assertThat(deep.and("submit", "scheduler", ".", "main.py")
                        .run()
                        .expect(2)
                        .err())
                .contains("has too long a path");
        Ran _ = Command.of("rm", "-rf", BOB.home() + "/" + "x".repeat(250))
                .run()
                .expect(0);
    }
}
