package dev.berth.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Command;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.JsonReading;
import dev.berth.system.fixture.Product;
import dev.berth.system.fixture.Ran;
import dev.berth.system.fixture.Running;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.TestFiles;
import dev.berth.system.fixture.UnixUser;
import dev.berth.system.fixture.WithGpus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What root opens and makes on a user's word, or in a place where users may write. */
@SystemTest
@Tag("alone")
class PathTest {
    private static final Path LOCK_DIRECTORY = Path.of("/tmp/safe_gpu");
    private static final Path ASIDE = Path.of("/tmp/safe_gpu-of-others");
    private static final UnixUser MALLORY = UnixUser.create("berth-path-mallory");
    private static final UnixUser VICTIM = UnixUser.create("berth-path-victim");

    /** Makes every name that appears in a directory a link to a file, as fast as can be. */
    private static final String SWAP = """
            import os, sys
            directory, target, link = sys.argv[1:]
            os.chdir(directory)
            os.symlink(target, link)
            print("swaps", flush=True)
            while True:
                for name in os.listdir("."):
                    try:
                        os.rename(link, name)
                        os.symlink(target, link)
                        if name.startswith("gpu"):
                            os.unlink(name)
                    except OSError:
                        pass
            """;

    /** Waits in a directory, with a file of it open. */
    private static final String WAIT = """
            import os, sys, time
            os.chdir(sys.argv[1])
            file = open("note")
            print("waits", flush=True)
            time.sleep(600)
            """;

    /** Posts something as the user who runs it; prints the answer. */
    private static final String SUBMIT = """
            import http.client, socket, sys
            class Unix(http.client.HTTPConnection):
                def connect(self):
                    self.sock = socket.socket(socket.AF_UNIX)
                    self.sock.connect(sys.argv[1])
            unix = Unix("berth")
            unix.request("POST", sys.argv[3], sys.argv[2].encode())
            print(unix.getresponse().read().decode())
            """;

    @AfterAll
    static void removeUsers() {
        MALLORY.close();
        VICTIM.close();
    }

    /** Has a name in a directory be now the directory that it was, and now a link to another place, as fast as can be. */
    private static final String EXCHANGE = """
            import os, sys
            directory, name, target = sys.argv[1:]
            os.chdir(directory)
            os.symlink(target, "link")
            print("exchanges", flush=True)
            while True:
                os.rename(name, "aside")
                os.rename("link", name)
                os.rename(name, "link")
                os.rename("aside", name)
            """;

    private static Ran submit(Berth berth, Map<String, Object> request) {
        return submit(berth, MALLORY, request);
    }

    private static Ran submit(Berth berth, UnixUser user, Map<String, Object> request) {
        return post(berth, user, "/api/v1/jobs", JsonReading.text(request));
    }

    private static Ran post(Berth berth, UnixUser user, String path, String body) {
        String socket = berth.dataDirectory().resolve("berth.sock").toString();
        return Command.python(SUBMIT, socket, body, path).as(user).run().expect(0);
    }

    /** Who has left a group gets no directory of it by a job of before, no matter who submits it again. */
    @Test
    void whoHasLeftAGroupGetsNoMountOfItByAResubmit(@WithGpus(4) Engine engine) {
        Path top = TestFiles.folder();
        Path shared = TestFiles.folder(top.resolve("lab"));
        Path _ = TestFiles.write(shared.resolve("note"), "of the lab");
        try (UnixUser leaver = UnixUser.create("berth-path-leaver");
                Berth berth = Berth.on(engine)) {
            Ran _ = Command.of("chgrp", leaver.group(), shared.toString()).run().expect(0);
            Path _ = TestFiles.allow(shared, "rwxrwx---");
            berth.start("-g");
            Map<String, Object> request = Map.of(
                    "command", List.of("cat", "/lab/note"), "network", "none", "volumes", List.of(shared + ":/lab"));
            SubmittedJob job =
                    SubmittedJob.of(berth, submit(berth, leaver, request).json());
            job.awaitCompleted();
            String again = "/api/v1/jobs/" + job.id() + "/resubmit";
            assertThat(post(berth, leaver, again, "").text()).contains("\"resubmitOf\"");
            Ran _ = Command.of("gpasswd", "-d", leaver.name(), leaver.group())
                    .run()
                    .expect(0);
            assertThat(post(berth, leaver, again, "").text()).contains("INVALID_FIELD");
            assertThat(post(berth, MALLORY, again, "").text()).contains("JOB_NOT_FOUND");
            assertThat(berth.api().post("/jobs/" + job.id() + "/resubmit", "").status())
                    .isEqualTo(400);
        }
    }

    private static Running started(Command command, String word) {
        Running running = command.start();
        Await.that(word, () -> running.said().contains(word));
        return running;
    }

