package dev.berth.server.store.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.berth.core.job.JobId;
import dev.berth.server.example.Jobs;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.JobStore;
import dev.berth.server.store.Notice;
import dev.berth.server.store.Tables;
import dev.berth.server.store.database.Backup.Kind;
import dev.berth.server.store.database.Restoration.Restored;
import dev.berth.server.store.track.TrackStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Backups of a database in use, and the way back. */
class BackupsTest {
    private static final Instant NOW = Instant.parse("2026-11-21T03:00:00Z");

    @TempDir
    private Path directory;

    private Path file = Path.of("");
    private Backups backups = Backups.beside(Path.of("/nonexistent/berth.db"));

    @AutoClose
    private JobStore store;

    @BeforeEach
    void open() {
        file = directory.resolve("berth.db");
        backups = Backups.beside(file);
        store = new JobStore(file);
        add(1);
        add(2);
    }

    private void add(long id) {
        store.write(Jobs.upTo(Jobs.running(id, 0)));
        store.commit();
    }

    private static List<String> names(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(each -> String.valueOf(each.getFileName()))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void aBackupHoldsWhatIsCommittedAndNothingElse() throws Exception {
        store.write(Jobs.upTo(Jobs.queued(3, 1)));
        Backup backup = backups.make(Kind.ASKED, NOW);
        assertThat(backup.file()).isEqualTo(directory.resolve("backups/berth-20261121T030000Z.db"));
        assertThat(Tables.rows(backup.file(), "SELECT id FROM job ORDER BY id")).containsExactly("1", "2");
        assertThat(Tables.rows(backup.file(), "PRAGMA integrity_check")).containsExactly("ok");
        assertThat(Tables.number(backup.file(), "PRAGMA application_id")).isEqualTo(DatabaseCheck.APPLICATION_ID);
        store.commit();
        assertThat(names(directory.resolve("backups"))).containsExactly("berth-20261121T030000Z.db");
    }

    /** What jobs told, as far as a text of its own tells one state from another. */
    private void tell(String parameter) {
        try (TrackStore told = new TrackStore(directory.resolve("tracking.db"))) {
            told.given(new JobId(1), Map.of("state", parameter), List.of());
        }
    }

    @Test
    void whatJobsToldGoesWithABackupAndComesBackWithIt(@TempDir Path elsewhere) throws Exception {
        tell("early");
        Backup backup = backups.make(Kind.ASKED, NOW);
        Path copy = directory.resolve("backups/berth-20261121T030000Z.tracking.db");
        assertThat(Tables.rows(copy, "SELECT value FROM parameter")).containsExactly("early");
        Backup other = backups.writeTo(elsewhere.resolve("tonight.db"), NOW);
        assertThat(names(elsewhere)).containsExactly("tonight.db", "tonight.tracking.db");
        assertThat(backups.all()).containsExactly(backup);
        Files.delete(directory.resolve("tracking.db"));
        tell("late");
        store.close();
        Restored _ = new Restoration(file).from(other.file(), NOW);
        assertThat(Tables.rows(directory.resolve("tracking.db"), "SELECT value FROM parameter"))
                .containsExactly("early");
        assertThat(Tables.rows(
                        directory.resolve("tracking-replaced-20261121T030000Z.db"), "SELECT value FROM parameter"))
                .containsExactly("late");
        Files.delete(elsewhere.resolve("tonight.tracking.db"));
        Restored _ = new Restoration(file).from(other.file(), NOW);
        assertThat(directory.resolve("tracking.db"))
                .as("what was told after that backup is set aside")
                .doesNotExist();
    }

    @Test
    void whatJobsToldGoesWithItsBackup() throws Exception {
        tell("early");
        for (int day = 0; day < 3; day++) {
            Backup _ = backups.make(Kind.DAILY, NOW.plus(Duration.ofDays(day)));
        }
        backups.prune(Kind.DAILY, 1, NOW.plus(Duration.ofDays(3)));
        assertThat(names(directory.resolve("backups")))
                .containsExactly("berth-daily-20261123T030000Z.db", "berth-daily-20261123T030000Z.tracking.db");
    }

    @Test
    void aBackupIsMadeWithoutWhatJobsToldWhereThatIsDamaged() throws Exception {
        Files.writeString(directory.resolve("tracking.db"), "no database".repeat(1_000));
        Backup backup = backups.make(Kind.ASKED, NOW);
        assertThat(names(directory.resolve("backups")))
                .containsExactly(String.valueOf(backup.file().getFileName()));
    }

    @Test
    void twoOfOneSecondDoNotMeet() throws Exception {
        Backup first = backups.make(Kind.ASKED, NOW);
        Backup second = backups.make(Kind.ASKED, NOW);
        assertThat(second.file()).isNotEqualTo(first.file());
        assertThat(backups.all()).containsExactlyInAnyOrder(first, second);
    }

    @Test
    void aPlaceOfOnesChoiceGetsOneToo(@TempDir Path elsewhere) throws Exception {
        Path place = elsewhere.resolve("tonight.db");
        Backup _ = backups.writeTo(place, NOW);
        assertThat(Tables.rows(place, "SELECT id FROM job ORDER BY id")).containsExactly("1", "2");
        assertThat(names(elsewhere)).containsExactly("tonight.db");
        assertThat(names(directory.resolve("backups"))).isEmpty();
    }

    /** /dev/shm is another file system, where no second name can be given to the copy. */
    @Test
    void alsoOnAnotherFileSystem() throws Exception {
        Path elsewhere = Files.createTempDirectory(Path.of("/dev/shm"), "berth-test-");
        Path place = elsewhere.resolve("tonight.db");
        try {
            Backup _ = backups.writeTo(place, NOW);
            assertThat(Tables.rows(place, "SELECT id FROM job ORDER BY id")).containsExactly("1", "2");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(place)))
                    .isEqualTo("rw-------");
            assertThat(names(elsewhere)).containsExactly("tonight.db");
        } finally {
            Files.deleteIfExists(place);
            Files.delete(elsewhere);
        }
    }

    /** Whose directory it is puts a link to another one in its place, once it has been looked at. */
    @ParameterizedTest
    @ValueSource(strings = {"/tmp", "/dev/shm"})
    void aDirectoryThatIsExchangedDoesNotHaveTheFileGoElsewhere(String fileSystem, @TempDir Path elsewhere)
            throws Exception {
        Path top = Files.createTempDirectory(Path.of(fileSystem), "berth-test-");
        Path named = Files.createDirectory(top.resolve("named"));
        Path aside = top.resolve("aside");
        Path whole = Files.writeString(directory.resolve("whole"), "a copy");
        Path place = named.resolve("tonight.db");
        try (BackupFile target = BackupFile.in(place)) {
            target.requireFree();
            Files.move(named, aside);
            Files.createSymbolicLink(named, elsewhere);
            target.take(whole);
            assertThat(names(elsewhere)).isEmpty();
            assertThat(names(aside)).containsExactly("tonight.db");
            assertThat(aside.resolve("tonight.db")).hasContent("a copy");
            BackupException taken = catchThrowableOfType(BackupException.class, () -> target.take(whole));
            assertThat(taken.sentence()).startsWith("there is a file " + place + " already");
            assertThat(names(aside)).containsExactly("tonight.db");
        } finally {
            Files.deleteIfExists(aside.resolve("tonight.db"));
            Files.deleteIfExists(aside);
            Files.deleteIfExists(named);
            Files.delete(top);
        }
    }

    @Test
    void nothingIsWrittenOverAndNoNameIsFollowed(@TempDir Path elsewhere) throws IOException {
        Path taken = Files.writeString(elsewhere.resolve("taken"), "mine");
        Path link = Files.createSymbolicLink(elsewhere.resolve("link"), elsewhere.resolve("not-there"));
        for (Path place : List.of(taken, link, elsewhere)) {
            assertRefused(place, BackupException.Kind.FILE_EXISTS, "there is a file " + place + " already");
        }
        assertThat(taken).hasContent("mine");
        assertThat(elsewhere.resolve("not-there")).doesNotExist();
    }

    @Test
    void aPlaceWithoutDirectoryIsRefused() {
        assertRefused(
                directory.resolve("no/where.db"), BackupException.Kind.BAD_PLACE, "there is no directory " + directory);
        assertRefused(Path.of("relative.db"), BackupException.Kind.BAD_PLACE, "it must be a whole path");
        assertRefused(Path.of("/"), BackupException.Kind.BAD_PLACE, "it must be a whole path");
    }

    private void assertRefused(Path place, BackupException.Kind kind, String said) {
        BackupException refusal = catchThrowableOfType(BackupException.class, () -> backups.writeTo(place, NOW));
        assertThat(refusal).as("%s", place).isNotNull();
        assertThat(refusal.kind()).isEqualTo(kind);
        assertThat(refusal.sentence()).contains(said);
        assertThat(backups.all()).isEmpty();
    }

    @Test
    void onlyTheOldestOfTheirKindGo() throws Exception {
        for (int day = 0; day < 5; day++) {
            Backup _ = backups.make(Kind.DAILY, NOW.plus(Duration.ofDays(day)));
        }
        Backup asked = backups.make(Kind.ASKED, NOW.minus(Duration.ofDays(9)));
        backups.prune(Kind.DAILY, 2, NOW.plus(Duration.ofDays(4)));
        assertThat(backups.all())
                .extracting(Backup::madeAt)
                .containsExactly(NOW.plus(Duration.ofDays(4)), NOW.plus(Duration.ofDays(3)), asked.madeAt());
    }

    @Test
    void askedOnesHaveABound() throws Exception {
        for (int number = 0; number < Backups.MAX_ASKED; number++) {
            Files.createFile(backups.directory().resolve(Backup.name(Kind.ASKED, "", NOW.plusSeconds(number))));
        }
        BackupException refusal = catchThrowableOfType(BackupException.class, () -> backups.make(Kind.ASKED, NOW));
        assertThat(refusal.kind()).isEqualTo(BackupException.Kind.TOO_MANY_BACKUPS);
        assertThat(backups.make(Kind.DAILY, NOW).file()).exists();
    }

    @Test
    void whatItsOutboxHeldIsMarkedAsRepeatedWhenABackupComesBack() throws Exception {
        String hook = "https://example.org/hook";
        Notice notice = new Notice(0, "key", Jobs.ADA.uid(), new JobId(1), 1, "end", hook, "{}", NOW, 0, 0);
        store.keepNotices(List.of(notice), List.of(), 0);
        store.commit();
        backups.make(Kind.ASKED, NOW);
        store.close();
        Restored _ = new Restoration(file).from(null, NOW.plusSeconds(90));
        assertThat(names(directory)).noneMatch(name -> name.contains("restored") || name.startsWith("berth.db-"));
        try (JobQueries queries = new JobQueries(file)) {
            assertThat(queries.notices(Jobs.ADA.uid(), hook, 9)).singleElement().satisfies(kept -> {
                assertThat(kept.key()).isEqualTo("key");
                assertThat(kept.sendings()).isEqualTo(1);
            });
        }
    }

    @Test
    void theNewestGoodOneComesBackAndWhatWasThereIsKept() throws Exception {
        Backup old = backups.make(Kind.DAILY, NOW.minus(Duration.ofDays(1)));
        add(3);
        Backup good = backups.make(Kind.DAILY, NOW);
        Backup bad = backups.make(Kind.ASKED, NOW.plusSeconds(60));
        Files.writeString(bad.file(), "x".repeat(9_000));
        add(4);
        store.close();
        Files.writeString(file, "broken");
        Files.writeString(directory.resolve("berth.db-wal"), "broken too");

        Restored restored = new Restoration(file).from(null, NOW.plusSeconds(90));

        assertThat(restored.backup()).isEqualTo(good.file()).isNotEqualTo(old.file());
        assertThat(restored.jobs()).isEqualTo(3);
        assertThat(restored.newestJob()).isEqualTo(3);
        assertThat(restored.newestAt()).isEqualTo(Jobs.SUBMITTED);
        assertThat(restored.passedOver())
                .singleElement()
                .asString()
                .startsWith(bad.file().getFileName() + ": ");
        assertThat(restored.setAside()).isEqualTo(directory.resolve("berth-replaced-20261121T030130Z.db"));
        assertThat(restored.setAside()).hasContent("broken");
        assertThat(directory.resolve("berth-replaced-20261121T030130Z.db-wal")).hasContent("broken too");
        assertThat(good.file()).exists();
        store = new JobStore(file);
        assertThat(store.find(new JobId(3))).isPresent();
        assertThat(store.find(new JobId(4))).isEmpty();
        add(4);
    }

    /** As where the machine began with a wrong date: it would be the newest for years. */
    @Test
    void oneWhoseDateIsStillToComeComesBackOnlyWhereThereIsNoOther() throws Exception {
        Backup ahead = backups.make(Kind.ASKED, NOW.plus(Duration.ofDays(3_000)));
        Backup good = backups.make(Kind.DAILY, NOW);
        store.close();
        Restored restored = new Restoration(file).from(null, NOW.plusSeconds(90));
        assertThat(restored.backup()).isEqualTo(good.file());
        assertThat(restored.passedOver()).containsExactly(ahead.file().getFileName() + ": its date is still to come");
        Files.delete(good.file());
        assertThat(new Restoration(file).from(null, NOW.plusSeconds(95)).backup())
                .isEqualTo(ahead.file());
        store = new JobStore(file);
    }

    @Test
    void aBackupThatIsNoneTouchesNothing(@TempDir Path elsewhere) throws Exception {
        store.close();
        List<String> before = Tables.everything(file);
        List<String> filesBefore = names(directory);
        Path text = Files.writeString(elsewhere.resolve("text"), "no database".repeat(1_000));
        Path foreign = elsewhere.resolve("foreign.db");
        Tables.run(foreign, "CREATE TABLE bookmark (id INTEGER)");
        for (Path none : List.of(text, foreign, elsewhere, elsewhere.resolve("missing"), file)) {
            BackupException refusal =
                    catchThrowableOfType(BackupException.class, () -> new Restoration(file).from(none, NOW));
            assertThat(refusal).as("%s", none).isNotNull();
            assertThat(refusal.kind()).isEqualTo(BackupException.Kind.BAD_BACKUP);
            assertThat(refusal.sentence()).contains(none.toString());
        }
        BackupException none = catchThrowableOfType(BackupException.class, () -> new Restoration(file).from(null, NOW));
        assertThat(none.sentence()).startsWith("there is no good backup in " + backups.directory());
        assertThat(Tables.everything(file)).isEqualTo(before);
        assertThat(names(directory)).isEqualTo(filesBefore);
        store = new JobStore(file);
    }

    @Test
    void anOlderSchemaComesBackAndIsBroughtUpToDate() throws Exception {
        store.close();
        Path old = directory.resolve("old.db");
        try (var in = Tables.class.getResourceAsStream("schema-001.db")) {
            Files.write(old, in.readAllBytes());
        }
        Restored restored = new Restoration(file).from(old, NOW);
        assertThat(restored.schema()).isEqualTo(1);
        store = new JobStore(file);
        assertThat(store.lastId()).isEqualTo(restored.newestJob());
    }

    @Test
    void aWholeDatabaseHasNoProblemsAndADamagedOneHas() throws IOException {
        assertThat(backups.problems()).isEmpty();
        store.close();
        byte[] whole = Files.readAllBytes(file);
        whole[4_096 * 3] ^= 0x55;
        Files.write(file, whole);
        assertThat(backups.problems()).isNotEmpty();
        Files.delete(file);
        store = new JobStore(file);
    }
}
