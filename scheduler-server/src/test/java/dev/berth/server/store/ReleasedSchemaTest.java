package dev.berth.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.EngineRun;
import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState;
import dev.berth.core.job.Packing;
import dev.berth.core.job.Retry;
import dev.berth.core.job.RetryCauses;
import dev.berth.core.job.RetryDelay;
import dev.berth.core.job.Tasks;
import dev.berth.core.machine.Change;
import dev.berth.core.machine.JobEvent;
import dev.berth.core.machine.Lane;
import dev.berth.server.example.Jobs;
import dev.berth.server.store.JobQueries.Filter;
import dev.berth.server.store.database.Database;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Database files as earlier versions left them, kept beside this test; each must open as long as Berth lives. A new
 * schema gets its own file: {@code -Dberth.test.write.database=<directory>} writes that of the newest.
 */
class ReleasedSchemaTest {
    private static final String WRITE_TO = "berth.test.write.database";

    private static final int FIRST_WITH_ARRAYS = 9;
    private static final int FIRST_WITH_RETRIES = 11;
    private static final int FIRST_WITH_PACKS = 12;
    private static final int FIRST_WITH_RECEIVERS = 13;
    private static final int FIRST_WITH_TARGETS = 18;
    private static final Filter WITH_TASKS = new Filter(Jobs.ADA.uid(), List.of(), null, null, null, true);

    @TempDir
    private Path directory;

