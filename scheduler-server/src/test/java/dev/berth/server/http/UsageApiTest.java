package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.core.job.StateName;
import dev.berth.server.gpu.GpuProcess;
import dev.berth.server.gpu.GpuReading;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How the GPUs are and were used, over the API. */
class UsageApiTest {
    @TempDir
    private Path directory;

    @AutoClose
    private ServerFixture fixture;

    @BeforeEach
    void open() {
        fixture = new ServerFixture(directory);
    }

    private static GpuReading reading(int percent, GpuProcess... processes) {
        return new GpuReading(percent, 11_848L << 20, 12_287L << 20, 77, 201_500, List.of(processes));
    }

    private JsonNode gpu(int index) {
        return fixture.get("/api/v1/gpus").json().path("gpus").path(index);
    }

    @Test
    void aGpuShowsItsReadingAndWhoIsOnIt() {
        long own = ProcessHandle.current().pid();
        long job = fixture.running(1);
        fixture.show(0, reading(96, new GpuProcess(own, GpuProcess.Kind.COMPUTE, 11_000L << 20)));
        fixture.look();
        JsonNode gpu = gpu(0);
        assertThat(gpu.path("reading").path("utilisationPercent").asInt()).isEqualTo(96);
        assertThat(gpu.path("reading").path("memoryUsedMiB").asInt()).isEqualTo(11_848);
        assertThat(gpu.path("reading").path("temperatureCelsius").asInt()).isEqualTo(77);
        assertThat(gpu.path("reading").path("powerWatts").asInt()).isEqualTo(202);
        assertThat(gpu.path("holders").path(0).path("memoryMiB").asInt()).isEqualTo(11_000);
        JsonNode process = gpu.path("processes").path(0);
        assertThat(process.path("pid").asLong()).isEqualTo(own);
        assertThat(process.path("job").asLong()).isEqualTo(job);
        assertThat(process.path("graphics").asBoolean()).isFalse();
        assertThat(gpu(1).path("reading").isNull()).as("it could not be read").isTrue();
    }

    @Test
    void aGpuHasAHistory() {
        fixture.show(2, reading(40));
        fixture.look();
        JsonNode seconds =
                fixture.get("/api/v1/gpus/2/history?resolution=seconds").json();
        assertThat(seconds.path("stepSeconds").asInt()).isEqualTo(1);
        assertThat(seconds.path("utilisationPercent")).hasSize(3_600);
        assertThat(seconds.path("powerWatts")).hasSize(3_600);
        assertThat(fixture.get("/api/v1/gpus/2/history?resolution=hours&last=3")
                        .json()
                        .path("memoryUsedMiB"))
                .hasSize(3)
                .allSatisfy(value -> assertThat(value.isNull()).isTrue());
        assertThat(fixture.get("/api/v1/gpus/2/history")
                        .json()
                        .path("resolution")
                        .asText())
                .isEqualTo("minutes");
    }

    @Test
    void anOverviewHasWhatTheServerItsGpusAndTheListOfJobsSay() {
        long running = fixture.running(1);
        fixture.show(2, reading(40));
        fixture.look();
        JsonNode overview = fixture.get("/api/v1/overview?seconds=5").json();
        assertThat(overview.path("server"))
                .isEqualTo(fixture.get("/api/v1/server").json());
        assertThat(overview.path("jobs").path("jobs").path(0).path("id").asLong())
                .isEqualTo(running);
        assertThat(overview.path("jobs").path("next").isNull()).isTrue();
        assertThat(overview.path("history"))
                .hasSize(overview.path("server").path("gpus").size());
        assertThat(overview.path("history").path(2).path("uuid"))
                .isEqualTo(overview.path("server").path("gpus").path(2).path("uuid"));
        assertThat(overview.path("history").path(2).path("utilisationPercent")).hasSize(5);
    }

