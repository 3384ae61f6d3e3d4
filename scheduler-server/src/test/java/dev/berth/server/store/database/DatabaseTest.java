package dev.berth.server.store.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.server.example.Jobs;
import dev.berth.server.store.JobStore;
import dev.berth.server.store.Tables;
import dev.berth.server.store.database.Backup.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
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
                .hasMessageContaining(
                        "it has schema %d and this Berth knows up to %d; use the newer Berth that wrote it",
                        Database.NEWEST_SCHEMA + 1, Database.NEWEST_SCHEMA);
        assertThat(Tables.number(file(), "PRAGMA user_version")).isEqualTo(Database.NEWEST_SCHEMA + 1);
    }

    private void oldDatabase() throws IOException {
        try (InputStream in = Tables.class.getResourceAsStream("schema-001.db")) {
            Files.copy(Objects.requireNonNull(in), file());
        }
    }

    @Test
    void aSchemaThatBreaksOffLeavesTheDatabaseAsItWas() throws IOException {
        oldDatabase();
        Tables.run(file(), "CREATE TABLE token (in_the_way TEXT)");
        List<String> before = Tables.everything(file());
        assertThatThrownBy(() -> new JobStore(file()))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("cannot be brought up to date");
        assertThat(Tables.everything(file())).isEqualTo(before);
        assertThat(Tables.number(file(), "PRAGMA user_version")).isEqualTo(1);
        assertThat(Backups.beside(file()).of(Kind.BEFORE_SCHEMA)).hasSize(1);
    }

    @Test
    void theOldDatabaseIsBackedUpBeforeItsSchemaChanges() throws IOException {
        oldDatabase();
        List<String> before = Tables.everything(file());
        new JobStore(file()).close();
        Backup backup = Backups.beside(file()).newest().orElseThrow();
        assertThat(backup.file().getFileName().toString()).startsWith("berth-before-schema-002-");
        assertThat(Tables.number(backup.file(), "PRAGMA user_version")).isEqualTo(1);
        assertThat(Tables.everything(backup.file())).isEqualTo(before);
        new JobStore(file()).close();
        assertThat(Backups.beside(file()).all())
                .as("another start changes no schema")
                .hasSize(1);
    }

    @Test
    void aDatabaseThatCannotBeBackedUpKeepsItsSchema() throws IOException {
        oldDatabase();
        Files.writeString(directory.resolve("backups"), "in the way");
        assertThatThrownBy(() -> new JobStore(file()))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("is not brought up to schema")
                .hasMessageContaining("because it cannot be backed up before: the backup was not made");
        assertThat(Tables.number(file(), "PRAGMA user_version")).isEqualTo(1);
    }

    @Test
    void oneThatChangedNothingForThreeTriesFillsNoDisk() throws IOException {
        oldDatabase();
        Tables.run(file(), "CREATE TABLE token (in_the_way TEXT)");
        for (int start = 0; start < 5; start++) {
            assertThatThrownBy(() -> new JobStore(file())).isInstanceOf(StoreException.class);
        }
        assertThat(Backups.beside(file()).all()).hasSize(Backups.KEPT_BEFORE_SCHEMA);
    }

    @Test
    void aFreshDatabaseIsMarkedAsOurs() {
        new JobStore(file()).close();
        assertThat(Tables.number(file(), "PRAGMA application_id")).isEqualTo(DatabaseCheck.APPLICATION_ID);
        assertThat(directory.resolve("backups")).isDirectory();
    }

    @Test
    void whatABrokenOffFirstStartLeftIsInNobodysWay() throws IOException {
        Files.writeString(directory.resolve("berth.db.new"), "half a database");
        Files.writeString(directory.resolve("berth.db.new-wal"), "and half a log");
        Files.createFile(file());
        new JobStore(file()).close();
        assertThat(Tables.rows(file(), "PRAGMA integrity_check")).containsExactly("ok");
        assertThat(directory.resolve("berth.db.new")).doesNotExist();
    }

    @Test
    void aLogWithoutItsDatabaseIsNotGivenToANewOne() throws IOException {
        Files.writeString(directory.resolve("berth.db-wal"), "what the database lacks");
        assertThatThrownBy(() -> new JobStore(file()))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("is gone, but " + directory.resolve("berth.db-wal") + " is there");
        assertThat(file()).doesNotExist();
        assertThat(directory.resolve("berth.db-wal")).hasContent("what the database lacks");
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
