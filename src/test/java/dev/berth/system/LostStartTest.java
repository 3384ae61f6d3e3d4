package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.DeadlyRuntime;
import dev.berth.system.fixture.OwnEngine;
import dev.berth.system.fixture.ProjectDirectory;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.TestFiles;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The engine, or a part of it, ends in the middle of a start, and what is left knows nothing of it: law 4, one start. */
@SystemTest
class LostStartTest {
    /** {@code gpus.max-failed-starts}, where nobody says otherwise. */
    private static final int FAILED_STARTS = 3;

    private static OwnEngine engine;
    private static DeadlyRuntime runtime;

    private static Berth berth;
    private static ProjectDirectory project;

    @BeforeAll
    static void startEngineAndServer() {
        engine = OwnEngine.start(1).keepContainers(true);
        runtime = DeadlyRuntime.of(engine);
        berth = Berth.on(engine.engine());
        berth.start("-g");
        project = berth.project("record.py");
    }

    @AfterAll
    static void removeServerAndEngine() {
        try (OwnEngine _ = engine;
                Berth _ = berth) {
            runtime.disarm();
        }
    }

    @AfterEach
    void disarm() {
        runtime.disarm();
    }

    private static List<String> starts(SubmittedJob job) {
        return Files.exists(job.output().resolve("starts"))
                ? TestFiles.lines(job.output().resolve("starts"))
                : List.of();
    }

    /** A job whose engine dies at this moment of its start. */
    private static SubmittedJob killedAt(String moment, String... more) {
        runtime.arm(moment, 0);
        List<String> words = new ArrayList<>(List.of("record.py", "--num-gpus", "1"));
        words.addAll(List.of(more));
        SubmittedJob job = berth.submit(project, words.toArray(String[]::new));
        engine.awaitDeath();
        return job;
    }

    private static void assertLost(SubmittedJob job) {
        job.await("LOST");
        assertThat(job.view().path("reason").asText()).isEqualTo("ENGINE_STOPPED");
        assertThat(job.sentence())
                .startsWith(
                        "the container engine, a part of it or the connection to it ended while it was to start the program, so nobody knows"
                                + " whether it ran");
    }

    /** The GPU is free again: what comes next runs on it. */
    private static void assertGoesOn() {
        berth.submit(project, "record.py", "--num-gpus", "1", "--", "0").awaitCompleted();
    }

    @Test
    void aProgramThatEndedBeforeTheEngineWasBackIsNotStartedAgain() {
        SubmittedJob job = killedAt("start after", "--", "0");
        job.awaitFile("record.json");
        engine.startAgain();
        assertLost(job);
        assertThat(starts(job)).hasSize(1);
        assertGoesOn();
    }

    @Test
    void aProgramThatStillRunsIsEndedAndNotStartedAgain() {
        SubmittedJob job = killedAt("start after", "--", "gate");
        job.awaitBegun();
        engine.startAgain();
        assertLost(job);
        assertThat(starts(job)).hasSize(1);
        assertThat(TestFiles.processesNaming(job.output())).isEmpty();
        assertGoesOn();
    }

    @Test
    void withRequeueItIsStartedInANewAttempt() {
        SubmittedJob job = killedAt("start after", "--requeue", "--", "0");
        job.awaitFile("record.json");
        engine.startAgain();
        job.awaitCompleted();
        assertThat(job.view().path("attempt").asInt()).isEqualTo(2);
        assertThat(starts(job)).hasSize(2);
    }

    /** Before the program, so that it may have begun for all that anybody knows, or has not yet when the engine dies. */
    @ParameterizedTest
    @ValueSource(strings = {"create before", "create after", "start before"})
    void whereverTheEngineDiesItIsStartedOnceAtMost(String moment) {
        SubmittedJob job = killedAt(moment, "--", "0");
        engine.startAgain();
        assertLost(job);
        assertThat(starts(job)).hasSizeLessThanOrEqualTo(1);
        assertGoesOn();
    }

    @Test
    void theServerIsKilledWithTheEngine() {
        SubmittedJob job = killedAt("start after", "--", "0");
        berth.kill();
        job.awaitFile("record.json");
        engine.startAgain();
        berth.start("-g");
        assertLost(job);
        assertThat(starts(job)).hasSize(1);
        assertGoesOn();
    }

    /** The engine goes on, and answers with an error, {@code OCI runtime start failed}; it calls the container created. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aProgramWhoseRuntimeFailsAfterItHasStartedItIsNotStartedAgain(boolean isKilled) {
        if (isKilled) {
            runtime.armForItself("start after");
        } else {
            runtime.armForError("start after");
        }
        SubmittedJob job = berth.submit(project, "record.py", "--num-gpus", "1", "--", "0");
        job.awaitFile("record.json");
        runtime.tell();
        assertLost(job);
        assertThat(job.sentence()).contains(" (it said: ").doesNotContain("OCI runtime start failed");
        assertThat(job.view().path("details").asText()).contains(" (it said: OCI runtime start failed: ");
        assertThat(starts(job)).hasSize(1);
        assertGoesOn();
    }

    /** The engine goes on, and calls the program killed, or its start failed. */
    @Test
    void aProgramWhoseShimDiesAfterItHasStartedItIsNotStartedAgain() {
        runtime.armForShim("start after", 0);
        SubmittedJob job = berth.submit(project, "record.py", "--num-gpus", "1", "--", "gate");
        Await.that("the shim is dead", runtime::hasStruck);
        job.await("LOST", "FAILED");
        assertThat(starts(job)).hasSizeLessThanOrEqualTo(1);
        assertThat(job.view().path("attempt").asInt()).isEqualTo(1);
        assertGoesOn();
    }

    @Test
    void aProgramThatRunsOnAsItsRuntimeFailsIsEnded() {
        runtime.armForError("start after", 0);
        SubmittedJob job = berth.submit(project, "record.py", "--num-gpus", "1", "--", "gate");
        assertLost(job);
        assertThat(starts(job)).hasSizeLessThanOrEqualTo(1);
        assertThat(TestFiles.processesNaming(job.output())).isEmpty();
        assertGoesOn();
    }

    /** No whole queue is lost on it: Berth's own test container fails on the GPU as well, which is drained. */
    @Test
    void aRuntimeThatFailsAtEachStartHasItsGpuDrained() {
        runtime.failEachStart(true);
        for (int i = 0; i < FAILED_STARTS; i++) {
            SubmittedJob job = berth.submit(project, "record.py", "--num-gpus", "1", "--", "0");
            assertLost(job);
            assertThat(starts(job)).hasSizeLessThanOrEqualTo(1);
        }
        SubmittedJob waiting = berth.submit(project, "record.py", "--num-gpus", "1", "--", "0");
        Await.that(
                "its GPU is drained",
                () -> waiting.view().path("reason").asText().equals("GPU_DRAINED"));
        runtime.failEachStart(false);
        berth.run("gpus", "resume", "0").expect(0);
        waiting.awaitCompleted();
    }

    /** The engine goes on: what it says of a start that an earlier server asked for is true. */
    @Test
    void theServerAloneIsKilledInTheMiddleOfAStart() {
        for (int round = 0; round < 3; round++) {
            SubmittedJob job = berth.submit(project, "record.py", "--num-gpus", "1", "--", "0");
            Await.that("it is to start", () -> !job.state().equals("QUEUED"));
            berth.kill();
            berth.start("-g");
            job.awaitCompleted();
            assertThat(starts(job)).hasSize(1);
        }
    }
}
