package dev.berth.server.powerloss;

import static dev.berth.server.powerloss.PowerCuts.CUTS;
import static dev.berth.server.powerloss.PowerCuts.assertSurvives;
import static dev.berth.server.powerloss.PowerCuts.failure;
import static dev.berth.server.powerloss.PowerCuts.moved;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.server.code.SnapshotStore;
import dev.berth.server.code.UploadLimits;
import dev.berth.server.code.Workspaces;
import dev.berth.server.example.Jobs;
import dev.berth.server.powerloss.PowerCuts.Survivor;
import dev.berth.server.store.JobStore;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A power cut at any moment, on a disk that holds what it was told to hold and of the rest whatever it likes: what was
 * acknowledged is there, and the server starts. {@code -Dberth.test.power.cuts=N} cuts more often,
 * {@code -Dberth.test.power.seed=N} elsewhere.
 */
class PowerLossTest {
    @TempDir
    private static Path tools;

    private static Recorder recorder;

    @TempDir
    private Path directory;

    @BeforeAll
    static void build() throws Exception {
        recorder = new Recorder(tools);
    }

    private static List<String> rows(Path file, String query) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            while (row.next()) {
                rows.add(row.getString(1));
            }
        }
        return rows;
    }

    private static Survivor everyCommitOf(List<Script> script, List<String> before) {
        return (left, acknowledged) -> {
            Path file = left.resolve("berth.db");
            new JobStore(file).close();
            assertThat(rows(file, "PRAGMA integrity_check")).containsExactly("ok");
            List<String> jobs = rows(file, "SELECT id || '|' || state FROM job ORDER BY id");
            assertThat(jobs.subList(0, Math.min(jobs.size(), before.size()))).isEqualTo(before);
            assertThat(jobs.subList(before.size(), jobs.size()))
                    .as("after %d acknowledged commits, one more may have been under way", acknowledged)
                    .isIn(
                            Script.after(script, acknowledged),
                            Script.after(script, Math.min(acknowledged + 1, script.size())));
            wholeBackups(left, before);
        };
    }

    /** A backup has its name when it is whole and on the disk, not before. */
    private static void wholeBackups(Path left, List<String> jobs) throws IOException, SQLException {
        Path backups = left.resolve("backups");
        if (Files.isDirectory(backups)) {
            try (Stream<Path> files = Files.list(backups)) {
                for (Path backup : files.filter(
                                each -> each.getFileName().toString().startsWith("berth-"))
                        .toList()) {
                    assertThat(rows(backup, "PRAGMA integrity_check")).containsExactly("ok");
                    assertThat(rows(backup, "SELECT id || '|' || state FROM job ORDER BY id"))
                            .isEqualTo(jobs);
                }
            }
        }
    }

    private Path emptyHome() throws IOException {
        return Files.createDirectory(directory.resolve("home"));
    }

    private static List<Happening> recorded(String what, Path home) throws Exception {
        return recorder.record(what, home, home.resolveSibling("record"));
    }

    @Test
    void everyAcknowledgedJobIsThereAfterAPowerCut() throws Exception {
        Path home = emptyHome();
        Path before = Files.createDirectory(directory.resolve("before"));
        List<Happening> record = moved(recorded("jobs", home), home, before);
        assertThat(record)
                .as("changes of the log went to the database meanwhile")
                .anyMatch(each -> each.kind() == 'w' && each.path().endsWith("/berth.db"));
        Survivor survivor = everyCommitOf(Script.of(1, RecordedServer.JOBS), List.of());

        assertSurvives(before, record, CUTS, survivor);

        // The net is not torn: disks that lie, or a server that does not ask, lose what was acknowledged.
        assertThat(failure(before, record, each -> !each.path().endsWith("-wal"), CUTS / 5, survivor))
                .as("as with synchronous=NORMAL")
                .isPresent();
        assertThat(failure(before, record, each -> !each.path().equals(before.toString()), CUTS / 5, survivor))
                .as("were the new database's name not forced to disk")
                .isPresent();
        assertThat(failure(before, record, _ -> false, CUTS / 5, survivor))
                .as("as with synchronous=OFF")
                .isPresent();
    }

    @Test
    void anUpgradeThatIsCutOffLosesNothing() throws Exception {
        Path home = emptyHome();
        Path before = Files.createDirectory(directory.resolve("before"));
        try (InputStream in = JobStore.class.getResourceAsStream("schema-001.db")) {
            Files.copy(Objects.requireNonNull(in), home.resolve("berth.db"));
        }
        assertThat(rows(home.resolve("berth.db"), "PRAGMA journal_mode = WAL")).containsExactly("wal");
        Files.copy(home.resolve("berth.db"), before.resolve("berth.db"));
        List<String> jobs = rows(before.resolve("berth.db"), "SELECT id || '|' || state FROM job ORDER BY id");
        List<Happening> record = moved(recorded("jobs", home), home, before);
        // Most of the record is about later commits; the upgrade is at its beginning.
        List<Happening> upgrade = record.subList(0, record.size() / 4);
        Survivor survivor = everyCommitOf(Script.of(jobs.size() + 1L, RecordedServer.JOBS), jobs);

        assertSurvives(before, upgrade, CUTS, survivor);
    }

    @Test
    void theDirectoryOfAnAcknowledgedJobIsThereAfterAPowerCut() throws Exception {
        Path home = emptyHome();
        Path before = Files.createDirectory(directory.resolve("before"));
        List<Happening> record = moved(recorded("snapshots", home), home, before);
        Survivor survivor = (left, acknowledged) -> {
            SnapshotStore snapshots =
                    new SnapshotStore(left.resolve("snapshots"), UploadLimits.DEFAULT, () -> Jobs.SUBMITTED);
            Workspaces workspaces = new Workspaces(Files.createDirectory(left.resolve("jobs")), snapshots, false);
            try (JobStore store = new JobStore(left.resolve("berth.db"))) {
                for (int id = 1; id <= acknowledged; id++) {
                    Job job = store.find(new JobId(id)).orElseThrow();
                    workspaces.prepare(job);
                    Path workspace = workspaces.of(Attempt.of(job)).resolve("workspace");
                    assertThat(workspace.resolve("src/main.py")).hasContent(RecordedServer.main(id));
                    assertThat(Files.readString(workspace.resolve("README"), StandardCharsets.UTF_8))
                            .isEqualTo("the same for all");
                }
            }
        };

        assertSurvives(before, record, CUTS / 3, survivor);
        assertThat(failure(before, record, each -> each.path().contains("/berth.db"), CUTS / 5, survivor))
                .as("were the directory not forced to disk")
                .isPresent();
    }
}
