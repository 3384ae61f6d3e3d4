package dev.berth.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.server.example.Jobs;
import dev.berth.server.store.JobQueries.Filter;
import dev.berth.server.store.database.Backup;
import dev.berth.server.store.database.Backup.Kind;
import dev.berth.server.store.database.Backups;
import dev.berth.server.store.database.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A database that is damaged is recognised, told of in one sentence with the way out, and left as it is. */
class BrokenDatabaseTest {
    private static final int PAGE = 4_096;
    private static final int JOBS = 12;

    @TempDir
    private Path directory;

    private Path file = Path.of("");

    @BeforeEach
    void fill() {
        file = directory.resolve("berth.db");
        try (JobStore store = new JobStore(file)) {
            for (long id = 1; id <= JOBS; id++) {
                store.write(Jobs.upTo(
                        id % 2 == 0 ? Jobs.queued(id, 1) : Jobs.job(id, Jobs.spec(1), Jobs.ADA, Jobs.completed())));
            }
            store.commit();
        }
    }

    private void assertRefusedAndLeftAlone(String... said) throws IOException {
        byte[] before = Files.readAllBytes(file);
        StoreException refusal = catchThrowableOfType(StoreException.class, () -> new JobStore(file));
        assertThat(refusal).as("it was opened").isNotNull();
        assertThat(refusal).hasMessageContaining(file.toString()).hasMessageContainingAll(said);
        assertThat(Files.readAllBytes(file)).isEqualTo(before);
        Path log = directory.resolve("berth.db-wal");
        assertThat(Files.exists(log) ? Files.size(log) : 0).isZero();
    }

    /** Each page in turn: the first is the header, the others hold tables and indexes. */
    @Test
    void garbageInAnyPageIsSeenAtTheStart() throws IOException {
        byte[] whole = Files.readAllBytes(file);
        SplittableRandom random = new SplittableRandom(4);
        List<Integer> unseen = new ArrayList<>();
        assertThat(whole.length / PAGE).isGreaterThan(25);
        for (int page = 0; page < whole.length / PAGE; page++) {
            byte[] garbage = new byte[PAGE];
            random.nextBytes(garbage);
            byte[] broken = whole.clone();
            System.arraycopy(garbage, 0, broken, page * PAGE, PAGE);
            Files.write(file, broken);
            try (JobStore _ = new JobStore(file)) {
                unseen.add(page);
            } catch (StoreException seen) {
                assertThat(seen).as("page %d", page).hasMessageContaining("the database " + file + " is broken: ");
                assertThat(seen.isBroken()).isTrue();
                assertThat(Files.readAllBytes(file)).as("page %d", page).isEqualTo(broken);
            }
        }
        assertThat(unseen).as("pages whose damage was not seen").isEmpty();
    }

    @Test
    void aFileThatEndsTooEarlyIsSeenAtTheStart() throws IOException {
        byte[] whole = Files.readAllBytes(file);
        for (int length = PAGE / 2; length < whole.length; length += 3 * PAGE / 2) {
            Files.write(file, Arrays.copyOf(whole, length));
            assertRefusedAndLeftAlone("is broken: ", "it was left as it is");
        }
    }

    @Test
    void theSentenceNamesTheNewestBackup() throws Exception {
        Backup _ = Backups.beside(file).make(Kind.ASKED, Instant.parse("2026-11-20T03:00:00Z"));
        Backup _ = Backups.beside(file).make(Kind.DAILY, Instant.parse("2026-11-21T03:00:00Z"));
        Files.writeString(file, "Ceci n'est pas une base de donnees. ".repeat(100));
        assertRefusedAndLeftAlone("Bring the newest whole backup back with: berth server restore"
                + " (the newest by its date is berth-daily-20261121T030000Z.db)");
    }

