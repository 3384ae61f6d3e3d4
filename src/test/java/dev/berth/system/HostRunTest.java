package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
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
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Programs on the machine itself: their GPUs, their signals, their ends, and what is left when anybody is killed. */
@SystemTest
class HostRunTest {
    private static final int GPUS = 4;
    private static final String PYTHON = "/usr/bin/python3";

    /** Says what it was started with, and ends with a code of its own. */
    private static final String LOOK = """
            import json, os, sys
            names = ["CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "BERTH_JOB_ID", "BERTH_ATTEMPT", "BERTH_NUM_GPUS",
                     "BERTH_GPU_UUIDS", "MY_OWN", "LC_ALL", "LC_CTYPE"]
            first = open("/proc/self/environ", "rb").read().decode().split("\\0")
            print(json.dumps({
                "environment": {name: os.environ.get(name) for name in names},
                "first": sorted(line.split("=")[0] for line in first if line.startswith(("CUDA_", "BERTH_NUM"))),
                "arguments": sys.argv[1:], "directory": os.getcwd(),
                "files": sorted(int(number) for number in os.listdir("/proc/self/fd"))[:3],
                "blocked": [line.split()[1] for line in open("/proc/self/status") if line.startswith("SigBlk")][0]}))
            sys.exit(3)
            """;

    /** Writes each signal down and goes on; ends with the number of a TERM. */
    private static final String LISTEN = """
            import signal, sys, time
            def heard(number, frame):
                print(signal.Signals(number).name, flush=True)
                if number == signal.SIGTERM:
                    sys.exit(15)
            for number in (signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGTERM, signal.SIGWINCH,
                           signal.SIGQUIT):
                signal.signal(number, heard)
            print("ready", flush=True)
            while True:
                time.sleep(0.05)
            """;

    /** Runs with a child in a session of its own until a file is there, and ends with the code in it. */
    private static final String WORK = """
            import os, subprocess, sys, time
            child = subprocess.Popen(["sleep", "1000"], start_new_session=True)
            print(os.getpid(), child.pid, flush=True)
            while not os.path.exists(sys.argv[1]):
                time.sleep(0.02)
            child.kill()
            sys.exit(int(open(sys.argv[1]).read()))
            """;

    /** One server for all, which some of them kill and start again. */
    private static Berth berth;

    /** The number of the newest job when a test began. */
    private long before;

    @BeforeAll
    static void startServer(@WithGpus(GPUS) Engine engine) {
        berth = Berth.on(engine);
        start();
    }

    @AfterAll
    static void stopServer() {
        berth.close();
    }

    private static void start() {
        berth.start("--simulate-gpus", Integer.toString(GPUS));
    }

    @BeforeEach
    void waitForFreeGpus() {
        assertFree();
        before = newest().id();
    }

    /** As at a terminal: what a script starts in the background ignores INT and QUIT, with all that comes of it. */
    private static Command run(String... words) {
        return berth.command("run").and(words).behind("env", "--default-signal=INT,QUIT");
    }

    /** Works until there is a file at {@code end}, with its exit code. */
    private static Command worker(int gpus, Path end) {
        return run("--num-gpus", Integer.toString(gpus), "--", PYTHON, "-c", WORK, end.toString());
    }

    private static SubmittedJob newest() {
        JsonNode jobs = berth.api().get("/jobs?scope=all&limit=1").json().path("jobs");
        return SubmittedJob.of(berth, jobs.path(0));
    }

    /** The newest job, once there is one behind that of this number. */
    private static SubmittedJob after(long number) {
        Await.that("a job is there", () -> newest().id() > number);
        return newest();
    }

    /** The first job of this test, once it runs. */
    private SubmittedJob running() {
        return after(before).await("RUNNING");
    }

    /** A worker's own number and its child's. */
    private static List<ProcessHandle> family(Running run) {
        Await.that("the program has begun", () -> run.said().contains("\n"));
        return Arrays.stream(run.said().strip().split(" "))
                .map(pid -> ProcessHandle.of(Long.parseLong(pid)).orElseThrow())
                .toList();
    }

    private static void assertFree() {
        Await.that("all GPUs are free", () -> berth.holders().stream().allMatch(holder -> holder.endsWith(":[]")));
    }

    /** Anyone who adopts a process that lost its parent may take a while to ask for its end. */
    private static boolean runs(ProcessHandle process) {
        String state = Command.of("ps", "-o", "stat=", "-p", Long.toString(process.pid()))
                .run()
                .text();
        return !state.isEmpty() && !state.startsWith("Z");
    }

    private static void signal(String name, long pid) {
        Command.of("kill", "-" + name, Long.toString(pid)).run().expect(0);
    }

