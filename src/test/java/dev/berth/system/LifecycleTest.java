package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.JsonReading;
import dev.berth.system.fixture.ProjectDirectory;
import dev.berth.system.fixture.Ran;
import dev.berth.system.fixture.Running;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A job from its submit to its end, by the command line, on simulated GPUs. */
@SystemTest
class LifecycleTest {
    private static final Berth BERTH = Berth.on(Engine.ofMachine());

    @BeforeAll
    static void start() {
        BERTH.start("--simulate-gpus", "2");
    }

    @AfterAll
    static void stop() {
        BERTH.close();
    }

    private static Ran follow(ProjectDirectory project, String... words) {
        return BERTH.command("submit", "--follow", "scheduler", project.path().toString())
                .and(words)
                .run();
    }

    @ParameterizedTest(name = "{1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "echo all is well           | 0   | COMPLETED: the program ended with exit code 0",
                "echo all is well; exit 3   | 3   | FAILED: the program ended with exit code 3",
                "echo all is well; kill -9 $$ | 137 | FAILED: the program ended with exit code 137 (SIGKILL)"
            })
    void followingEndsAsTheProgramDoes(String script, int code, String end) {
        Ran followed = follow(BERTH.project(), "--num-gpus", "1", "--", "sh", "-c", script);

        assertThat(followed.expect(code).out()).isEqualTo("all is well\n");
        assertThat(followed.err().lines().toList()).satisfies(lines -> {
            assertThat(lines.getFirst()).contains(" asks for 1 GPU and is first in the queue; ");
            assertThat(lines.getLast()).endsWith(end);
        });
    }

    @Test
    void theTimeLimitEndsAProgram() {
        Ran followed =
                follow(BERTH.project("term.py"), "--time", "1s", "term.py").expect(124);

        assertThat(followed.lines()).containsExactly("ready", "told to end by SIGTERM");
        assertThat(followed.err()).contains("TIMEOUT: stopped at its time limit of 1s");
    }

    @Test
    void followingACancelledJobSaysSo() {
        ProjectDirectory project = BERTH.project("term.py");
        try (Running follow = BERTH.command("submit", "--follow", "scheduler")
                .and(project.path().toString(), "term.py", "--name", "followed")
                .start()) {
            Await.that("the program is ready", () -> follow.said().contains("ready"));
            String id = JsonReading.each(BERTH.run("ps", "--json").json().path("jobs"), "id")
                    .getFirst();
            BERTH.run("cancel", id);

            assertThat(follow.end().expect(130).err()).contains("CANCELLED: cancelled by root");
        }
    }

    @Test
    void anImageThatIsNowhereIsBerthsFailure() {
        Ran followed = follow(BERTH.project(), "--image", "127.0.0.1:9/nobody/home", "true")
                .expect(125);

        assertThat(followed.err())
                .contains("FAILED: image 127.0.0.1:9/nobody/home is not on this machine and cannot be pulled: ");
        assertThat(followed.out()).isEmpty();
    }

    @Test
    void aProgramThatIsNotInTheImageIsToldByName() {
        assertThat(follow(BERTH.project(), "no-such-program").expect(127).out()).contains("no-such-program");
    }

    @Test
    void pythonFilesAndOtherProgramsRunInTheDirectoryWithTheirWords() {
        ProjectDirectory project = BERTH.project()
                .file("main.py", "import os, sys\nprint(sys.argv, os.getcwd(), os.environ['WORD'])\n")
                .file("run.sh", "#!/bin/sh\necho \"$0\" \"$@\" \"$PWD\" \"$WORD\"\n");

        Ran python = follow(project, "main.py", "-e", "WORD=a b", "x y", "--", "--num-gpus", "9", "-q");
        Ran script = follow(project, "-e", "WORD=c d", "./run.sh", "z");

        assertThat(python.expect(0).text()).isEqualTo("['main.py', 'x y', '--num-gpus', '9', '-q'] /workspace a b");
        assertThat(script.expect(0).text()).isEqualTo("./run.sh z /workspace c d");
    }

    @Test
    void laterEditsOfTheDirectoryDoNotReachAQueuedJob() {
        ProjectDirectory project = BERTH.project("record.py").file("main.py", "print('as submitted')\n");
        SubmittedJob holder = BERTH.submit(project, "record.py", "--num-gpus", "2", "--", "gate");
        SubmittedJob queued = BERTH.submit(project, "main.py", "--num-gpus", "1");
        project.file("main.py", "print('as edited')\n");
        holder.awaitBegun();
        assertThat(queued.state()).isEqualTo("QUEUED");
        holder.open();

        assertThat(BERTH.run("wait", queued.idText()).text()).contains("COMPLETED");
        assertThat(BERTH.run("logs", queued.idText()).text()).isEqualTo("as submitted");
    }

    @Test
    void waitStaysForAllAndTellsTheFirstThatWentWrong() {
        ProjectDirectory project = BERTH.project();
        List<String> ids = Stream.of("exit 0", "exit 3", "exit 4", "exit 0")
                .map(script -> BERTH.submit(project, "--", "sh", "-c", script).idText())
                .toList();

        Ran wait = BERTH.command("wait").and(ids.toArray(String[]::new)).run();

        assertThat(wait.expect(3).lines())
                .hasSize(4)
                .allMatch(line -> line.matches("job \\d+ (COMPLETED|FAILED): the program ended with exit code [034]"));
    }

    @Test
    void logsAreLiveWhileTheProgramRunsAndStayWhenItIsOver() {
        SubmittedJob job = BERTH.submit(BERTH.project("count.py"), "count.py", "out", "0");
        try (Running logs = BERTH.command("logs", "-f", job.idText()).start()) {
            Await.that("the log is followed", () -> logs.said().lines().count() > 100);
            assertThat(job.state()).isEqualTo("RUNNING");
            job.open();

            Ran followed = logs.end().expect(0);
            assertThat(followed.out()).isEqualTo(BERTH.run("logs", job.idText()).out());
            assertThat(followed.lines()).hasSize(Integer.parseInt(job.read("lines")));
        }
        Await.that(
                "the container is gone",
                () -> BERTH.engine().containers(job.output()).isEmpty());
        assertThat(BERTH.run("logs", job.idText()).out()).startsWith("1 ").endsWith("x\n");
    }
}
