package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.ProjectDirectory;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.WithGpus;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What programs in containers tell, whatever happens to the server meanwhile. */
@SystemTest
class TrackingTest {
    private static final int POINTS = 1_000_000;
    private static final int KILLS = 5;

    /** A step a twentieth of a second. */
    private static final int STEPS = 120;

    private static JsonNode told(Berth berth, SubmittedJob job) {
        return berth.api().get("/jobs/" + job.idText() + "/tracking").json();
    }

    private static long count(JsonNode told) {
        return told.path("metrics").path(0).path("count").asLong();
    }

    @Test
    void eachPointIsThereOnceHoweverOftenTheServerIsKilled(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g");
            ProjectDirectory project = berth.project("tell.py");
            SubmittedJob job = berth.submit(project, "tell.py", Integer.toString(POINTS));
            for (int kill = 1; kill <= KILLS; kill++) {
                long least = (long) kill * POINTS / (KILLS + 4);
                Await.that(least + " points are kept", () -> count(told(berth, job)) >= least);
                berth.kill();
                berth.start("-g");
            }
            job.awaitCompleted();

            assertThat(count(told(berth, job))).isEqualTo(POINTS);
            assertStepsOnce(berth, job, "loss", POINTS);
            assertThat(berth.run("metrics", job.idText()).expect(0).out())
                    .contains("loss     999999   999999   0 @0   999999 @999999   1000000");
        }
    }

    /** Each step is there, in order and once. */
    private static void assertStepsOnce(Berth berth, SubmittedJob job, String metric, int count) {
        int next = 0;
        for (JsonNode page = points(berth, job, metric, 0); ; page = points(berth, job, metric, next)) {
            for (JsonNode point : page.path("points")) {
                assertThat(point.path("step").asInt()).as(metric).isEqualTo(next);
                next++;
            }
            if (page.path("next").isNull()) {
                break;
            }
        }
        assertThat(next).as(metric).isEqualTo(count);
    }

    private static JsonNode points(Berth berth, SubmittedJob job, String metric, int after) {
        return berth.api()
                .get("/jobs/" + job.idText() + "/points?metric=" + metric + "&after=" + after)
                .json();
    }

    @Test
    void whatTrainingCodeWritesForOthersIsThereOnceHoweverOftenTheServerIsKilled(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g");
            SubmittedJob job = berth.submit(
                    berth.project("curves.py"),
                    "--track",
                    "tensorboard,csv,stdout",
                    "curves.py",
                    Integer.toString(STEPS));
            for (int kill = 1; kill <= 2; kill++) {
                long before = kill == 1 ? 0 : count(told(berth, job));
                if (kill > 1) {
                    job.open(kill - 1);
                }
                Await.that("more points are kept", () -> count(told(berth, job)) > before);
                berth.kill();
                berth.start("-g");
            }
            job.open(2);
            job.awaitCompleted();

            assertStepsOnce(berth, job, "loss", STEPS);
            assertStepsOnce(berth, job, "validation/loss", STEPS);
            assertStepsOnce(berth, job, "reward", STEPS);
            assertStepsOnce(berth, job, "spoken", STEPS);
            assertThat(told(berth, job).path("warnings")).isEmpty();
        }
    }

    @Test
    void whatNoServerShouldHaveToBearIsLeftOutAndNamed(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g");
            SubmittedJob job = berth.submit(berth.project("tell.py"), "tell.py", "hostile");
            Await.that(
                    "all that its bounds allow is read",
                    () -> told(berth, job).path("metrics").size() == 1_000
                            && told(berth, job).path("warnings").toString().contains("no JSON object"));
            job.open();
            job.awaitCompleted();

            JsonNode told = told(berth, job);
            assertThat(told.path("tags").has("after")).isTrue();
            assertThat(told.path("metrics")).hasSize(1_000);
            List<String> warnings = new ArrayList<>();
            told.path("warnings").forEach(warning -> warnings.add(warning.asText()));
            assertThat(warnings)
                    .anySatisfy(warning -> assertThat(warning).startsWith("A line is longer than 65,536 bytes."))
                    .anySatisfy(warning -> assertThat(warning).startsWith("it has told more than 1000 metrics"))
                    .anySatisfy(warning -> assertThat(warning).contains("was cut"));
            assertThat(berth.run("logs", job.idText()).expect(0).out()).isEmpty();
            assertThat(berth.run("ps").expect(0).err()).doesNotContain("failing");
        }
    }
}
