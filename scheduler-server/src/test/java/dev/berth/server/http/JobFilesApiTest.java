package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
}
