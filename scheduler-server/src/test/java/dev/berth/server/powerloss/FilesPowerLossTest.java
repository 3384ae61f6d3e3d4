package dev.berth.server.powerloss;

import static dev.berth.server.powerloss.PowerCuts.CUTS;
import static dev.berth.server.powerloss.PowerCuts.assertSurvives;
import static dev.berth.server.powerloss.PowerCuts.failure;
import static dev.berth.server.powerloss.PowerCuts.moved;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.log.JobLog;
import dev.berth.server.log.LogFiles;
import dev.berth.server.log.LogSink.Stream;
import dev.berth.server.powerloss.PowerCuts.Survivor;
import dev.berth.server.store.JobStore;
import dev.berth.server.store.Tables;
import dev.berth.server.store.database.Backup;
import dev.berth.server.store.database.Backups;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A power cut while what stands beside the database is written: backups, the way back, and where an attempt's log begins. */
class FilesPowerLossTest {
    @TempDir
    private static Path tools;

    private static Recorder recorder;

    @TempDir
    private Path directory;

    private Path home = Path.of("");
    private Path before = Path.of("");

    @BeforeAll
    static void build() throws Exception {
        recorder = new Recorder(tools);
    }

    @BeforeEach
    void make() throws IOException {
        home = Files.createDirectory(directory.resolve("home"));
        before = Files.createDirectory(directory.resolve("before"));
    }

    private List<Happening> recorded(String what) throws Exception {
        return moved(recorder.record(what, home, directory.resolve("record")), home, before);
    }

    private static void assertWholeWithJobs(Path database, long jobs) {
        assertThat(database).exists();
        assertThat(Tables.rows(database, "PRAGMA integrity_check")).containsExactly("ok");
        assertThat(Tables.rows(database, "SELECT id FROM job ORDER BY id"))
                .isEqualTo(
                        LongStream.rangeClosed(1, jobs).mapToObj(Long::toString).toList());
    }

    private static void assertBackups(Path left, int made) {
        List<Backup> backups = Backups.beside(left.resolve("berth.db")).all();
        assertThat(backups).hasSizeBetween(made, made + 1);
        for (Backup backup : backups) {
            assertWholeWithJobs(backup.file(), RecordedServer.numberOf(backup));
        }
    }

    /** One more commit may have been under way; while another database is brought back there may be none. */
    private static void assertDatabase(Path database, int acknowledged) {
        int backups = RecordedServer.BACKUPS;
        if (acknowledged > backups || (acknowledged == backups && Files.exists(database))) {
            new JobStore(database).close();
            long jobs = Tables.number(database, "SELECT max(id) FROM job");
            assertWholeWithJobs(database, jobs);
            if (acknowledged > backups) {
                assertThat(jobs).isBetween((long) acknowledged - backups, acknowledged - backups + 1L);
            } else {
                assertThat(jobs).isIn(1L, (long) backups);
            }
        }
    }

    @Test
    void aBackupAndARestoredCopyAreOnTheDiskOnceTheyHaveTheirNames() throws Exception {
        List<Happening> record = recorded("backups");
        Survivor survivor = (left, acknowledged) -> {
            assertBackups(left, Math.min(acknowledged, RecordedServer.BACKUPS));
            assertDatabase(left.resolve("berth.db"), acknowledged);
        };

        assertSurvives(before, record, CUTS, survivor);

        assertThat(failure(before, record, each -> !each.path().endsWith("/partial.db"), CUTS, survivor))
                .as("were a backup not forced to disk")
                .isPresent();
        assertThat(failure(before, record, each -> !each.path().endsWith("/backups"), CUTS, survivor))
                .as("were a backup's name not forced to disk")
                .isPresent();
        assertThat(failure(before, record, each -> !each.path().contains(".restored"), CUTS, survivor))
                .as("were the restored copy not forced to disk")
                .isPresent();
    }

    /** Else an attempt's output, read again from the engine, would be taken for more than is kept, and stand there twice. */
    @Test
    void whereTheLogOfAnAttemptBeginsIsOnTheDiskBeforeItsFirstByte() throws Exception {
        List<Happening> record = recorded("log");
        Survivor survivor = (left, acknowledged) -> {
            if (acknowledged == 0) {
                return;
            }
            try (JobLog log = RecordedServer.logs(left).replay(RecordedServer.SECOND)) {
                for (int line = 1; line <= RecordedServer.LINES; line++) {
                    log.write(
                            Stream.OUT,
                            ByteBuffer.wrap(RecordedServer.line(line).getBytes(StandardCharsets.UTF_8)));
                }
                assertThat(log.isWhole()).isTrue();
            }
            String text = new LogFiles(RecordedServer.log(left)).text();
            for (int line = 1; line <= RecordedServer.LINES; line++) {
                assertThat(text).containsOnlyOnce(RecordedServer.line(line));
            }
        };

        assertSurvives(before, record, CUTS, survivor);

        assertThat(failure(before, record, each -> !each.path().contains("log-attempt"), CUTS, survivor))
                .as("were it not forced to disk")
                .isPresent();
        assertThat(failure(
                        before,
                        record,
                        each -> !each.path().equals(RecordedServer.log(before).toString()),
                        CUTS,
                        survivor))
                .as("were its name not forced to disk")
                .isPresent();
    }
}