    @Test
    void theFirstInstructionFindsItsGpusAndTheExitCodeIsTheProgramsOwn() {
        Ran ran = run("--num-gpus", "2", "-q", "--", PYTHON, "-c", LOOK, "--lr", "0.1", "a b")
                .with("MY_OWN", "kept")
                .with("LC_ALL", "C")
                .run()
                .expect(3);

        assertThat(ran.err()).isEmpty();
        JsonNode seen = ran.json();
        String uuids = "GPU-51111111-0000-4000-8000-000000000000,GPU-51111111-0000-4000-8000-000000000001";
        assertThat(seen.path("environment").path("CUDA_VISIBLE_DEVICES").asText())
                .isEqualTo(uuids);
        assertThat(seen.path("environment").path("BERTH_GPU_UUIDS").asText()).isEqualTo(uuids);
        assertThat(seen.path("environment").path("CUDA_DEVICE_ORDER").asText()).isEqualTo("PCI_BUS_ID");
        assertThat(seen.path("environment").path("BERTH_NUM_GPUS").asText()).isEqualTo("2");
        assertThat(seen.path("environment").path("MY_OWN").asText()).isEqualTo("kept");
        assertThat(seen.path("environment").path("LC_ALL").asText()).isEqualTo("C");
        assertThat(JsonReading.strings(seen.path("first")))
                .containsExactly("BERTH_NUM_GPUS", "CUDA_DEVICE_ORDER", "CUDA_VISIBLE_DEVICES");
        assertThat(JsonReading.strings(seen.path("arguments"))).containsExactly("--lr", "0.1", "a b");
        assertThat(seen.path("directory").asText()).isEqualTo("/");
        assertThat(seen.path("blocked").asText()).isEqualTo("0000000000000000");
        SubmittedJob job = newest().await("FAILED");
        assertThat(job.view().path("exitCode").asInt()).isEqualTo(3);
        assertThat(job.view().path("image").asText()).isEqualTo("host");
        assertFree();
    }

    @Test
    void signalsArePassedOnAndAreNoEndOfTheCommand() {
        // Under nohup, all that the tests start ignores HUP.
        try (Running run = run("--num-gpus", "1", "--", PYTHON, "-c", LISTEN)
                .behind("env", "--default-signal=HUP")
                .start()) {
            Await.that("the program has begun", () -> run.said().contains("ready"));
            String heard = "ready\n";
            for (String name : List.of("INT", "HUP", "USR1", "USR2", "WINCH", "TERM")) {
                signal(name, run.pid());
                heard += "SIG" + name + "\n";
                String expected = heard;
                Await.that(name + " is heard", () -> run.said().equals(expected));
            }

            assertThat(run.end().exitCode()).isEqualTo(15);
        }
        assertThat(newest().await("FAILED").sentence()).isEqualTo("the program ended with exit code 15");
    }

    /** A terminal sends Ctrl-C to the whole group; a program that hears it twice would give up for good. */
    @Test
    void whatATerminalSendsIsHeardOnce() {
        String terminal = """
                import os, pty, sys, time
                pid, terminal = pty.fork()
                if pid == 0:
                    os.execvp(sys.argv[1], sys.argv[1:])
                seen, sent = b"", []
                while True:
                    try:
                        part = os.read(terminal, 1000)
                    except OSError:
                        break
                    seen += part
                    steps = ((b"ready", 1, b"\\x03"), (b"SIGINT", 1, b"\\x03"), (b"SIGINT", 2, b"\\x1c"))
                    for word, times, answer in steps:
                        if seen.count(word) >= times and (word, times) not in sent:
                            sent.append((word, times))
                            os.write(terminal, answer)
                    if seen.count(b"SIGQUIT") == 1 and b"over" not in sent:
                        sent.append(b"over")
                        time.sleep(0.5)
                        os.kill(pid, 15)
                code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
                print(seen.count(b"SIGINT"), seen.count(b"SIGQUIT"), seen.count(b"thread"), code)
                """;
        Ran ran = Command.python(terminal)
                .and(run("--num-gpus", "1", "--", PYTHON, "-c", LISTEN).words().toArray(String[]::new))
                .run()
                .expect(0);

        assertThat(ran.text()).isEqualTo("2 1 0 15");
    }

    @Test
    void theGpusAreFreeWhicheverProcessIsKilled() {
        Command work = worker(4, Path.of("/nowhere"));

        SubmittedJob first;
        try (Running run = work.start()) {
            first = running();
            List<ProcessHandle> family = family(run);
            family.getFirst().destroyForcibly();
            assertThat(run.end().exitCode()).isEqualTo(137);
            assertThat(first.await("FAILED").sentence()).isEqualTo("the program ended with exit code 137 (SIGKILL)");
            assertFree();
            assertThat(family).as("the program and its child").noneMatch(HostRunTest::runs);
        }
        try (Running run = work.start()) {
            SubmittedJob job = after(first.id()).await("RUNNING");
            List<ProcessHandle> family = family(run);
            signal("KILL", run.pid());
            assertThat(job.await("LOST").sentence()).contains("nobody knows how");
            assertFree();
            assertThat(family).as("the program and its child").noneMatch(HostRunTest::runs);
        }
    }

