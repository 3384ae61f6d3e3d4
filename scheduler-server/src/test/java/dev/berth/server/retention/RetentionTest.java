package dev.berth.server.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.berth.core.api.DeletedJob;
import dev.berth.core.job.Dependency;
import dev.berth.core.job.DependencyKind;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState.Deferred;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.Outcome;
import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.StateName;
import dev.berth.core.job.Tasks;
import dev.berth.core.job.Unmet;
import dev.berth.core.machine.Capacity;
import dev.berth.core.machine.Change;
import dev.berth.server.code.SnapshotStore;
import dev.berth.server.code.UploadLimits;
import dev.berth.server.code.Workspaces;
import dev.berth.server.example.Jobs;
import dev.berth.server.log.LogStore;
import dev.berth.server.loop.BusyException;
import dev.berth.server.loop.Scheduling;
import dev.berth.server.loop.SchedulingLoop;
import dev.berth.server.project.ProjectDeletion;
import dev.berth.server.project.ProjectDeletion.Deleted;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.JobQueries.Filter;
import dev.berth.server.store.JobStore;
import dev.berth.server.store.database.StoreException;
import dev.berth.server.time.Clocks;
import dev.berth.server.track.Tracking;
import dev.berth.server.upkeep.UpkeepException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Iterator;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ended jobs on a real store and real files, and what a policy leaves of them. */
class RetentionTest {
    private static final Instant NOW = Jobs.ENDED.plus(Duration.ofDays(10));

    @TempDir
    private Path directory;

    private JobStore store;
    private JobQueries queries;
    private Workspaces workspaces;
    private LogStore logs;
    private Scheduling scheduling;
    private Thread turning;

    @BeforeEach
    void open() throws IOException {
        store = new JobStore(directory.resolve("berth.db"));
        queries = new JobQueries(directory.resolve("berth.db"));
        workspaces = new Workspaces(
                Files.createDirectory(directory.resolve("jobs")),
                new SnapshotStore(directory, UploadLimits.DEFAULT, InstantSource.system()),
                false);
        logs = new LogStore(workspaces::of, Clocks.neverSet(InstantSource.system()));
        for (int job = 1; job <= 5; job++) {
            end(job, Duration.ofDays(job), 1_000);
        }
        store.write(Jobs.upTo(Jobs.running(6, 0)));
        makeDirectories(Jobs.running(6, 0));
        store.commit();
        scheduling = Scheduling.of(new Capacity(List.of(), 1, 0), store, Scheduling.MAX_REQUESTS);
        turning = Thread.ofPlatform().start(this::turn);
    }