    @Test
    void theSentenceSaysWhereThereIsNoBackup() throws IOException {
        Files.writeString(file, "x".repeat(10_000));
        assertRefusedAndLeftAlone("There is no backup in " + directory.resolve("backups")
                + ": bring one back from elsewhere with: berth" + " server restore FILE");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CREATE TABLE bookmark (id INTEGER)",
                "PRAGMA application_id = 252006675",
                "CREATE TABLE job (id INTEGER PRIMARY KEY)"
            })
    void anotherProgramsDatabaseIsRefusedAndLeftAlone(String statement) throws IOException {
        Files.delete(file);
        Tables.run(file, statement, "PRAGMA user_version = 1");
        assertRefusedAndLeftAlone("it is another program's database, not Berth's");
    }

    @Test
    void aDirectoryInItsPlaceIsRefused() throws IOException {
        Files.delete(file);
        Files.createDirectory(file);
        assertThatThrownBy(() -> new JobStore(file))
                .isInstanceOf(StoreException.class)
                .hasMessage("the database " + file + " cannot be opened: it is no file");
    }

    /** Large files are not read through at the start; what is wrong with them shows when it is read. */
    @Test
    void damageThatShowsLaterIsToldToWhoeverMustKnow() throws IOException {
        List<StoreException> told = new ArrayList<>();
        JobStore store = new JobStore(file);
        JobQueries queries = new JobQueries(file, told::add);
        byte[] whole = Files.readAllBytes(file);
        Arrays.fill(whole, PAGE, whole.length, (byte) 0x5a);
        Files.write(file, whole);
        assertThatThrownBy(() -> queries.newest(Filter.of(null), 100, 10)).isInstanceOf(StoreException.class);
        assertThat(told)
                .singleElement()
                .satisfies(why -> assertThat(why.isBroken()).isTrue());
        assertThatThrownBy(() -> store.find(new JobId(3)))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("is broken: ");
        queries.close();
        store.close();
    }

    @Test
    void aDatabaseThatIsTakenAwayEndsTheNextCommit() throws IOException {
        try (JobStore store = new JobStore(file)) {
            Files.move(file, directory.resolve("elsewhere.db"));
            assertCommitRefused(store, file + " is gone, while the server had it open");
            Files.copy(directory.resolve("elsewhere.db"), file);
            assertCommitRefused(store, "another file is in the place of " + file);
        }
    }

    @Test
    void aDatabaseThatIsTakenAwayIsToldByWhoeverReads() throws IOException {
        List<StoreException> told = new ArrayList<>();
        JobStore store = new JobStore(file);
        JobQueries queries = new JobQueries(file, told::add);
        Files.move(file, directory.resolve("elsewhere.db"));
        assertThatThrownBy(() -> queries.newest(Filter.of(null), 100, 10))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(file + " is gone, while the server had it open");
        assertThat(told).hasSize(1);
        queries.close();
        store.close();
    }

    /** Of a server that nobody asks anything, and whose queue is empty. */
    @Test
    void aDatabaseThatIsTakenAwayIsNoticedThoughNobodyAsks() throws IOException {
        List<StoreException> told = new ArrayList<>();
        try (JobStore _ = new JobStore(file)) {
            JobQueries queries = new JobQueries(file, told::add);
            queries.requireInPlace();
            assertThat(told).isEmpty();
            Files.move(directory, directory.resolveSibling(directory.getFileName() + "-moved"));
            assertThatThrownBy(queries::requireInPlace).hasMessageContaining(file + " is gone");
            assertThat(told).hasSize(1);
            queries.close();
            Files.move(directory.resolveSibling(directory.getFileName() + "-moved"), directory);
        }
    }

    @Test
    void aLogThatIsTakenAwayEndsTheNextCommit() throws IOException {
        Path log = directory.resolve("berth.db-wal");
        try (JobStore store = new JobStore(file)) {
            store.write(Jobs.upTo(Jobs.queued(JOBS + 1, 1)));
            store.commit();
            Files.delete(log);
            assertCommitRefused(store, log + " is gone");
        }
    }

    @Test
    void aDirectoryThatIsMovedEndsTheNextCommit(@TempDir Path elsewhere) throws IOException {
        Path home = Files.createDirectory(elsewhere.resolve("home"));
        try (JobStore store = new JobStore(home.resolve("berth.db"))) {
            Files.move(home, elsewhere.resolve("moved"));
            assertCommitRefused(store, home.resolve("berth.db") + " is gone");
        }
    }

    private static void assertCommitRefused(JobStore store, String said) {
        Job next = Jobs.queued(store.lastId() + 1, 1);
        store.write(Jobs.upTo(next));
        assertThatThrownBy(store::commit).isInstanceOf(StoreException.class).hasMessageContaining(said);
    }
}