    @Test
    void aProgramThatOutlivesTheServerIsTakenOverByTheNext() {
        Path end = berth.home().resolve("end-" + before);
        try (Running run = worker(3, end).start()) {
            SubmittedJob job = running();
            List<ProcessHandle> family = family(run);

            berth.kill();
            start();

            assertThat(job.state()).isEqualTo("RUNNING");
            assertThat(family).allMatch(ProcessHandle::isAlive);
            String id = job.idText();
            assertThat(berth.holders()).containsExactly("0:[" + id + "]", "1:[" + id + "]", "2:[" + id + "]", "3:[]");
            TestFiles.write(end, "5");
            assertThat(run.end().exitCode()).isEqualTo(5);
            job.await("FAILED");
            assertThat(job.view().path("exitCode").asInt()).isEqualTo(5);
            assertFree();
        }
    }

    @Test
    void anEndThatNoServerSawIsToldToTheNext() {
        Path end = berth.home().resolve("end-" + before);
        try (Running run = worker(3, end).start()) {
            SubmittedJob job = running();
            List<ProcessHandle> family = family(run);
            berth.kill();
            TestFiles.write(end, "0");
            Await.that("the program has ended", () -> !family.getFirst().isAlive());

            start();

            assertThat(run.end().exitCode()).isZero();
            assertThat(job.await("COMPLETED").sentence()).isEqualTo("the program ended with exit code 0");
            assertFree();
        }
    }

    @Test
    void whatIsLeftWhenAllAreKilledIsEndedByTheNextServer() {
        try (Running run = worker(3, Path.of("/nowhere")).start()) {
            SubmittedJob job = running();
            List<ProcessHandle> family = family(run);
            berth.kill();
            signal("KILL", run.pid());
            family.getFirst().destroyForcibly();
            assertThat(runs(family.getLast()))
                    .as("the child, in a session of its own")
                    .isTrue();

            start();

            job.await("LOST");
            assertFree();
            assertThat(family).noneMatch(HostRunTest::runs);
        }
    }

    @Test
    void aTimeLimitAndACancelHaveTheirOwnCodes() {
        assertThat(run("--time", "1s", "--", "sleep", "1000").run().exitCode()).isEqualTo(124);
        SubmittedJob limited = newest().await("TIMEOUT");
        assertThat(limited.sentence()).isEqualTo("stopped at its time limit of 1s");

        try (Running run = run("--num-gpus", "1", "--", "sleep", "1000").start()) {
            SubmittedJob job = after(limited.id()).await("RUNNING");
            berth.run("cancel", job.idText());
            Ran ran = run.end().expect(130);
            assertThat(ran.err()).contains("job " + job.id() + " is being stopped: cancelled by root");
            job.await("CANCELLED");
        }
    }

    @Test
    void whoDoesNotWaitAndWhatCannotRunIsToldAtOnce() {
        try (Running run = run("--num-gpus", "1", "--", "sleep", "1000").start()) {
            SubmittedJob holder = running();

            Ran refused =
                    run("--num-gpus", "4", "--no-wait", "--", "true").run().expect(75);

            assertThat(refused.complaint())
                    .isEqualTo("berth: not accepted, as it could not start at once: first in the queue; waits for 4"
                            + " GPUs: 3 of 4 free, job " + holder.id() + " has 1; free GPUs: 1 (Simulated GPU), 2"
                            + " (Simulated GPU), 3 (Simulated GPU)");
            assertThat(run("--", "no-such-program").run().expect(127).complaint())
                    .contains("'no-such-program' is no program on this machine");
            assertThat(run("--", "/etc/passwd").run().expect(126).complaint()).contains("cannot be run");
            assertThat(newest().id()).as("the last job that was queued").isEqualTo(holder.id());
            run.terminate();
            run.end().expect(143);
        }
    }

    @Test
    void anInterruptWhileItWaitsTakesItOutOfTheQueue() {
        try (Running first = run("--num-gpus", "4", "--", "sleep", "1000").start()) {
            SubmittedJob holder = running();
            try (Running second = run("--num-gpus", "4", "--", "sleep", "1000").start()) {
                SubmittedJob waiting = after(holder.id()).awaitReason("AT_HEAD_WAITING_FOR_GPUS");
                Await.that(
                        "it says so",
                        () -> second.complained()
                                .contains("berth: job " + waiting.id()
                                        + ": first in the queue; waits for 4 GPUs: 0 of 4 free"));

                second.terminate();

                Ran _ = second.end().expect(143);
                waiting.await("CANCELLED");
            }
            assertThat(holder.state()).isEqualTo("RUNNING");
            first.terminate();
            first.end().expect(143);
        }
    }