    private void turn() {
        SchedulingLoop loop = new SchedulingLoop(scheduling, store, _ -> {}, Clocks.neverSet(InstantSource.system()));
        try {
            loop.run();
        } catch (StoreException e) {
            loop.abandon(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @AfterEach
    void close() throws InterruptedException {
        scheduling.end();
        turning.join();
        queries.close();
        store.close();
    }

    /** A job that ended so long after the first, with so many bytes of output. */
    private void end(long id, Duration after, int bytes) throws IOException {
        Finished end = new Finished(
                1,
                Jobs.STARTED,
                Jobs.ENDED.plus(after),
                new Outcome(StateName.COMPLETED, OutcomeReason.EXITED, "it ended", 0));
        Job job = Jobs.job(id, Jobs.spec(0), Jobs.ADA, end);
        store.write(Jobs.upTo(job));
        Files.write(makeDirectories(job).resolve("result"), new byte[bytes]);
    }

    private Path makeDirectories(Job job) throws IOException {
        Files.createDirectories(workspaces.of(job.id()));
        return Files.createDirectories(workspaces.output(job));
    }

    private JobDeletion deletion() {
        Tracking tracking = new Tracking(new Tracking.Parts(
                directory.resolve("tracking.db"),
                workspaces,
                logs,
                scheduling::machine,
                queries,
                _ -> true,
                Clocks.neverSet(InstantSource.system())));
        return new JobDeletion(scheduling, workspaces, logs, tracking);
    }

    private int apply(@Nullable Duration age, @Nullable Integer jobs, @Nullable Long bytes)
            throws InterruptedException {
        RetentionPolicy policy = new RetentionPolicy(age, jobs, bytes);
        return new Retention(policy, queries, workspaces, deletion()).apply(NOW);
    }

    private List<Long> kept() {
        List<Long> ids = queries.newest(Filter.of(null), Long.MAX_VALUE, 100).items().stream()
                .map(Job::id)
                .map(JobId::value)
                .toList();
        assertThat(ids)
                .allSatisfy(id -> assertThat(workspaces.of(new JobId(id))).exists());
        assertThat(directory.resolve("jobs").toFile().list()).hasSize(ids.size());
        return ids;
    }

    @Test
    void withoutAPolicyAllIsKept() throws InterruptedException {
        assertThat(apply(null, null, null)).isZero();
        assertThat(kept()).containsExactly(6L, 5L, 4L, 3L, 2L, 1L);
    }

    @Test
    void whatEndedTooLongAgoGoes() throws InterruptedException {
        assertThat(apply(Duration.ofDays(7).plusHours(1), null, null)).isEqualTo(2);
        assertThat(kept()).containsExactly(6L, 5L, 4L, 3L);
    }

    /** Those are told by the server in pieces; here by none. */
    @Test
    void whatOthersHaveNotBeenToldOfStaysWithItsFiles() throws Exception {
        TreeSet<Dependency> pending = new TreeSet<>(List.of(new Dependency(DependencyKind.AFTER_OK, new JobId(1))));
        Job waiting = Jobs.job(7, Jobs.spec(0), Jobs.ADA, new Deferred(1, new Unmet(null, pending, new TreeSet<>())));
        makeDirectories(waiting);
        var _ = scheduling.write(open -> open.write(Jobs.upTo(waiting))).get();
        assertThatExceptionOfType(UpkeepException.class)
                .isThrownBy(() -> apply(Duration.ofDays(7).plusHours(1), null, null))
                .withMessageContaining("job 1 could not be deleted; there remain all of it, as jobs that wait");
        assertThat(kept()).containsExactly(7L, 6L, 5L, 4L, 3L, 1L);
    }

    @Test
    void tooManyGoInTheOrderInWhichTheyEnded() throws InterruptedException {
        assertThat(apply(null, 1, null)).isEqualTo(4);
        assertThat(kept()).containsExactly(6L, 5L);
        assertThat(apply(null, 1, null)).isZero();
    }

    @Test
    void tooMuchGoesTheOldestFirst() throws InterruptedException {
        assertThat(apply(null, null, 2_500L)).isEqualTo(3);
        assertThat(kept()).containsExactly(6L, 5L, 4L);
    }

    /** They cannot be deleted yet, and take the room all the same. */
    @Test
    void whatTasksOfAnOpenArrayHaveLeftCounts() throws Exception {
        Job array = Jobs.job(
                7,
                Jobs.spec(0).with(Tasks.parse("0-3")),
                Jobs.ADA,
                Jobs.queued(7, 0).state());
        Job task = array.task(0);
        store.write(Jobs.upTo(array));
        store.write(List.of(
                new Change.Singled(Jobs.STARTED, array, array.without(0), task), Jobs.advance(task, Jobs.completed())));
        store.commit();
        Files.write(makeDirectories(task).resolve("result"), new byte[1_000]);
        assertThat(queries.openArrays()).containsExactly(array.id());
        assertThat(apply(null, null, 2_500L)).isEqualTo(4);
    }

    @Test
    void aJobThatIsNotQuietYetIsWaitedFor() throws InterruptedException {
        logs.expect(new JobId(1));
        Thread release = Thread.ofPlatform().start(() -> logs.finish(new JobId(1)));
        assertThat(apply(null, 0, null)).isEqualTo(5);
        release.join();
        assertThat(kept()).containsExactly(6L);
    }

    @Test
    void whatCannotBeDeletedIsTold() throws IOException {
        Path outputs = workspaces.output(Jobs.running(6, 0)).getParent();
        Files.move(outputs, directory.resolve("elsewhere"));
        Files.createFile(outputs);
        assertThatExceptionOfType(UpkeepException.class)
                .isThrownBy(() -> apply(null, 0, null))
                .withMessageStartingWith(
                        "job 1 could not be deleted; there remain files in " + workspaces.of(new JobId(1)))
                .withMessageEndingWith("; and so 4 more");
        assertThat(queries.ended()).isEqualTo(5);
    }

    @Test
    void aLoopThatTakesNothingIsNotTakenForAServerThatStops() throws InterruptedException {
        scheduling.end();
        turning.join();
        assertThatExceptionOfType(BusyException.class).isThrownBy(() -> apply(null, 0, null));
    }

    /** A step waits for one job's last words, not for those of each; the clock of this one says that it has waited. */
    @Test
    void aProjectIsDeletedInStepsThatDoNotWaitForEachJob() throws InterruptedException {
        logs.expect(new JobId(5));
        logs.expect(new JobId(3));
        Iterator<Instant> steady =
                Stream.iterate(NOW, now -> now.plusSeconds(11)).iterator();
        ProjectDeletion projects = new ProjectDeletion(deletion(), queries, steady::next);
        Deleted first = projects.step(Jobs.ADA.uid(), "ships");
        assertThat(first.deleted()).isEqualTo(1);
        assertThat(first.more()).isTrue();
        assertThat(first.remaining()).extracting(DeletedJob::id).containsExactly(5L);
        logs.finish(new JobId(3));
        logs.finish(new JobId(5));
        Deleted all = new ProjectDeletion(deletion(), queries, () -> NOW).step(Jobs.ADA.uid(), "ships");
        assertThat(all.deleted()).isEqualTo(4);
        assertThat(all.more()).isFalse();
    }

    @Test
    void aRecordThatIsNotDeletedIsToldWithWhatWasInTheWay() throws InterruptedException {
        Job job = queries.find(new JobId(1)).orElseThrow();
        store.close();
        assertThat(deletion().delete(job))
                .singleElement()
                .asString()
                .startsWith("its record: ")
                .doesNotContain("stopping");
    }
}