    @Test
    void theNewestSchemaHasItsFile() {
        String target = System.getProperty(WRITE_TO);
        if (target != null) {
            write(Path.of(target).resolve(name(Database.NEWEST_SCHEMA)));
        }
        assertThat(ReleasedSchemaTest.class.getResource(name(Database.NEWEST_SCHEMA)))
                .as("write it with -D%s=<directory>", WRITE_TO)
                .isNotNull();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18})
    void everySchemaThatWasEverInUseStillOpens(int schema) throws IOException {
        Path file = directory.resolve("berth.db");
        try (InputStream in = ReleasedSchemaTest.class.getResourceAsStream(name(schema))) {
            Files.copy(Objects.requireNonNull(in), file);
        }
        assertThat(Tables.number(file, "PRAGMA user_version")).isEqualTo(schema);
        try (JobStore store = new JobStore(file)) {
            List<Job> jobs =
                    jobs(schema)
                            .subList(0, Math.toIntExact(Math.min(jobs(schema).size(), store.lastId())))
                            .stream()
                            .map(job -> schema < 3 ? beforeSchema3(job) : schema < 7 ? beforeSchema7(job) : job)
                            .toList();
            assertThat(jobs).allSatisfy(job -> assertThat(store.find(job.id())).contains(job));
            assertThat(jobs).hasSizeGreaterThan(30);
            assertThat(store.serverId(() -> "another")).isEqualTo("harbour1");
            assertThat(store.live())
                    .hasSameElementsAs(jobs.stream()
                            .filter(job -> job.state() instanceof JobState.Live)
                            .toList());
            assertThat(store.queuedBehind(Lane.MAIN, true, 0, 100, Long.MAX_VALUE)
                            .items())
                    .isNotEmpty();
            try (JobQueries queries = new JobQueries(file)) {
                assertThat(queries.waiting(WITH_TASKS, 0, 100).items())
                        .filteredOn(job -> job.state() instanceof JobState.Queued
                                && !job.spec().isAtTarget())
                        .isEqualTo(store.queuedBehind(Lane.MAIN, true, 0, 100, Long.MAX_VALUE)
                                .items());
                assertThat(queries.active(WITH_TASKS, 1).live())
                        .filteredOn(job -> job.state() instanceof JobState.Live)
                        .isEqualTo(store.live());
                assertThat(queries.events(jobs.getLast().id(), 0, 10).items()).hasSize(2);
                assertThat(queries.counts(Jobs.ADA.uid())).isNotEmpty();
            }

            if (schema >= FIRST_WITH_ARRAYS) {
                Job rest = array(schema).without(0);
                assertThat(store.find(rest.id())).contains(rest);
                assertThat(store.find(rest.taskId(0))).contains(array(schema).task(0));
            }
            if (schema >= FIRST_WITH_RETRIES) {
                Job again = again(running(schema));
                assertThat(store.find(again.id())).contains(again);
                try (JobQueries queries = new JobQueries(file)) {
                    assertThat(queries.attempts(again.id()))
                            .containsExactly(new EndedAttempt(
                                    Jobs.failed(), List.of(Jobs.gpu(0).uuid()), true));
                }
            }
            if (schema >= FIRST_WITH_PACKS) {
                Job pack = packs(schema).nextPack().with(Jobs.completed());
                assertThat(store.find(pack.id())).contains(pack);
                assertThat(PackRowsTest.inPack(store, pack))
                        .extracting(Job::number)
                        .containsExactly(pack.arrayOfTurn() + "_0", pack.arrayOfTurn() + "_1");
                assertThat(store.packsToRead()).containsExactly(pack);
            }
            if (schema >= FIRST_WITH_TARGETS) {
                assertThat(store.find(atTarget(schema).id())).contains(atTarget(schema));
                assertThat(store.queuedBehind(Lane.TARGET, true, 0, 100, Long.MAX_VALUE)
                                .items())
                        .containsExactly(atTarget(schema));
            }
            try (JobQueries queries = new JobQueries(file)) {
                assertThat(queries.subscriptions(Jobs.ADA.uid())).hasSize(schema >= FIRST_WITH_RECEIVERS ? 1 : 0);
                // Of what was before there were receivers, nobody is told.
                assertThat(queries.notifiedUpTo()).isEqualTo(schema < FIRST_WITH_RECEIVERS ? queries.lastEvent() : 0);
            }
            Job next = Jobs.queued(store.lastId() + 1, 1);
            store.write(Jobs.upTo(next));
            store.commit();
            assertThat(store.find(next.id())).contains(next);
        }
        assertThat(Tables.number(file, "PRAGMA user_version")).isEqualTo(Database.NEWEST_SCHEMA);
        assertThat(Tables.rows(file, "PRAGMA integrity_check")).containsExactly("ok");
    }

    /** Nobody had written down whether the container was made, and making it again does no harm. */
    private static Job beforeSchema3(Job job) {
        return job.state() instanceof JobState.Starting starting
                ? job.with(new JobState.Creating(starting.attempt(), starting.imageId(), starting.allocation()))
                : job;
    }

    /** Nor which run of the engine was asked to start it. */
    private static Job beforeSchema7(Job job) {
        return job.state() instanceof JobState.Starting starting
                ? job.with(new JobState.Starting(
                        starting.attempt(), starting.imageId(), starting.allocation(), EngineRun.UNKNOWN))
                : job;
    }

    private static String name(int schema) {
        return "schema-%03d.db".formatted(schema);
    }

    private static List<Job> jobs(int schema) {
        List<Job> jobs = new ArrayList<>();
        for (JobState state : EveryJobState.of(schema)) {
            jobs.add(Jobs.job(jobs.size() + 1L, Jobs.spec(1), Jobs.ADA, state));
        }
        return jobs;
    }

    /** An array, as it was accepted. */
    private static Job array(int schema) {
        Tasks tasks = Tasks.parse("0-9%2");
        return Jobs.job(
                jobs(schema).size() + 1L,
                Jobs.spec(1).with(tasks),
                Jobs.ADA,
                Jobs.queued(1, 1).state());
    }

    /** An array in packs, as it was accepted. */
    private static Job packs(int schema) {
        Tasks tasks = Tasks.parse("0-9").with(new Packing(2, 1));
        return Jobs.job(
                again(running(schema)).turn().value() + 1,
                Jobs.spec(1).with(tasks),
                Jobs.ADA,
                new JobState.Queued(1, new ImageState.Ready("sha256:b2")));
    }

    /** A job in its first attempt that is retried at the end of the queue. */
    private static Job running(int schema) {
        Retry retry = new Retry(3, RetryCauses.parse("exit,code:75"), RetryDelay.parse("1m..1h"), true);
        return Jobs.job(array(schema).lastId() + 1, Jobs.spec(1).with(retry), Jobs.ADA, Jobs.runningOn(0));
    }

    /** A job that waits until its target may have it. */
    private static Job atTarget(int schema) {
        return Jobs.job(
                packs(schema).lastId() + 1,
                Jobs.at("cluster", Jobs.spec(1)),
                Jobs.ADA,
                new JobState.Queued(1, new ImageState.Ready("")));
    }

    private static Job again(Job running) {
        JobState next = new JobState.Queued(2, new ImageState.Pending());
        return running.with(next).retriedOnceMore(new JobId(running.id().value() + 1));
    }

    private static void write(Path file) {
        try (JobStore store = new JobStore(file)) {
            store.serverId(() -> "harbour1");
            Optional<Subscription> _ = store.keepSubscription(
                    new Subscription(
                            0, Jobs.ADA.uid(), "ada", "end", "https://example.org/x", Jobs.STARTED, 0, null, null),
                    1);
            jobs(Database.NEWEST_SCHEMA).forEach(job -> store.write(Jobs.upTo(job)));
            Job array = array(Database.NEWEST_SCHEMA);
            store.write(Jobs.upTo(array));
            store.write(List.of(new Change.Singled(Jobs.STARTED, array, array.without(0), array.task(0))));
            Job running = running(Database.NEWEST_SCHEMA);
            store.write(Jobs.upTo(running));
            store.write(List.of(new Change.Advanced(
                    Jobs.ENDED,
                    running,
                    again(running),
                    new JobEvent.RunExited(1, 3, false, null, Jobs.ENDED),
                    Jobs.failed())));
            Job packs = packs(Database.NEWEST_SCHEMA);
            store.write(Jobs.upTo(packs));
            store.write(List.of(PackRowsTest.packed(packs), Jobs.advance(packs.nextPack(), Jobs.completed())));
            store.write(Jobs.upTo(atTarget(Database.NEWEST_SCHEMA)));
            store.commit();
        }
        Tables.run(file, "PRAGMA journal_mode = DELETE", "VACUUM");
    }
}