    @Test
    void anOverviewWithoutJobsIsWholeAndOnesBoundsAreHeld() {
        JsonNode overview = fixture.get("/api/v1/overview").json();
        assertThat(overview.path("jobs").path("jobs").isEmpty()).isTrue();
        assertThat(overview.path("history").path(0).path("powerWatts")).hasSize(120);
        assertThat(fixture.get("/api/v1/overview?seconds=3601").status()).isEqualTo(400);
        assertThat(fixture.get("/api/v1/overview?limit=1001").status()).isEqualTo(400);
    }

    @Test
    void aHistoryThatIsNotThereIsRefused() {
        assertThat(fixture.get("/api/v1/gpus/9/history").status()).isEqualTo(404);
        assertThat(fixture.get("/api/v1/gpus/0/history?resolution=days").text())
                .contains("must be seconds, minutes or hours");
        assertThat(fixture.get("/api/v1/gpus/0/history?resolution=seconds&last=3601")
                        .status())
                .isEqualTo(400);
    }

    @Test
    void aJobShowsItsUsageWhileItRunsAndAfterwards() {
        long id = fixture.running(1);
        fixture.show(0, reading(80));
        // Its first millisecond may not be over at the first look.
        JsonNode now = fixture.job(id).path("usage");
        for (int looks = 0; !now.path("meanUtilisationPercent").isInt() && looks < 1_000; looks++) {
            fixture.look();
            now = fixture.job(id).path("usage");
        }
        assertThat(now.path("meanUtilisationPercent").asInt()).isEqualTo(80);
        assertThat(fixture.get("/api/v1/jobs")
                        .json()
                        .path("jobs")
                        .path(0)
                        .path("usage")
                        .path("peakMemoryMiB")
                        .asInt())
                .isEqualTo(11_848);
        fixture.end(id, 0);
        fixture.await(id, StateName.COMPLETED);
        fixture.look();
        JsonNode usage = usageInList();
        assertThat(usage.path("meanUtilisationPercent").asInt()).isEqualTo(80);
        assertThat(usage.path("utilisation")).isNotEmpty();
        assertThat(usage.path("gpuSeconds").isIntegralNumber()).isTrue();
    }

    private JsonNode usageInList() {
        return fixture.get("/api/v1/jobs?scope=ended")
                .json()
                .path("jobs")
                .path(0)
                .path("usage");
    }

    @Test
    void anArrayShowsTheUsageOfItsTasks() {
        long array = fixture.post(
                        "/api/v1/jobs",
                        "{\"command\": [\"main.py\"], \"snapshot\": \"%s\", \"gpus\": 4, \"array\": \"0-1\"}"
                                .formatted(fixture.snapshot()))
                .expect(201)
                .json()
                .path("id")
                .asLong();
        assertThat(fixture.job(array).path("outputDirectory").asText()).isEmpty();
        fixture.await(array + 1, StateName.RUNNING);
        for (int gpu = 0; gpu < 4; gpu++) {
            fixture.show(gpu, reading(80));
        }
        JsonNode now = fixture.job(array).path("usage");
        for (int looks = 0; !now.path("meanUtilisationPercent").isInt() && looks < 1_000; looks++) {
            fixture.look();
            now = fixture.job(array).path("usage");
        }
        assertThat(now.path("meanUtilisationPercent").asInt()).isEqualTo(80);
        fixture.end(array + 1, 0);
        fixture.await(array + 2, StateName.RUNNING);
        fixture.end(array + 2, 0);
        fixture.await(array, StateName.COMPLETED);
        // With no look since, the database does not know of its tasks' usage.
        JsonNode usage = usageInList();
        assertThat(usage.path("peakMemoryMiB").asInt()).isEqualTo(4 * 11_848);
        assertThat(usage).isEqualTo(fixture.job(array).path("usage"));
        assertThat(usage.path("utilisation").isEmpty()).isTrue();
        fixture.look();
        assertThat(usageInList()).isEqualTo(usage);
    }

    @Test
    void aJobWithoutGpusHasNoUsage() {
        assertThat(fixture.job(fixture.running(0)).path("usage").isNull()).isTrue();
    }
}
