package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.ProjectDirectory;
import dev.berth.system.fixture.Ran;
import dev.berth.system.fixture.SlurmSite;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.TestFiles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server that is killed when a real Slurm cluster has a job of its, and it has not recorded that. */
@SystemTest
class SlurmKillsTest {
    private static final int KILLS = 20;

    private static final SlurmSite SITE = SlurmSite.start("kills");

    @AfterAll
    static void stop() {
        SITE.close();
    }

    @Test
    @Timeout(1_200)
    void aServerKilledAroundTheHandOverRunsEachJobOnce() {
        Path folder = SITE.folder(SITE.ada());
        Path ran = folder.resolve("ran");
        Path handed = folder.resolve("handed");
        try (Berth berth = SITE.serve(Berth.on(Engine.ofMachine()), SITE.slowPrograms(handed))) {
            ProjectDirectory project = berth.project();
            List<SubmittedJob> jobs = new ArrayList<>();
            for (int number = 1; number <= KILLS; number++) {
                jobs.add(SITE.submit(
                        SITE.ada(), berth, "cluster", project, "sh", "--", "-c", "echo " + number + " >> " + ran));
                awaitLines(handed, number);
                assertThat(jobs.getLast().isHandedOver()).as("it is recorded").isFalse();
                berth.kill();
                SITE.restart(berth);
            }

            for (SubmittedJob job : jobs) {
                Ran wait = SITE.as(SITE.ada(), berth, "wait", job.idText()).run();
                assertThat(wait.exitCode())
                        .as(() -> "job " + job.idText() + ": " + job.sentence())
                        .isZero();
                assertThat(job.isHandedOver()).isTrue();
            }
            assertThat(TestFiles.lines(ran).stream().map(Integer::valueOf))
                    .as("what ran")
                    .containsExactlyInAnyOrderElementsOf(
                            IntStream.rangeClosed(1, KILLS).boxed().toList());
            assertThat(SITE.names()).as("Slurm's jobs").hasSize(KILLS).doesNotHaveDuplicates();
        }
    }

    private static void awaitLines(Path file, int many) {
        Await.that(
                "Slurm has it",
                () -> file.toFile().exists() && TestFiles.lines(file).size() == many);
    }
}
