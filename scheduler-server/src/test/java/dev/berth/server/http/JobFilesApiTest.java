package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.berth.server.example.Draft;
import dev.berth.testclient.Answer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is in a job's output, over the API. */
class JobFilesApiTest {
    @TempDir
    private Path directory;

    @AutoClose
    private ServerFixture fixture;

    @BeforeEach
    void open() {
        fixture = new ServerFixture(directory);
    }

    @Test
    void aDirectoryIsListedByName() throws IOException {
        long id = fixture.running(1);
        Path output = directory.resolve("users/0/output/" + id);
        Files.createDirectories(output.resolve("model"));
        Files.writeString(output.resolve("model/b.pt"), "123");
        Files.writeString(output.resolve("model/a.pt"), "12345");
        JsonNode list = fixture.get("/api/v1/jobs/" + id + "/files?path=model")
                .expect(200)
                .json();
        assertThat(list.path("path").asText()).isEqualTo("model");
        assertThat(list.path("more").asBoolean()).isFalse();
        assertThat(list.path("files").findValuesAsText("name")).containsExactly("a.pt", "b.pt");
        assertThat(list.path("files").path(0).path("bytes").asLong()).isEqualTo(5);
        assertThat(list.path("files").path(0).path("type").asText()).isEqualTo("file");
    }

    @Test
    void whatIsNotThereIsRefusedByName() throws IOException {
        long id = fixture.running(1);
        Files.createDirectories(directory.resolve("users/0/output/" + id));
        assertThat(fixture.get("/api/v1/jobs/" + id + "/files?path=none").code())
                .isEqualTo("NO_OUTPUT");
        assertThat(fixture.get("/api/v1/jobs/" + id + "/files?path=../7")
                        .expect(400)
                        .json()
                        .path("message")
                        .asText())
                .contains("path", "../7", "below the output directory");
    }

    @Test
    void theSubmittedDirectoryIsListedPageByPage() {
        long id = submitted(new Draft()
                .directory("src")
                .file("src/a.py", "one")
                .file("run.sh", "echo", 0755)
                .link("current", "src"));
        JsonNode list =
                fixture.get("/api/v1/jobs/" + id + "/snapshot").expect(200).json();
        assertThat(list.path("files").findValuesAsText("path"))
                .containsExactlyInAnyOrder("current", "run.sh", "src/a.py");
        assertThat(list.path("next").isNull()).isTrue();
        list.path("files").forEach(file -> {
            boolean isLink = file.path("path").asText().equals("current");
            assertThat(file.path("target").asText("")).isEqualTo(isLink ? "src" : "");
            assertThat(file.path("bytes").isNull()).isEqualTo(isLink);
            assertThat(file.path("executable").asBoolean())
                    .isEqualTo(file.path("path").asText().equals("run.sh"));
        });
        JsonNode page = fixture.get("/api/v1/jobs/" + id + "/snapshot?limit=2")
                .expect(200)
                .json();
        assertThat(page.path("next").asLong()).isEqualTo(2);
        JsonNode last = fixture.get("/api/v1/jobs/" + id + "/snapshot?limit=2&cursor=2")
                .expect(200)
                .json();
        assertThat(last.path("files").path(0)).isEqualTo(list.path("files").path(2));
        assertThat(last.path("next").isNull()).isTrue();
        assertThat(fixture.get("/api/v1/jobs/" + id + "/snapshot?cursor=9")
                        .json()
                        .path("files"))
                .isEmpty();
        assertThat(fixture.get("/api/v1/jobs/" + id + "/snapshot?limit=1001")
                        .expect(400)
                        .message())
                .isEqualTo("limit: '1001' must be a whole number from 1 to 1000");
    }

    @Test
    void theSubmittedDirectoryComesBackAsItWas() throws IOException {
        String large = "x".repeat(200_000);
        long id = submitted(new Draft()
                .directory("src", 0700)
                .file("src/\u00e4.txt", large)
                .file("run.sh", "echo", 0755)
                .link("current", "src/\u00e4.txt"));
        Answer answer = fixture.get("/api/v1/jobs/" + id + "/snapshot/archive").expect(200);
        assertThat(answer.headers()).containsEntry("content-type", "application/x-tar");
        Map<String, String> found = new HashMap<>();
        try (TarArchiveInputStream tar = new TarArchiveInputStream(
                new ByteArrayInputStream(answer.text().getBytes(StandardCharsets.UTF_8)), "UTF-8")) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                String text = entry.isSymbolicLink()
                        ? "-> " + entry.getLinkName()
                        : new String(tar.readAllBytes(), StandardCharsets.UTF_8);
                found.put(entry.getName(), Integer.toOctalString(entry.getMode()) + " " + text);
            }
        }
        assertThat(found)
                .isEqualTo(Map.of(
                        "src/", "700 ",
                        "src/\u00e4.txt", "644 " + large,
                        "run.sh", "755 echo",
                        "current", "777 -> src/\u00e4.txt"));
    }

    /** The page submits a job again with changes so: see rerun.js. */
    @Test
    void theFieldsOfAJobSubmitItOnceMore() throws IOException {
        JsonNode first = fixture.submit("\"gpus\": 1, \"project\": \"ships\", \"tags\": [\"base\"], \"cpuMilli\": 1000,"
                        + " \"memoryBytes\": 1073741824, \"shmBytes\": 1048576, \"timeLimitSeconds\": 60,"
                        + " \"idleTimeoutSeconds\": 600, \"signal\": \"USR1@30\", \"graceSeconds\": 5, \"network\": \"none\","
                        + " \"requeue\": true, \"retries\": 2, \"retryOn\": [\"oom\"], \"retryDelay\": \"60\","
                        + " \"workingDirectory\": \"/workspace\"")
                .expect(201)
                .json();
        ObjectNode again = (ObjectNode) new ObjectMapper().readTree("{}");
        for (String field :
                List.of(("command snapshot name gpus timeLimitSeconds project tags image pull volumes workingDirectory"
                                + " gpuMemoryBytes gpuType gpuLabels cpuMilli cpuGuaranteeMilli memoryBytes"
                                + " memoryGuaranteeBytes nice shmBytes idleTimeoutSeconds signal graceSeconds network"
                                + " requeue retries retryOn retryDelay retryPlace track")
                        .split(" "))) {
            JsonNode value = first.path(field);
            assertThat(value.isMissingNode()).as(field).isFalse();
            if (!value.isNull() && !(value.isArray() && value.isEmpty())) {
                again.set(field, value);
            }
        }
        JsonNode second =
                fixture.post("/api/v1/jobs", again.toString()).expect(201).json();
        again.fieldNames()
                .forEachRemaining(
                        field -> assertThat(second.path(field)).as(field).isEqualTo(first.path(field)));
    }

    private long submitted(Draft draft) {
        String snapshot = fixture.snapshot(draft);
        return fixture.post("/api/v1/jobs", "{\"command\": [\"true\"], \"snapshot\": \"" + snapshot + "\"}")
                .expect(201)
                .json()
                .path("id")
                .asLong();
    }
}
