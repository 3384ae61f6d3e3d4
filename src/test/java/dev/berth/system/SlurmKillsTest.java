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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server that is killed while its jobs are on their way to a real Slurm cluster. */
@SystemTest
class SlurmKillsTest {
    private static final int KILLS = 20;
    private static final int MOST_MILLIS = 600;

    private static final SlurmSite SITE = SlurmSite.start("kills");

    @AfterAll
    static void stop() {
        SITE.close();
    }

    @Test
    @Timeout(1_200)
    void aServerKilledAroundTheHandOverRunsEachJobOnce() {
        long seed = Long.getLong("berth.seed", System.nanoTime());
        SplittableRandom random = new SplittableRandom(seed);
        Path ran = SITE.folder(SITE.ada()).resolve("ran");
        try (Berth berth = SITE.serve(Berth.on(Engine.ofMachine()), SITE.slowPrograms())) {
            ProjectDirectory project = berth.project();
            List<SubmittedJob> jobs = new ArrayList<>();
            for (int number = 1; number <= KILLS; number++) {
                jobs.add(SITE.submit(
                        SITE.ada(),
                        berth,
                        "cluster",
                        project,
                        "sh",
                        "--name",
                        "seed-" + seed,
                        "--",
                        "-c",
                        "echo " + number + " >> " + ran));
                Await.moment(Duration.ofMillis(random.nextInt(MOST_MILLIS)));
                berth.kill();
                SITE.restart(berth);
            }

            for (SubmittedJob job : jobs) {
                Ran wait = SITE.as(SITE.ada(), berth, "wait", job.idText()).run();
                assertThat(wait.exitCode())
                        .as(() -> "job " + job.idText() + ": " + job.sentence() + ", of seed " + seed)
                        .isZero();
            }
            assertThat(TestFiles.lines(ran).stream().map(Integer::valueOf))
                    .as("what ran, of seed %d", seed)
                    .containsExactlyInAnyOrderElementsOf(
                            IntStream.rangeClosed(1, KILLS).boxed().toList());
            assertThat(SITE.names()).as("Slurm's jobs, of seed %d", seed).doesNotHaveDuplicates();
        }
    }
}