    /** Who is first to make safe-gpu's directory swaps whatever appears in it for links to a file of root's. */
    @Test
    void noFileOfRootsIsOpenedUpByTheDirectoryOfALock(@WithGpus(4) Engine engine) throws IOException {
        Path precious = TestFiles.write(TestFiles.folder().resolve("precious"), "kept");
        Path _ = TestFiles.allow(precious, "rw-------");
        boolean aside = Files.exists(LOCK_DIRECTORY);
        if (aside) {
            Files.move(LOCK_DIRECTORY, ASIDE);
        }
        TestFiles.give(TestFiles.folder(LOCK_DIRECTORY), MALLORY);
        try (Berth berth = Berth.on(engine);
                Running _ = started(
                        Command.python(
                                        SWAP,
                                        LOCK_DIRECTORY.toString(),
                                        precious.toString(),
                                        MALLORY.home().resolve("trap").toString())
                                .as(MALLORY),
                        "swaps")) {
            berth.start("-g");
            for (int times = 0; times < 12; times++) {
                SubmittedJob.of(
                                berth,
                                submit(berth, Map.of("command", List.of("true"), "gpus", 1, "network", "none"))
                                        .json())
                        .awaitCompleted();
            }
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(precious)))
                    .isEqualTo("rw-------");
            assertThat(precious).hasContent("kept");
            assertThat(TestFiles.read(berth.dataDirectory().resolve("server.log")))
                    .contains("safe-gpu's lock file " + LOCK_DIRECTORY)
                    .contains("a process that locks it is not waited for");
        } finally {
            TestFiles.deleteTree(LOCK_DIRECTORY);
            TestFiles.deleteTree(precious.getParent());
            if (aside) {
                Files.move(ASIDE, LOCK_DIRECTORY);
            }
        }
    }

    /** Anyone who may rename a file may move it into an output directory; that makes it nobody else's to read. */
    @Test
    void anOutputGivesWhatItsOwnerMayRead(@WithGpus(4) Engine engine) {
        Path installed = TestFiles.folder();
        TestFiles.copyTree(Product.DISTRIBUTION, installed.resolve("berth"));
        Path shared = TestFiles.folders(MALLORY.home().resolve("shared"));
        TestFiles.give(shared, MALLORY);
        Path diary = TestFiles.write(shared.resolve("diary"), "hush\n");
        TestFiles.give(diary, VICTIM);
        Path _ = TestFiles.allow(diary, "rw-------");
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g");
            SubmittedJob job = SubmittedJob.of(
                    berth,
                    submit(berth, Map.of("command", List.of("sh", "-c", "echo mine > /output/mine"), "network", "none"))
                            .json());
            job.awaitCompleted();
            Path output = berth.dataDirectory().resolve("users/" + MALLORY.uid() + "/output/" + job.idText());
            Command.of("mv", diary.toString(), output.toString())
                    .as(MALLORY)
                    .run()
                    .expect(0);
            Ran archive = asMallory(installed, berth, "get", job.idText(), "-o", "-");
            assertThat(archive.expect(0).out()).contains("mine\n").doesNotContain("hush");
            Ran refused = asMallory(
                    installed,
                    berth,
                    "get",
                    job.idText(),
                    "-o",
                    MALLORY.home().resolve("got").toString());
            assertThat(refused.expect(1).err()).contains("because the job's owner may not read it: diary");
            assertThat(MALLORY.home().resolve("got/mine")).hasContent("mine\n");
            assertThat(MALLORY.home().resolve("got/diary")).doesNotExist();
        } finally {
            TestFiles.deleteTree(installed);
        }
    }

    /** Its owner may not read the other place either; anyone who reads as root does. */
    @Test
    void anOutputThatIsExchangedMeanwhileGivesNothingElse(@WithGpus(4) Engine engine) {
        Path secret = TestFiles.folder();
        Path _ = TestFiles.write(secret.resolve("note"), "hush\n");
        Path _ = TestFiles.allow(secret, "rwx------");
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g");
            String make = "mkdir /output/part && echo mine > /output/part/note";
            SubmittedJob job = SubmittedJob.of(
                    berth,
                    submit(berth, Map.of("command", List.of("sh", "-c", make), "network", "none"))
                            .json());
            job.awaitCompleted();
            Path output = berth.dataDirectory().resolve("users/" + MALLORY.uid() + "/output/" + job.idText());
            try (Running _ = started(
                    Command.python(EXCHANGE, output.toString(), "part", secret.toString())
                            .as(MALLORY),
                    "exchanges")) {
                for (int times = 0; times < 40; times++) {
                    List<String> all = List.of("get", job.idText(), "-o", "-");
                    List<String> words = times % 2 == 0 ? all : List.of("get", job.idText(), "part/note", "-o", "-");
                    assertThat(berth.command(words.toArray(String[]::new)).run().text())
                            .as("time " + times)
                            .doesNotContain("hush");
                }
            }
        } finally {
            TestFiles.deleteTree(secret);
        }
    }

    /** In a directory of all, anyone who knows the number is there first. */
    @Test
    void whatAnotherUserHasPutInThePlaceOfAJobsOutputIsNotWrittenTo(@WithGpus(4) Engine engine) {
        Path installed = TestFiles.folder();
        TestFiles.copyTree(Product.DISTRIBUTION, installed.resolve("berth"));
        Path shared = TestFiles.folder();
        Path _ = TestFiles.allow(shared, "rwxrwxrwx");
        Path own = TestFiles.folders(VICTIM.home().resolve("own"));
        TestFiles.give(own, VICTIM);
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g");
            String write = "echo of the job > /output/.bashrc";
            SubmittedJob job = SubmittedJob.of(
                    berth,
                    submit(berth, VICTIM, Map.of("command", List.of("sh", "-c", write), "network", "none"))
                            .json());
            job.awaitCompleted();
            String place = shared.resolve("job-" + job.idText()).toString();
            for (List<String> plant : List.of(List.of("ln", "-s", own.toString(), place), List.of("mkdir", place))) {
                Command.of(plant.toArray(String[]::new)).as(MALLORY).run().expect(0);
                Ran refused = Command.of(
                                installed.resolve("berth/bin/berth"),
                                "--data-dir",
                                berth.dataDirectory().toString(),
                                "get",
                                job.idText())
                        .behind("env", "-C", shared.toString())
                        .as(VICTIM)
                        .run();
                assertThat(refused.exitCode()).as(refused.text()).isNotZero();
                assertThat(refused.err()).contains("job-" + job.idText()).contains("-o");
                assertThat(own).isEmptyDirectory();
                assertThat(TestFiles.tree(shared)).hasSize(2);
                TestFiles.delete(Path.of(place));
            }
        } finally {
            TestFiles.deleteTree(shared);
            TestFiles.deleteTree(installed);
        }
    }

    /** A server's virtual machine writes its errors to a file, before it knows whose directory that is in. */
    @Test
    void nothingIsMadeOrOpenedInADataDirectoryThatIsAnothers() {
        Path precious = TestFiles.write(TestFiles.folder().resolve("precious"), "kept");
        Path missing = precious.resolveSibling("missing");
        Path state = TestFiles.folders(MALLORY.home().resolve("state"));
        TestFiles.give(state, MALLORY);
        try {
            for (Path target : List.of(precious, missing)) {
                TestFiles.link(state.resolve("server.err"), target.toString());
                for (Path place : List.of(state, state.resolve("data"))) {
                    Ran refused = Command.of(
                                    Product.DISTRIBUTION.resolve("bin/berth"),
                                    "server",
                                    "start",
                                    "--data-dir",
                                    place.toString(),
                                    "--port",
                                    "0")
                            .run();
                    assertThat(refused.exitCode()).as(refused.text()).isEqualTo(125);
                    assertThat(refused.err()).contains("where other users can put something else in its place");
                }
                TestFiles.delete(state.resolve("server.err"));
            }
            assertThat(precious).hasContent("kept");
            assertThat(missing).doesNotExist();
            assertThat(state).isEmptyDirectory();
        } finally {
            TestFiles.deleteTree(precious.getParent());
        }
    }

    private static Ran asMallory(Path installed, Berth berth, String... words) {
        return Command.of(
                        installed.resolve("berth/bin/berth"),
                        "--data-dir",
                        berth.dataDirectory().toString())
                .and(words)
                .as(MALLORY)
                .run();
    }

    /** Links of /proc lead past every closed directory on the way to what a process has open. */
    @Test
    void noMountLeadsThroughAProcess(@WithGpus(4) Engine engine) {
        Path inner = TestFiles.folders(VICTIM.home().resolve("secret/inner"));
        Path _ = TestFiles.write(inner.resolve("note"), "hush\n");
        for (Path path : List.of(inner, inner.resolve("note"), inner.getParent())) {
            TestFiles.give(path, VICTIM);
        }
        Path _ = TestFiles.allow(inner, "rwxr-xr-x");
        Path _ = TestFiles.allow(inner.resolve("note"), "rw-r--r--");
        Path _ = TestFiles.allow(inner.getParent(), "rwx------");
        try (Berth berth = Berth.on(engine);
                Running victim = started(Command.python(WAIT, inner.toString()).as(VICTIM), "waits")) {
            berth.start("-g");
            Path link = MALLORY.home().resolve("link");
            for (String way : List.of(
                    "/proc/" + victim.pid() + "/cwd",
                    "/proc/" + victim.pid() + "/root" + inner,
                    "/proc/" + victim.pid() + "/cwd/note",
                    "/proc/" + berth.server().pid() + "/cwd",
                    "/proc/" + berth.server().pid() + "/root/root",
                    "/proc/self/root" + inner)) {
                TestFiles.link(link, way);
                for (String source : List.of(way, link.toString())) {
                    Ran answer = submit(
                            berth, Map.of("command", List.of("cat", "/m/note"), "volumes", List.of(source + ":/m")));
                    assertThat(answer.json().path("code").asText())
                            .as("%s: %s", source, answer)
                            .isEqualTo("INVALID_FIELD");
                }
                TestFiles.delete(link);
            }
            assertThat(berth.run("ps", "-a", "-q").out()).isEmpty();
        }
    }
}
