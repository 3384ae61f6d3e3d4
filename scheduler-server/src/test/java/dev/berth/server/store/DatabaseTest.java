package dev.berth.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.server.example.Jobs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How the database file is opened and brought up to date. */
class DatabaseTest {
    @TempDir
    private Path directory;

    private Path file() {
        return directory.resolve("berth.db");
    }

    @Test
    void theWriterSurvivesAPowerCut() throws SQLException {
        try (Connection writer = Database.openWriter(file())) {
            assertThat(Tables.rows(writer, "PRAGMA journal_mode")).containsExactly("wal");
            assertThat(Tables.rows(writer, "PRAGMA synchronous"))
                    .as("2 is FULL: the log is synchronised at each commit")
                    .containsExactly("2");
            assertThat(Tables.rows(writer, "PRAGMA foreign_keys")).containsExactly("1");
            assertThat(writer.getAutoCommit()).isFalse();
        }
    }

    @Test
    void theReaderCannotWrite() throws SQLException {
        new JobStore(file()).close();
        try (Connection reader = Database.openReader(file());
                var statement = reader.createStatement()) {
            assertThatThrownBy(() -> statement.executeUpdate("DELETE FROM server"))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("readonly");
        }
    }

    @Test
    void aFreshDatabaseHasTheNewestSchema() {
        new JobStore(file()).close();
        assertThat(Tables.number(file(), "PRAGMA user_version")).isEqualTo(Database.NEWEST_SCHEMA);
    }

    @Test
    void theNewestSchemaIsTheLastOneThatThereIs() {
        assertThat(Database.class.getResource("schema/%03d.sql".formatted(Database.NEWEST_SCHEMA)))
                .isNotNull();
        assertThat(Database.class.getResource("schema/%03d.sql".formatted(Database.NEWEST_SCHEMA + 1)))
                .isNull();
    }

    @Test
    void openingAgainChangesNothing() {
        try (JobStore store = new JobStore(file())) {
            store.write(Jobs.upTo(Jobs.running(1, 0)));
            store.commit();
        }
        List<String> before = Tables.everything(file());
        new JobStore(file()).close();
        assertThat(Tables.everything(file())).isEqualTo(before).isNotEmpty();
    }

    @Test
    void aSchemaNewerThanThisBerthIsRefusedAndLeftAlone() {
        new JobStore(file()).close();
        Tables.run(file(), "PRAGMA user_version = " + (Database.NEWEST_SCHEMA + 1));
        assertThatThrownBy(() -> new JobStore(file()))
                .isInstanceOf(StoreException.class)
                .hasMessage(
                        "the database has schema %d and this Berth knows up to %d; start the newer Berth that"
                                + " wrote it",
                        Database.NEWEST_SCHEMA + 1, Database.NEWEST_SCHEMA);
        assertThat(Tables.number(file(), "PRAGMA user_version")).isEqualTo(Database.NEWEST_SCHEMA + 1);
    }

    @Test
    void aSchemaThatBreaksOffLeavesTheDatabaseAsItWas() {
        Tables.run(file(), "CREATE TABLE job_event (in_the_way TEXT)");
        assertThatThrownBy(() -> new JobStore(file()))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("cannot be brought up to date");
        assertThat(Tables.rows(file(), "SELECT name FROM sqlite_schema")).containsExactly("job_event");
        assertThat(Tables.number(file(), "PRAGMA user_version")).isZero();
    }

    @Test
    void aFileThatIsNoDatabaseIsRefused() throws IOException {
        Files.writeString(file(), "Ceci n'est pas une base de donnees.".repeat(100));
        assertThatThrownBy(() -> new JobStore(file()))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(file().toString());
    }

    @Test
    void aPlaceWhereNoFileCanBeIsRefused() {
        assertThatThrownBy(() -> new JobStore(directory.resolve("missing/berth.db")))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("cannot be opened");
    }
}
