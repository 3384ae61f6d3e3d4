package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.KubernetesSite;
import dev.berth.system.fixture.ProjectDirectory;
import dev.berth.system.fixture.Ran;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** A Kubernetes cluster whose API server is away, and a server of Berth's that is killed around a hand-over to it. */
@SystemTest
class KubernetesOutageTest {
    private static final int KILLS = 5;

    private static final KubernetesSite SITE = KubernetesSite.start();
    private static final Berth BERTH = SITE.serve(Berth.on(Engine.ofMachine()));
    private static final ProjectDirectory PROJECT = BERTH.project();

    @AfterAll
    static void stop() {
        try (SITE;
                BERTH) {
            SITE.server().away(false);
        }
    }

    private static SubmittedJob submit(int gpus, String line) {
        Ran submit = BERTH.command(
                        "submit",
                        "--json",
                        "k8s",
                        PROJECT.path().toString(),
                        "sh",
                        "--image",
                        Engine.IMAGE,
                        "--num-gpus",
                        "" + gpus,
                        "--",
                        "-c",
                        line)
                .run()
                .expect(0);
        return SubmittedJob.of(BERTH, submit.json());
    }

    private static void assertEnded(SubmittedJob job, int code) {
        assertThat(BERTH.command("wait", job.idText()).run().exitCode())
                .as(job::sentence)
                .isEqualTo(code);
    }

    @Test
    void jobsOutliveTheApiServersOutage() {
        long before = SITE.pods();
        SubmittedJob running = submit(4, "echo begun; sleep 4; echo over; exit 5");
        SubmittedJob waiting = submit(4, "echo second");
        SubmittedJob cancelled = submit(4, "echo never");
        running.await("RUNNING");
        Await.that("Kubernetes' words", () -> cancelled.sentence().startsWith("Kubernetes has no node for it"));

        SubmittedJob late;
        SITE.server().away(true);
        try {
            Await.that("it is told", () -> waiting.sentence().contains("target k8s does not answer"));
            assertThat(BERTH.run("explain", waiting.idText()).out()).contains("target k8s does not answer");
            assertThat(running.state()).isEqualTo("RUNNING");
            Ran _ = BERTH.run("cancel", cancelled.idText());
            late = submit(0, "echo late");
            Await.that("a program ends there meanwhile", SITE::hasFailedPod);
        } finally {
            SITE.server().away(false);
        }

        assertEnded(running, 5);
        assertEnded(waiting, 0);
        assertEnded(late, 0);
        assertEnded(cancelled, 130);
        assertThat(BERTH.run("logs", running.idText()).out()).isEqualTo("begun\nover\n");
        assertThat(BERTH.run("logs", waiting.idText()).out()).isEqualTo("second\n");
        assertThat(SITE.pods()).as("pods").isEqualTo(before + 4);
    }

    /** What is cancelled meanwhile is the next server's to end. */
    @Test
    void theServerEndsWithItsJobsWhileTheApiServerIsAway() {
        SubmittedJob running = submit(0, "sleep 600");
        running.await("RUNNING");
        SITE.server().away(true);
        try {
            BERTH.stop("--stop-jobs");
        } finally {
            SITE.server().away(false);
        }
        SITE.restart(BERTH);
        assertEnded(running, 130);
    }

    @Test
    void aServerKilledAroundTheHandOverRunsEachJobOnce() {
        long before = SITE.pods();
        List<SubmittedJob> jobs = new ArrayList<>();
        for (int number = 1; number <= KILLS; number++) {
            // The Job is made, and Berth's server does not come to hear of it.
            SITE.server().awayAfter(KubernetesSite.MAKE_JOB);
            jobs.add(submit(0, "echo once"));
            long made = before + number;
            Await.that("its pod is there", () -> SITE.pods() == made);
            assertThat(jobs.getLast().isHandedOver()).as("it is recorded").isFalse();
            BERTH.kill();
            SITE.server().away(false);
            SITE.restart(BERTH);
        }
        for (SubmittedJob job : jobs) {
            assertEnded(job, 0);
            assertThat(job.isHandedOver()).isTrue();
            assertThat(BERTH.run("logs", job.idText()).out()).isEqualTo("once\n");
        }
        assertThat(SITE.pods()).as("pods").isEqualTo(before + KILLS);
    }
}
