package dev.berth.server.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobState.Packed;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.Packing;
import dev.berth.core.job.Tasks;
import dev.berth.core.machine.Change;
import dev.berth.server.example.Jobs;
import dev.berth.server.project.ProjectRename;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.JobStore;
import dev.berth.server.store.Tables;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The rename of a project that has an array with many packs, beside a loop that goes on. */
@Timeout(120)
class ProjectRenameTest {
    private static final int PACKS = 600;
    private static final int MOST_A_COMMIT = 251;

    @TempDir
    private Path directory;

    private final Job array = Jobs.job(
            1,
            Jobs.spec(1).with(Tasks.parse("0-1299").with(new Packing(2, 1))),
            Jobs.ADA,
            new Queued(1, new ImageState.Pending()));
    private JobStore store;
    private JobQueries queries;
    private Scheduling scheduling;
    private SchedulingLoop loop;

    @BeforeEach
    void open() {
        store = new JobStore(directory.resolve("berth.db"));
        queries = new JobQueries(directory.resolve("berth.db"));
        store.write(Jobs.upTo(array));
        Job rest = array;
        for (int number = 0; number < PACKS; number++) {
            Job pack = rest.nextPack();
            Job left = rest.without(pack.packed());
            store.write(List.of(new Change.Packed(
                    Jobs.STARTED, rest, left, pack, List.of(inPack(2 * number), inPack(2 * number + 1)))));
            rest = left;
        }
        store.commit();
        scheduling = Loops.onTwoGpus(store, 9);
        loop = Loops.loop(scheduling, store, _ -> {}, Jobs.STARTED);
        loop.recover(new FoundAtStart(List.of(), null));
    }

    @AfterEach
    void close() {
        queries.close();
        store.close();
    }

    private Job inPack(int index) {
        return array.task(index).with(Packed.WAITING);
    }

    private long renamed() {
        return Tables.number(directory.resolve("berth.db"), "SELECT count(*) FROM job WHERE project = 'q'");
    }

    private Thread rename() {
        return Thread.ofVirtual().start(() -> {
            try {
                new ProjectRename(scheduling, queries)
                        .rename(Jobs.ADA.uid(), array.spec().project(), "q");
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (ExecutionException e) {
                throw new AssertionError(e);
            }
        });
    }

    /** Turns the loop until all is renamed or as much as that; the most that one turn renamed. */
    private long most(Thread rename, long upTo) throws InterruptedException {
        long most = 0;
        long before = renamed();
        while (rename.isAlive() && before < upTo) {
            loop.turn(Duration.ofMillis(20));
            long now = renamed();
            most = Math.max(most, now - before);
            before = now;
        }
        return most;
    }

    @Test
    void noCommitRenamesMoreThanAPiece() throws InterruptedException {
        assertThat(most(rename(), Long.MAX_VALUE)).isBetween(200L, (long) MOST_A_COMMIT);
        assertThat(Tables.rows(directory.resolve("berth.db"), "SELECT DISTINCT project FROM job"))
                .containsExactly("q");
        assertThat(renamed()).isEqualTo(1 + 2 * PACKS + PACKS);
    }

    @Test
    void oneThatBreaksOffAmongThePacksIsFinishedByTheNext() throws InterruptedException {
        Thread broken = rename();
        long _ = most(broken, 2 * PACKS + 1);
        broken.interrupt();
        broken.join();
        assertThat(renamed()).isBetween(2L * PACKS + 1, 3L * PACKS);
        assertThat(most(rename(), Long.MAX_VALUE)).isLessThanOrEqualTo(MOST_A_COMMIT);
        assertThat(renamed()).isEqualTo(1 + 2 * PACKS + PACKS);
    }
}
