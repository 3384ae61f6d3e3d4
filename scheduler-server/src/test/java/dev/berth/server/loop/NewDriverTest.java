package dev.berth.server.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState.Held;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.machine.Effect;
import dev.berth.core.machine.Effect.FetchImage;
import dev.berth.core.machine.QueueWindow;
import dev.berth.server.example.Jobs;
import dev.berth.server.store.JobStore;
import dev.berth.server.store.StoreException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that starts with another driver than the last one had. */
class NewDriverTest {
    private static final Remains NOTHING = new Remains(List.of(), 0, new Remains.Boot("boot-b", Jobs.STARTED));

    /** What the last server could not run, as it had no GPU. */
    private static final Job SET_ASIDE = Jobs.job(
            1, Jobs.spec(1), Jobs.ADA, new Held(1, new ImageState.Ready(Jobs.IMAGE_ID), Held.BY_SERVER, Jobs.STARTED));

    private static final int LAST = QueueWindow.MAX_JOBS + 44;

    @TempDir
    private Path directory;

    private final List<Effect> effects = new ArrayList<>();

    @BeforeEach
    void queue() {
        try (JobStore store = store()) {
            store.keepDriver("580.65 13.0");
            store.write(Jobs.upTo(SET_ASIDE));
            LongStream.rangeClosed(2, LAST).forEach(id -> store.write(Jobs.upTo(Jobs.queued(id, 2))));
            store.commit();
        }
    }

    private JobStore store() {
        return new JobStore(directory.resolve("berth.db"));
    }

    private void start(JobStore store, String driver) {
        store.keepDriver(driver);
        Loops.onTwoGpus(store, effects::add, Jobs.STARTED).recover(NOTHING);
    }

    private List<Long> fetched() {
        return effects.stream()
                .filter(FetchImage.class::isInstance)
                .map(effect -> ((FetchImage) effect).job().value())
                .toList();
    }

    @Test
    void looksForTheImagesOfAllThatWait() {
        try (JobStore store = store()) {
            start(store, "525.60 12.0");
            assertThat(effects).as("none has its turn before").hasSameSizeAs(fetched());
            assertThat(fetched())
                    .hasSize(QueueWindow.MAX_JOBS)
                    .startsWith(SET_ASIDE.id().value(), 2L);
            assertThat(((Queued) store.find(new JobId(LAST)).orElseThrow().state()).image())
                    .as("it is looked for when its time has come")
                    .isEqualTo(new ImageState.Pending());
        }
    }

    @Test
    void withTheSameOneLooksForNone() {
        try (JobStore store = store()) {
            start(store, "580.65 13.0");
            assertThat(fetched()).isEmpty();
            assertThat(effects).isNotEmpty();
        }
    }

    /** Were the driver kept without that, nobody would look for them any more. */
    @Test
    void andCannotWriteKeepsNothingOfIt() throws SQLException {
        run("CREATE TRIGGER full BEFORE INSERT ON server WHEN new.name = 'boot'"
                + " BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END");
        try (JobStore store = store()) {
            assertThatThrownBy(() -> start(store, "525.60 12.0")).isInstanceOf(StoreException.class);
        }
        assertThat(effects).isEmpty();
        run("DROP TRIGGER full");
        try (JobStore store = store()) {
            assertThat(((Queued) store.find(new JobId(2)).orElseThrow().state()).image())
                    .isEqualTo(new ImageState.Ready(Jobs.IMAGE_ID));
            start(store, "525.60 12.0");
            assertThat(fetched()).hasSize(QueueWindow.MAX_JOBS);
        }
    }

    private void run(String statement) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("berth.db"));
                Statement sql = connection.createStatement()) {
            sql.executeUpdate(statement);
        }
    }
}
