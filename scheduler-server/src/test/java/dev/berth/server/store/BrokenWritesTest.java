package dev.berth.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.job.Job;
import dev.berth.core.machine.Change;
import dev.berth.server.example.Jobs;
import dev.berth.server.store.database.StoreException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A write that breaks off at its first, second, ... statement leaves the last commit as it was. The statements are made
 * to fail by SQLite itself: triggers on every table count down and raise an error.
 */
class BrokenWritesTest {
    private static final List<String> TABLES = List.of("job", "allocation", "job_event", "job_count");
    private static final int MORE_THAN_THERE_ARE = 1_000;

    @TempDir
    private Path directory;

    private final Job waiting = Jobs.queued(1, 2);
    private final Job running = Jobs.running(2, 0, 1);

    /** One new job, one that starts on two GPUs, one that gives two back: every kind of statement there is. */
    private List<Change> batch() {
        List<Change> batch = new ArrayList<>(Jobs.upTo(Jobs.accepted(3, 1)));
        batch.add(Jobs.advance(running, Jobs.completed()));
        batch.add(Jobs.advance(waiting, Jobs.startingOn(0, 1)));
        return batch;
    }

    private Path committed(String name) {
        Path file = directory.resolve(name);
        try (JobStore store = new JobStore(file)) {
            store.write(Jobs.upTo(waiting));
            store.write(Jobs.upTo(running));
            store.commit();
        }
        return file;
    }

    private static void armWith(Path file, String kind, int statementsBefore) {
        Tables.run(file, "CREATE TABLE fuse (left INTEGER)", "INSERT INTO fuse VALUES (" + statementsBefore + ")");
        for (String table : TABLES) {
            for (String verb : List.of("INSERT", "UPDATE", "DELETE")) {
                Tables.run(file, """
                    CREATE TRIGGER fuse_%s_%s BEFORE %s ON %s BEGIN
                        SELECT RAISE(%s, 'the disk is gone') FROM fuse WHERE left = 0;
                        UPDATE fuse SET left = left - 1;
                    END\
                    """.formatted(table, verb, verb, table, kind));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"FAIL", "ABORT", "ROLLBACK"})
    void whicheverStatementFailsTheLastCommitStays(String kind) {
        int statements = 0;
        while (breaksOff(kind, statements)) {
            statements++;
        }
        // 3 changes of a job, 3 events, 2 GPUs back and 2 allocated, and the counts of each state left and reached.
        assertThat(statements).isGreaterThanOrEqualTo(10).isLessThan(MORE_THAN_THERE_ARE);
    }

    /** Whether the batch did break off at that statement; false once it is longer than that. */
    private boolean breaksOff(String kind, int statementsBefore) {
        Path file = committed(kind + statementsBefore + ".db");
        List<String> before = Tables.everything(file);
        armWith(file, kind, statementsBefore);
        JobStore store = new JobStore(file);
        try {
            store.write(batch());
        } catch (StoreException e) {
            assertThat(e).hasMessageContaining("the disk is gone");
            store.close();
            assertThat(Tables.everything(file))
                    .as("after statement %d", statementsBefore)
                    .isEqualTo(before);
            return true;
        }
        store.commit();
        store.close();
        assertThat(Tables.rows(file, "SELECT id, state FROM job ORDER BY id"))
                .containsExactly("1|STARTING", "2|COMPLETED", "3|QUEUED");
        return false;
    }

    @Test
    void aCommitThatFailsLeavesTheLastOne() {
        Path file = committed("berth.db");
        List<String> before = Tables.everything(file);
        Tables.run(
                file,
                "CREATE TABLE debt (job INTEGER REFERENCES job (id) DEFERRABLE INITIALLY DEFERRED)",
                "CREATE TRIGGER owe AFTER INSERT ON job BEGIN INSERT INTO debt VALUES (999); END");
        try (JobStore store = new JobStore(file)) {
            store.write(batch());
            assertThatThrownBy(store::commit)
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("the database did not commit");
        }
        assertThat(Tables.everything(file)).isEqualTo(before);
    }

    @Test
    void aTableThatIsGoneIsSaidAtTheStart() {
        Path file = committed("berth.db");
        Tables.run(file, "DROP TABLE allocation");
        assertThatThrownBy(() -> new JobStore(file))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("does not have the tables that it must have");
    }
}
