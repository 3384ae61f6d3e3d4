package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.server.example.Draft;
import dev.berth.testclient.Answer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code /snapshots} and {@code /contents} over a real socket. */
class SnapshotsApiTest {
    @TempDir
    private Path directory;

    @AutoClose
    private ServerFixture fixture;

    @BeforeEach
    void open() {
        fixture = new ServerFixture(directory);
    }

    private static List<String> missing(JsonNode view) {
        List<String> missing = new ArrayList<>();
        view.path("missing").forEach(digest -> missing.add(digest.asText()));
        return missing;
    }

    private List<Path> kept() throws IOException {
        try (Stream<Path> files = Files.walk(directory.resolve("snapshots"))) {
            return files.filter(Files::isRegularFile).toList();
        }
    }

    private Answer fill(String id, byte[] contents) {
        return fixture.send("/api/v1/contents?snapshot=" + id, contents);
    }

    @Test
    void aDirectoryComesAsAManifestAndThenAsWhatIsMissing() {
        Draft draft = new Draft().file("a", "one").file("b", "two").link("c", "a");
        Answer asked = fixture.upload(draft.bytes());
        assertThat(asked.status()).isEqualTo(200);
        assertThat(asked.json().path("snapshot").asText()).isEqualTo(draft.id());
        assertThat(asked.json().path("files").asInt()).isEqualTo(2);
        assertThat(asked.json().path("bytes").asInt()).isEqualTo(6);
        assertThat(missing(asked.json())).containsExactly(Draft.digest("one"), Draft.digest("two"));

        String submit = "{\"command\": [\"x\"], \"snapshot\": \"" + draft.id() + "\"}";
        assertThat(fixture.post("/api/v1/jobs", submit).message()).contains("is not on this server");

        Answer half = fill(draft.id(), draft.contents(List.of(Draft.digest("two"))));
        assertThat(missing(half.json())).containsExactly(Draft.digest("one"));
        Answer whole = fill(draft.id(), draft.contents(List.of(Draft.digest("one"))));
        assertThat(whole.status()).isEqualTo(200);
        assertThat(missing(whole.json())).isEmpty();
        assertThat(fixture.upload(draft.bytes()).json()).isEqualTo(whole.json());
        assertThat(fixture.post("/api/v1/jobs", submit).status()).isEqualTo(201);
    }

    @Test
    void aHostileManifestIsRefusedAndLeavesNothing() throws IOException {
        Answer answer = fixture.upload(new Draft().file("../evil", "x").bytes());
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.code()).isEqualTo("BAD_SNAPSHOT");
        assertThat(answer.message())
                .startsWith("the directory was not taken: '../evil' is no plain path below the directory");
        assertThat(kept()).isEmpty();
    }

    @Test
    void aContentWithAnotherDigestIsRefusedByName() throws IOException {
        Draft draft = new Draft().file("a", "one");
        assertThat(fixture.upload(draft.bytes()).status()).isEqualTo(200);
        Answer answer = fill(draft.id(), Draft.framed(Draft.digest("one"), "two".getBytes(StandardCharsets.US_ASCII)));
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.code()).isEqualTo("INVALID_CONTENT");
        assertThat(answer.json().path("details").path("digest").asText()).isEqualTo(Draft.digest("one"));
        assertThat(kept()).hasSize(1);
    }

    @Test
    void contentsBelongToAManifest() {
        for (String query : List.of("", "?snapshot=", "?snapshot=../../x", "?snapshot=" + "0".repeat(64))) {
            Answer answer = fixture.send("/api/v1/contents" + query, new byte[0]);
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.message()).contains("is none that waits for contents; post its manifest first");
        }
    }

    @Test
    void tooMuchIsRefusedWithTheNumber() {
        Answer answer = fixture.upload(new Draft()
                .entry(
                        "f",
                        "\"type\":\"file\",\"mode\":\"644\",\"size\":1073741825,\"sha256\":\"" + "0".repeat(64) + "\"")
                .bytes());
        assertThat(answer.status()).isEqualTo(413);
        assertThat(answer.code()).isEqualTo("TOO_LARGE");
        assertThat(answer.message()).endsWith("its files have more than 1 GiB");
    }

    @Test
    void aDiskThatFailsIsToldInTheUsualForm() throws IOException {
        Files.delete(directory.resolve("snapshots"));
        Answer answer = fixture.upload(Draft.EMPTY.getBytes(StandardCharsets.UTF_8));
        assertThat(answer.status()).isEqualTo(500);
        assertThat(answer.code()).isEqualTo("INTERNAL");
    }
}
