package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.testclient.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code /server/backup} and {@code /server/check} on a server that goes on. */
@Timeout(60)
class DatabaseApiTest {
    @TempDir
    private Path directory;

    @AutoClose
    private ServerFixture fixture;

    @BeforeEach
    void open() {
        fixture = new ServerFixture(directory);
    }

    private Answer backUp(String file) {
        return fixture.post("/api/v1/server/backup", "{\"file\": \"" + file + "\"}");
    }

    @Test
    void aBackupIsMadeInItsOwnPlace() throws IOException {
        long id = fixture.running(1);
        Answer answer = fixture.post("/api/v1/server/backup", "{}");
        assertThat(answer.status()).isEqualTo(201);
        JsonNode backup = answer.json();
        Path file = Path.of(backup.path("file").asText());
        assertThat(file.getParent()).isEqualTo(directory.resolve("backups"));
        assertThat(Files.size(file)).isEqualTo(backup.path("bytes").asLong());
        fixture.end(id, 0);
        assertThat(fixture.submitted(1)).isEqualTo(id + 1);
    }

    @Test
    void orWhereItIsAskedFor(@TempDir Path elsewhere) {
        Path file = elsewhere.resolve("tonight.db");
        assertThat(backUp(file.toString()).status()).isEqualTo(201);
        assertThat(file).isNotEmptyFile();
        Answer again = backUp(file.toString());
        assertThat(again.status()).isEqualTo(409);
        assertThat(again.code()).isEqualTo("FILE_EXISTS");
    }

    @ParameterizedTest
    @ValueSource(strings = {"tonight.db", "../tonight.db", "", "a\\u0000b", "/tmp/\\u0000"})
    void aPlaceThatIsNoWholePathIsRefused(String file) throws IOException {
        Answer answer = backUp(file);
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.code()).isEqualTo("INVALID_FIELD");
        assertNothingMade();
    }

    @Test
    void aPlaceThatCannotBeIsRefused() throws IOException {
        for (String file : List.of("/no/such/place.db", "/", "/" + "d/".repeat(1_500) + "b")) {
            Answer answer = backUp(file);
            assertThat(answer.status()).as("%s", file).isEqualTo(422);
            assertThat(answer.code()).isEqualTo("BAD_PLACE");
        }
        assertNothingMade();
    }

    private void assertNothingMade() throws IOException {
        try (Stream<Path> files = Files.list(directory.resolve("backups"))) {
            assertThat(files).isEmpty();
        }
    }

    @Test
    void aWholeDatabaseIsFoundWhole() {
        Answer answer = fixture.post("/api/v1/server/check", "{}");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.json().path("whole").asBoolean()).isTrue();
        assertThat(answer.json().path("problems")).isEmpty();
        assertThat(answer.json().path("sentence").asText())
                .isEqualTo("the database " + directory.resolve("berth.db") + " is whole");
    }
}
