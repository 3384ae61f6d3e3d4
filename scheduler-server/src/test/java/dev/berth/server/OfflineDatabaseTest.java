package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.Job;
import dev.berth.core.job.Program;
import dev.berth.core.job.Tasks;
import dev.berth.core.machine.Change;
import dev.berth.core.machine.Effect.CreateRun;
import dev.berth.server.code.SnapshotStore;
import dev.berth.server.code.UploadLimits;
import dev.berth.server.code.Workspaces;
import dev.berth.server.example.Jobs;
import dev.berth.server.runner.docker.ContainerNames;
import dev.berth.server.runner.docker.ContainerPlan;
import dev.berth.server.runner.docker.ContainerPlans;
import dev.berth.server.runner.docker.FakeContainerEngine;
import dev.berth.server.runner.docker.GpuHandover;
import dev.berth.server.store.JobStore;
import dev.berth.server.store.database.Backup;
import dev.berth.server.store.database.Backup.Kind;
import dev.berth.server.store.database.Backups;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A first start, a start that is none, and what is done about a database while no server runs. */
class OfflineDatabaseTest {
    private static final Instant NOW = Instant.parse("2026-11-21T03:00:00Z");

    @TempDir
    private Path directory;

    private Path place = Path.of("");
    private Path file = Path.of("");
    private OfflineDatabase database = new OfflineDatabase(Path.of(""), false);

    @BeforeEach
    void name() {
        place = directory.resolve("data");
        file = place.resolve("berth.db");
        database = new OfflineDatabase(place, false);
    }

    private void start(boolean anew) {
        try (DataDirectory data = DataDirectory.hold(place)) {
            FirstStart.require(data, anew, NOW);
            new JobStore(data.database()).close();
        }
    }

    private void add(int jobs) {
        try (JobStore store = new JobStore(file)) {
            for (long id = store.lastId() + 1; jobs > 0 && id <= jobs; id++) {
                store.write(Jobs.upTo(Jobs.queued(id, 1)));
            }
            store.commit();
        }
    }

    @Test
    void aFirstStartMakesADatabaseAndTheNextFindsIt() throws IOException {
        start(false);
        add(2);
        start(false);
        try (JobStore store = new JobStore(file)) {
            assertThat(store.lastId()).isEqualTo(2);
        }
    }

    @Test
    void aDatabaseThatIsGoneIsNotTakenForAFirstStart() throws IOException {
        start(false);
        Files.delete(file);
        assertRefused("the database " + file + " is gone, but this is no first start: there is a directory "
                + place.resolve("backups") + ". There is no backup in " + place.resolve("backups"));
        Files.createFile(file);
        assertRefused("the database " + file + " is empty, but this is no first start");
        Files.delete(place.resolve("backups"));
        Files.createDirectories(place.resolve("jobs/7"));
        assertRefused("there is something in " + place.resolve("jobs"));
        assertThat(file).isEmptyFile();
    }

    private static FakeContainerEngine running(Path data) {
        Workspaces workspaces = new Workspaces(
                data.resolve("jobs"),
                new SnapshotStore(data.resolve("snapshots"), UploadLimits.DEFAULT, InstantSource.system()),
                false);
        ContainerPlan plan = new ContainerPlans(
                        new ContainerNames("former01"), workspaces, GpuHandover.SIMULATED, 1L << 26)
                .of(
                        new CreateRun(Jobs.queued(7, 0), "id-of-a1", Allocation.NONE),
                        new Program(List.of("train"), Map.of()),
                        List.of());
        FakeContainerEngine engine = new FakeContainerEngine(InstantSource.system(), (_, _) -> {}).withImage("a1");
        String _ = engine.create(plan);
        engine.start(plan.name());
        return engine;
    }

    /** Moved away, or deleted under a server that ended of it: what it started runs on. */
    @Test
    void aNewDirectoryInThePlaceOfOneWhoseContainersRunIsRefused() {
        try (DataDirectory data = DataDirectory.hold(place);
                FakeContainerEngine engine = running(place);
                FakeContainerEngine elsewhere = running(directory.resolve("other"))) {
            assertThat(FirstStart.requireNoContainers(data, false, elsewhere)).isEmpty();
            assertThatThrownBy(() -> FirstStart.requireNoContainers(data, false, engine))
                    .isInstanceOf(StartException.class)
                    .hasMessageStartingWith("the data directory " + place + " is new, but the container")
                    .hasMessageContaining("former01-7-")
                    .hasMessageEndingWith("berth server start --new-database");
            assertThat(FirstStart.requireNoContainers(data, true, engine)).isPresent();
            new JobStore(data.database()).close();
            assertThat(FirstStart.requireNoContainers(data, false, engine))
                    .as("no first start")
                    .isEmpty();
        }
    }

    private void assertRefused(String said) {
        assertThatThrownBy(() -> start(false))
                .isInstanceOf(StartException.class)
                .hasMessageContaining(said)
                .hasMessageEndingWith("or begin with an empty queue: berth server start --new-database");
    }