    @Test
    void containersAndProcessesStandInOneLine() {
        SubmittedJob container = berth.submit(berth.project("record.py"), "record.py", "--num-gpus", "2", "--", "gate");
        container.await("RUNNING");
        Path end = berth.home().resolve("end-" + before);
        try (Running run = worker(3, end).start()) {
            SubmittedJob process = after(container.id());
            SubmittedJob last = berth.submit(berth.project("record.py"), "record.py", "--num-gpus", "1");
            assertThat(last.view().path("reason").asText())
                    .as("a job that would fit")
                    .isEqualTo("BEHIND_HEAD");
            assertThat(process.sentence())
                    .isEqualTo("first in the queue; waits for 3 GPUs: 2 of 4 free, job " + container.id() + " has 2");

            container.open();

            process.await("RUNNING");
            last.awaitCompleted();
            TestFiles.write(end, "0");
            run.end().expect(0);
        }
    }

    @Test
    void aShellHasItsGpusUntilItEnds() {
        String script = """
                eval "$("$0" --data-dir "$1" lease --shell --num-gpus 2 -q)" || exit 9
                echo "$CUDA_VISIBLE_DEVICES $BERTH_NUM_GPUS $$"
                "$0" --data-dir "$1" gpus --json | tr -d ' ' | grep -o "\\"job\\":$BERTH_JOB_ID[,}]" | wc -l
                """;
        Ran ran = Command.of(
                        "/bin/sh",
                        "-c",
                        script,
                        Product.BERTH.toString(),
                        berth.dataDirectory().toString())
                .run()
                .expect(0);

        assertThat(ran.lines().getFirst())
                .startsWith("GPU-51111111-0000-4000-8000-000000000000,GPU-51111111-0000-4000-8000-000000000001 2 ");
        assertThat(ran.lines().getLast().strip()).isEqualTo("2");
        assertThat(newest().await("COMPLETED").sentence())
                .isEqualTo("what its GPUs were leased to has ended or given them back");
        assertFree();
    }

    @Test
    void anothersLeaseIsNobodysBusiness() {
        Path installed = TestFiles.folder();
        TestFiles.copyTree(Product.DISTRIBUTION, installed.resolve("berth"));
        Path program = installed.resolve("berth/bin/berth");
        try (UnixUser ada = UnixUser.create("berth-host-ada");
                UnixUser bob = UnixUser.create("berth-host-bob")) {
            Command berthOf =
                    Command.of(program, "--data-dir", berth.dataDirectory().toString());
            try (Running run = berthOf.and("run", "--num-gpus", "1", "--", "id", "-u")
                    .as(ada)
                    .start()) {
                assertThat(run.end().expect(0).text()).isEqualTo(Long.toString(ada.uid()));
            }
            long first = newest().id();
            try (Running run = berthOf.and("run", "--num-gpus", "1", "--", "sleep", "1000")
                    .as(ada)
                    .start()) {
                SubmittedJob job = after(first).await("RUNNING");
                String curl = "curl -s -o /dev/null -w '%{http_code}' --unix-socket "
                        + berth.dataDirectory().resolve("berth.sock") + " http://berth/api/v1/jobs/" + job.id()
                        + "/lease";
                for (String request : List.of(
                        curl + "/exit -d '{\"attempt\":1,\"exitCode\":0}'",
                        curl + " -d '{\"attempt\":1,\"pid\":" + run.pid() + ",\"startTicks\":1,\"shell\":true}'",
                        curl + "'?pid=" + run.pid() + "&startTicks=1'")) {
                    assertThat(Command.of("/bin/sh", "-c", request)
                                    .as(bob)
                                    .run()
                                    .text())
                            .as(request)
                            .isEqualTo("404");
                }
                assertThat(berthOf.and("cancel", job.idText()).as(bob).run().exitCode())
                        .isEqualTo(1);
                assertThat(job.state()).isEqualTo("RUNNING");
                // Bob's own job cannot be answered with a process of Ada's.
                assertThat(Command.of(
                                        "/bin/sh",
                                        "-c",
                                        "exec " + program + " --data-dir " + berth.dataDirectory()
                                                + " lease --shell --num-gpus 1 --pid " + run.pid())
                                .as(bob)
                                .run()
                                .expect(2)
                                .complaint())
                        .contains("is a process of another user");
                run.terminate();
                run.end().expect(143);
                job.await("FAILED");
                assertFree();
            }
        } finally {
            TestFiles.deleteTree(installed);
        }
    }
}