    @Test
    void beginningAnewIsSaidAndKeepsWhatIsLeft() throws IOException {
        start(false);
        Files.delete(file);
        Path log = Files.writeString(place.resolve("berth.db-wal"), "the newest changes");
        start(true);
        try (JobStore store = new JobStore(file)) {
            assertThat(store.lastId()).isZero();
        }
        assertThat(log)
                .satisfiesAnyOf(
                        each -> assertThat(each).doesNotExist(),
                        each -> assertThat(each).isEmptyFile());
        assertThat(place.resolve("berth-replaced-20261121T030000Z.db-wal")).hasContent("the newest changes");
        assertThatThrownBy(() -> start(true)).hasMessageContaining("--new-database: there is a database, " + file);
    }

    @Test
    void aRestoreSaysWhatCameBackAndWhatMayBeMissing() throws Exception {
        start(false);
        add(2);
        Backup backup = Backups.beside(file).make(Kind.DAILY, NOW);
        Files.createDirectory(place.resolve("jobs/2"));
        Files.createDirectory(place.resolve("jobs/3"));
        Files.createDirectory(place.resolve("jobs/9"));
        Files.writeString(file, "x".repeat(5_000));
        assertThatThrownBy(database::check)
                .hasMessageContaining("the database " + file + " is broken: ")
                .hasMessageContaining("berth server restore");

        assertThat(database.restore(null, NOW))
                .containsExactly(
                        "the database is back, from " + backup.file(),
                        "  it holds 2 jobs, the newest is job 2, submitted at " + Jobs.SUBMITTED,
                        "  what was in its place is kept as " + place.resolve("berth-replaced-20261121T030000Z.db"),
                        "  not in it is whatever was accepted or changed after the backup was made; of 2 such jobs, 3"
                                + " to 9, the files are still in " + place.resolve("jobs") + " and "
                                + place.resolve("users"),
                        "  berth server start goes on with it");
        assertThat(database.check()).containsExactly("the database " + file + " is whole");
    }

    @Test
    void theFilesOfTasksOfAnArrayThatIsBackAreThoseOfAKnownJob() throws Exception {
        start(false);
        try (JobStore store = new JobStore(file)) {
            Job array = Jobs.job(
                    1,
                    Jobs.spec(1).with(Tasks.parse("0-3")),
                    Jobs.ADA,
                    Jobs.queued(1, 1).state());
            store.write(Jobs.upTo(array));
            store.write(List.of(new Change.Singled(Jobs.STARTED, array, array.without(0), array.task(0))));
            store.commit();
        }
        Backups.beside(file).make(Kind.DAILY, NOW);
        for (int id = 1; id <= 5; id++) {
            Files.createDirectory(place.resolve("jobs/" + id));
        }
        assertThat(database.restore(null, NOW))
                .anyMatch(line -> line.contains("the newest is job 1,"))
                .anyMatch(line -> line.endsWith("changed after the backup was made"));
    }

    @Test
    void forPrograms() throws Exception {
        start(false);
        Backup backup = Backups.beside(file).make(Kind.DAILY, NOW);
        assertThat(new OfflineDatabase(place, true).restore(backup.file(), NOW))
                .singleElement()
                .asString()
                .contains("\"backup\":\"" + backup.file() + "\"", "\"jobs\":0", "\"newestAt\":null");
    }

    @Test
    void aMachineThatIsNewGetsTheBackupOfTheOld() throws Exception {
        start(false);
        add(3);
        Path carried = directory.resolve("carried.db");
        Backup _ = Backups.beside(file).writeTo(carried, NOW);
        Path other = directory.resolve("other");
        var _ = new OfflineDatabase(other, false).restore(carried, NOW);
        try (JobStore store = new JobStore(other.resolve("berth.db"))) {
            assertThat(store.lastId()).isEqualTo(3);
        }
    }

    @Test
    void nothingIsDoneWhileAServerRuns() {
        start(false);
        try (DataDirectory _ = DataDirectory.hold(place)) {
            assertThatThrownBy(() -> database.restore(null, NOW))
                    .hasMessageContaining("a server already uses " + place);
            assertThatThrownBy(database::check).hasMessageContaining("a server already uses " + place);
        }
    }

    @Test
    void whereNothingIsNothingIsChecked() {
        assertThatThrownBy(database::check)
                .hasMessage("there is no data directory " + place + "; name it by --data-dir");
        DataDirectory.hold(place).close();
        assertThatThrownBy(database::check).hasMessageContaining("there is no database " + file);
    }

    @Test
    void theDailyBackupIsMadeWhenItIsTime() {
        start(false);
        Backups backups = Backups.beside(file);
        DailyBackup daily = new DailyBackup(backups, 2, Duration.ofDays(1));
        daily.apply(NOW);
        daily.apply(NOW.plus(Duration.ofHours(23)));
        assertThat(backups.all()).extracting(Backup::madeAt).containsExactly(NOW);
        for (int day = 1; day < 4; day++) {
            daily.apply(NOW.plus(Duration.ofDays(day)));
        }
        assertThat(backups.all())
                .extracting(Backup::madeAt)
                .containsExactly(NOW.plus(Duration.ofDays(3)), NOW.plus(Duration.ofDays(2)));
        new DailyBackup(backups, 0, Duration.ofDays(1)).apply(NOW.plus(Duration.ofDays(9)));
        assertThat(backups.all()).hasSize(2);
        // A clock that was set back must not keep it from making any for as long.
        daily.apply(NOW);
        assertThat(backups.all()).hasSize(2);
    }
}
