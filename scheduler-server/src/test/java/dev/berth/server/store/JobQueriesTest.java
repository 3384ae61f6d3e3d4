package dev.berth.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.berth.core.api.JobEventView;
import dev.berth.core.api.ServerView.StateCount;
import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState;
import dev.berth.core.job.StateName;
import dev.berth.core.job.Submitter;
import dev.berth.core.machine.Lane;
import dev.berth.server.bounds.UserTurns.Turn;
import dev.berth.server.example.Jobs;
import dev.berth.server.store.JobOrder.Column;
import dev.berth.server.store.JobQueries.Filter;
import dev.berth.server.store.JobQueries.LaneFilter;
import dev.berth.server.store.database.Database;
import dev.berth.server.store.database.ReadConnections;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The readers on a real database file. */
class JobQueriesTest {
    private static final Filter EVERYTHING = Filter.of(null);

    @TempDir
    private Path directory;

    private Path file;
    private JobStore store;
    private JobQueries queries;

    /** Ten jobs: Ada's have odd numbers, Bob's even ones. */
    @BeforeEach
    void tenJobs() {
        file = directory.resolve("berth.db");
        store = new JobStore(file);
        keep(1, 1, Jobs.completed());
        keep(2, 0, Jobs.failed());
        keep(3, 1, Jobs.runningOn(0));
        keep(4, 0, Jobs.startingOn());
        keep(5, 1, Jobs.completed());
        for (int id = 6; id <= 10; id++) {
            store.write(Jobs.upTo(Jobs.accepted(id, id % 4 == 0 ? 0 : 1, owner(id))));
        }
        store.commit();
        queries = new JobQueries(file);
    }

    @AfterEach
    void close() {
        queries.close();
        store.close();
    }

    private void keep(long id, int gpus, JobState state) {
        store.write(Jobs.upTo(Jobs.job(id, Jobs.spec(gpus), owner(id), state)));
    }

    private static Submitter owner(long id) {
        return id % 2 == 1 ? Jobs.ADA : Jobs.BOB;
    }

    private static List<Long> ids(List<Job> jobs) {
        return jobs.stream().map(job -> job.id().value()).toList();
    }

    private List<Long> newest(@Nullable Long uid, List<StateName> states) {
        return ids(queries.newest(new Filter(uid, states, null, null), Long.MAX_VALUE, 100)
                .items());
    }

    @Test
    void findReadsWhatTheStoreWrote() {
        for (long id = 1; id <= 10; id++) {
            assertThat(queries.find(new JobId(id)))
                    .isEqualTo(store.find(new JobId(id)))
                    .isPresent();
        }
        assertThat(queries.find(new JobId(11))).isEmpty();
    }

    @Test
    void whatIsNotCommittedIsNotSeen() {
        store.write(Jobs.upTo(Jobs.accepted(11, 0)));
        assertThat(queries.find(new JobId(11))).isEmpty();
        assertThat(queries.events(new JobId(11), 0, 10).items()).isEmpty();
        store.commit();
        assertThat(queries.find(new JobId(11))).isPresent();
        assertThat(queries.events(new JobId(11), 0, 10).items()).hasSize(1);
    }

    @Test
    void newestIsFilteredByOwner() {
        assertThat(newest(null, List.of())).containsExactly(10L, 9L, 8L, 7L, 6L, 5L, 4L, 3L, 2L, 1L);
        assertThat(newest(Jobs.ADA.uid(), List.of())).containsExactly(9L, 7L, 5L, 3L, 1L);
        assertThat(newest(Jobs.BOB.uid(), List.of())).containsExactly(10L, 8L, 6L, 4L, 2L);
        assertThat(newest(4_711L, List.of())).isEmpty();
    }

    @Test
    void newestIsFilteredByStates() {
        assertThat(newest(null, List.of(StateName.COMPLETED, StateName.FAILED))).containsExactly(5L, 2L, 1L);
        assertThat(newest(Jobs.ADA.uid(), List.of(StateName.COMPLETED, StateName.FAILED)))
                .containsExactly(5L, 1L);
        assertThat(newest(Jobs.BOB.uid(), List.of(StateName.RUNNING))).isEmpty();
        assertThat(newest(null, List.of(StateName.LOST))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 9, 10, 11})
    void pagesOfTheNewestHoldEachJobOnce(int limit) {
        List<Long> walked = new ArrayList<>();
        List<Long> page = ids(queries.newest(EVERYTHING, Long.MAX_VALUE, limit).items());
        while (!page.isEmpty()) {
            assertThat(page).hasSizeLessThanOrEqualTo(limit);
            assertThat(walked).doesNotContainAnyElementsOf(page);
            walked.addAll(page);
            page = ids(queries.newest(EVERYTHING, page.getLast(), limit).items());
        }
        assertThat(walked).containsExactly(10L, 9L, 8L, 7L, 6L, 5L, 4L, 3L, 2L, 1L);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 6})
    void pagesOfTheQueueHoldEachJobOnce(int limit) {
        List<Long> walked = new ArrayList<>();
        List<Long> page = ids(queries.waiting(Filter.of(null), 0, limit).items());
        while (!page.isEmpty()) {
            assertThat(page).hasSizeLessThanOrEqualTo(limit);
            assertThat(walked).doesNotContainAnyElementsOf(page);
            walked.addAll(page);
            page = ids(queries.waiting(Filter.of(null), page.getLast(), limit).items());
        }
        assertThat(walked).containsExactly(6L, 7L, 8L, 9L, 10L);
    }

    @Test
    void whatIsActiveIsThatOfOneMoment() {
        JobQueries.Active active = queries.active(Filter.of(null), 3);
        assertThat(ids(active.live())).containsExactly(3L, 4L);
        assertThat(ids(active.waiting().items())).containsExactly(6L, 7L, 8L);
        assertThat(active.waiting().more()).isTrue();
        assertThat(ids(queries.active(Filter.of(Jobs.ADA.uid()), 9).waiting().items()))
                .as("the connection is as it was")
                .containsExactly(7L, 9L);
    }

    @Test
    void theQueueAndTheLiveJobsAreFilteredByOwner() {
        assertThat(ids(queries.waiting(Filter.of(Jobs.ADA.uid()), 0, 10).items()))
                .containsExactly(7L, 9L);
        assertThat(ids(queries.waiting(Filter.of(Jobs.BOB.uid()), 6, 1).items()))
                .containsExactly(8L);
        assertThat(ids(queries.active(Filter.of(null), 1).live())).containsExactly(3L, 4L);
        assertThat(ids(queries.active(Filter.of(Jobs.ADA.uid()), 1).live())).containsExactly(3L);
        assertThat(ids(queries.active(Filter.of(Jobs.BOB.uid()), 1).live())).containsExactly(4L);
        assertThat(queries.active(Filter.of(4_711L), 1).live()).isEmpty();
    }

    @Test
    void queuedBetweenCountsNeitherEnd() {
        assertThat(queries.queuedBetween(0, new JobId(6), LaneFilter.ALL)).isZero();
        assertThat(queries.queuedBetween(0, new JobId(7), LaneFilter.ALL)).isEqualTo(1);
        assertThat(queries.queuedBetween(0, new JobId(10), LaneFilter.ALL)).isEqualTo(4);
        assertThat(queries.queuedBetween(6, new JobId(10), LaneFilter.ALL)).isEqualTo(3);
        assertThat(queries.queuedBetween(9, new JobId(10), LaneFilter.ALL)).isZero();
        assertThat(queries.queuedBetween(0, new JobId(10), LaneFilter.WITH_GPUS))
                .isEqualTo(3);
        assertThat(queries.queuedBetween(0, new JobId(10), LaneFilter.WITHOUT_GPUS))
                .isEqualTo(1);
    }

    /** The engine of a target has a queue of its own, and nobody here has a place in it. */
    @Test
    void whatTargetsHaveIsShownAsItStandsThere() {
        keepAtTarget(11, Jobs.queued(11, 1).state());
        keepAtTarget(12, new JobState.HandedOver(1, false));
        keepAtTarget(13, new JobState.HandedOver(1, true));
        keep(14, 1, new JobState.Held(1, new ImageState.Pending(), "ada", Jobs.STARTED));
        keep(15, 1, Jobs.queued(15, 1).state());
        store.commit();

        assertThat(newest(null, List.of(StateName.QUEUED))).containsExactly(15L, 12L, 11L, 10L, 9L, 8L, 7L, 6L);
        assertThat(newest(null, List.of(StateName.HELD))).containsExactly(14L, 13L);
        assertThat(newest(Jobs.ADA.uid(), List.of(StateName.HELD))).containsExactly(13L);
        assertThat(newest(null, List.of(StateName.STARTING, StateName.RUNNING))).containsExactly(4L, 3L);
        assertThat(ids(queries.active(EVERYTHING, 99).live())).containsExactly(3L, 4L, 12L, 13L);
        assertThat(ids(queries.waiting(EVERYTHING, 0, 99).items())).containsExactly(6L, 7L, 8L, 9L, 10L, 11L, 14L, 15L);
        assertThat(queries.counts(null)).contains(new StateCount("HELD", 2), new StateCount("QUEUED", 8));
        assertThat(queries.counts(Jobs.ADA.uid())).contains(new StateCount("HELD", 1), new StateCount("QUEUED", 4));
        assertThat(queries.queuedBefore(new JobId(15))).isEqualTo(5);
        assertThat(queries.queuedBetween(0, new JobId(15), LaneFilter.ALL)).isEqualTo(5);
        assertThat(queries.queuedBetween(0, new JobId(15), LaneFilter.WITH_GPUS))
                .isEqualTo(4);
        assertThat(queries.queuedBetween(0, new JobId(15), LaneFilter.OF_TARGETS))
                .isEqualTo(1);
        assertThat(queries.queuedBetween(0, new JobId(11), LaneFilter.OF_TARGETS))
                .isZero();
    }

    private void keepAtTarget(long id, JobState state) {
        store.write(Jobs.upTo(Jobs.job(id, Jobs.at("cluster", Jobs.spec(1)), owner(id), state)));
    }

    @Test
    void countsAreOfEverybodyOrOfOneOwner() {
        assertThat(queries.counts(null))
                .containsExactly(
                        new StateCount("COMPLETED", 2),
                        new StateCount("FAILED", 1),
                        new StateCount("QUEUED", 5),
                        new StateCount("RUNNING", 1),
                        new StateCount("STARTING", 1));
        assertThat(queries.counts(Jobs.BOB.uid()))
                .containsExactly(
                        new StateCount("FAILED", 1), new StateCount("QUEUED", 3), new StateCount("STARTING", 1));
        assertThat(queries.counts(4_711L)).isEmpty();
    }

    @Test
    void eventsComeInOrderBehindTheOneThatIsKnown() {
        List<JobEventView> events = queries.events(new JobId(3), 0, 10).items();
        assertThat(events)
                .extracting(JobEventView::event, JobEventView::from, JobEventView::to)
                .containsExactly(tuple("JobAccepted", null, "QUEUED"), tuple("CancelRequested", "QUEUED", "RUNNING"));
        assertThat(events).extracting(JobEventView::job).containsOnly(3L);
        assertThat(events.getFirst().at()).isEqualTo(Jobs.SUBMITTED.toString());
        assertThat(events.getLast().attempt()).isEqualTo(1);

        assertThat(queries.events(new JobId(3), events.getFirst().sequence(), 10)
                        .items())
                .containsExactly(events.getLast());
        assertThat(queries.events(new JobId(3), events.getLast().sequence(), 10).items())
                .isEmpty();
        assertThat(queries.events(new JobId(3), 0, 1).items()).containsExactly(events.getFirst());
    }

    @Test
    void aSnapshotIsReferencedByTheJobsOfItsUserAlone() {
        assertThat(queries.isReferenced(Jobs.ADA.uid(), Jobs.SNAPSHOT)).isTrue();
        assertThat(queries.isReferenced(Jobs.ADA.uid(), "0".repeat(64))).isFalse();
        assertThat(queries.isReferenced(4_711, Jobs.SNAPSHOT)).isFalse();
    }

    @Test
    void manyReadersAtOnceShareTheConnections() {
        List<Long> found = IntStream.range(0, 200)
                .parallel()
                .mapToObj(i -> queries.find(new JobId(1 + i % 10)).orElseThrow())
                .map(job -> job.id().value())
                .toList();
        assertThat(found).hasSize(200).contains(1L, 10L);
    }

    private static List<Arguments> plans() {
        long ada = Jobs.ADA.uid();
        return List.of(
                Arguments.of(Selects.queuedBehind(Lane.MAIN, true), "job_queued (turn>?)"),
                Arguments.of(Selects.queuedBehind(Lane.MAIN, false), "job_queued_gpu (turn>?)"),
                Arguments.of(Selects.queuedBehind(Lane.CPU, false), "job_queued_cpu (turn>?)"),
                plan(Selects.waiting(EVERYTHING, 0, 9), "job_waiting (turn>?)"),
                Arguments.of(Selects.TO_BE_RUN, "SCAN job USING INDEX job_waiting"),
                plan(Selects.waiting(Filter.of(ada), 0, 9), "job_waiting_user (uid=? AND turn>?)"),
                plan(
                        Selects.waiting(new Filter(null, List.of(), "p", null), 0, 9),
                        "job_waiting_project (project=? AND turn>?)"),
                plan(
                        Selects.waiting(new Filter(null, List.of(), null, "n"), 0, 9),
                        "job_waiting_name (name=? AND turn>?)"),
                Arguments.of(Selects.FIRST_DEFERRED, "job_deferred"),
                Arguments.of(Selects.NEXT_BEGIN, "job_begin"),
                Arguments.of(Selects.FIRST_DEPENDENT, "SCAN job USING INDEX job_awaiting"),
                Arguments.of(Selects.ENDED_AND_AWAITED, "INTEGER PRIMARY KEY (rowid=?)"),
                Arguments.of(Selects.ENDED_AND_AWAITED, "SCAN dependency USING COVERING INDEX dependency_on"),
                Arguments.of(Selects.DUE, "job_begin (begin_at>? AND begin_at<?)"),
                Arguments.of(Selects.DEPENDENCIES, "PRIMARY KEY (job=?)"),
                Arguments.of(Selects.PAIRS, "dependency_on (other=?)"),
                Arguments.of(Selects.PAIRS, "INTEGER PRIMARY KEY (rowid=?)"),
                Arguments.of(Selects.PAIR_COUNT, "dependency_on (other=?)"),
                Arguments.of(Selects.ENDED_PAIRS, "job_task (array=?)"),
                Arguments.of(Selects.ENDED_PAIRS, "INTEGER PRIMARY KEY (rowid=?)"),
                Arguments.of(Selects.IS_AWAITED, "dependency_on (other=?)"),
                Arguments.of(Selects.DEPENDENTS, "dependency_on (other=? AND job>?)"),
                Arguments.of(Selects.DEPENDENTS, "INTEGER PRIMARY KEY (rowid=?)"),
                Arguments.of(Selects.QUEUED_BEFORE, "job_queued (turn>?)"),
                Arguments.of(Selects.queuedBetween(LaneFilter.ALL), "job_queued (turn>? AND turn<?)"),
                Arguments.of(Selects.queuedBetween(LaneFilter.WITH_GPUS), "job_queued_gpu (turn>? AND turn<?)"),
                Arguments.of(Selects.queuedBetween(LaneFilter.WITHOUT_GPUS), "job_queued_cpu (turn>? AND turn<?)"),
                Arguments.of(Selects.QUEUED_BEFORE, "SCAN job USING INDEX job_queued_target"),
                Arguments.of(Selects.queuedBetween(LaneFilter.OF_TARGETS), "job_queued_target (turn>? AND turn<?)"),
                Arguments.of(Selects.queuedBehind(Lane.MAIN, true), "job_queued (turn>?)"),
                Arguments.of(Selects.queuedBehind(Lane.MAIN, false), "job_queued_gpu (turn>?)"),
                Arguments.of(Selects.queuedBehind(Lane.CPU, false), "job_queued_cpu (turn>?)"),
                Arguments.of(Selects.queuedBehind(Lane.TARGET, true), "job_queued_target (turn>?)"),
                Arguments.of(Selects.LIVE, "SCAN job USING INDEX job_live"),
                Arguments.of(Selects.OF_SNAPSHOT, "job_of_snapshot (uid=? AND snapshot=?)"),
                plan(Selects.live(EVERYTHING), "SCAN job USING INDEX job_live"),
                plan(Selects.live(Filter.of(ada)), "SCAN job USING INDEX job_live"),
                plan(Selects.live(new Filter(ada, List.of(), "p", "n")), "SCAN job USING INDEX job_live"),
                plan(Selects.newest(EVERYTHING, 9, 9, false), "job_listed (id<?)"),
                plan(Selects.newest(Filter.ofTasks(new JobId(7)), 9, 9, false), "job_task (array=? AND id<?)"),
                plan(
                        Selects.newest(Filter.ofTasks(new JobId(7)).with(List.of(StateName.FAILED)), 9, 9, false),
                        "job_task_state (array=? AND state=? AND id<?)"),
                Arguments.of(Selects.feed(true), "SEARCH job_event USING INTEGER PRIMARY KEY (rowid>?)"),
                plan(Selects.waiting(Filter.ofTasks(new JobId(7)), 9, 9), "job_task_open (array=? AND id>?)"),
                Arguments.of(Selects.ARRAY_BEFORE, "job_array (id<?)"),
                Arguments.of(Selects.OPEN_ARRAYS, "job_array"),
                Arguments.of(Selects.ANY_OPEN_TASK, "INDEX job_task_open (array=?)"),
                Arguments.of(Selects.SINGLE_TASKS, "INDEX job_task_open (array=?)"),
                Arguments.of(Selects.OPEN_TASKS_BEHIND, "job_task_open (array=? AND id>?)"),
                Arguments.of(Selects.PARTS, "job_task (array=?)"),
                Arguments.of(Selects.PACKED_TASKS, "job_packed (id>? AND id<?)"),
                Arguments.of(Selects.ENDED_PACKED, "INTEGER PRIMARY KEY (rowid=?)"),
                Arguments.of(Selects.BY_IDS, "INTEGER PRIMARY KEY (rowid=?)"),
                plan(Selects.live(EVERYTHING), "SCAN job USING INDEX job_packed"),
                Arguments.of(Selects.FIRST_TASKS, "job_task (array=?)"),
                Arguments.of(Selects.TASK_USAGE, "job_task (array=?)"),
                Arguments.of(Selects.TASK_USAGE, "job_usage USING INTEGER PRIMARY KEY (rowid=?)"),
                Arguments.of(Selects.EARLIER_RAN, "attempt USING PRIMARY KEY (job>? AND job<?)"),
                Arguments.of(Selects.TASK_COUNTS, "task_count USING PRIMARY KEY (array=?)"),
                Arguments.of(Selects.OLDEST_ENDED, "job_of_end (ended_at>? AND ended_at<?)"),
                Arguments.of(Selects.PROGRAM, "INTEGER PRIMARY KEY (rowid=?)"),
                plan(Selects.newest(Filter.of(ada), 9, 9, false), "job_of_user (uid=? AND id<?)"),
                plan(
                        Selects.newest(new Filter(null, List.of(), "p", null), 9, 9, false),
                        "job_of_project (project=? AND id<?)"),
                Arguments.of(
                        ProjectRows.OF_USER,
                        "SEARCH job USING COVERING INDEX job_of_own_project (uid=? AND project>?)"),
                Arguments.of(
                        ProjectRows.ONE, "SEARCH job USING COVERING INDEX job_of_own_project (uid=? AND project=?)"),
                Arguments.of(ProjectRows.JOBS, "job_of_own_project (uid=? AND project=? AND id>?)"),
                Arguments.of(ProjectRows.OWNER, "SEARCH job USING INTEGER PRIMARY KEY (rowid=?)"),
                Arguments.of(ProjectRows.OWNER, "job_of_user (uid=?)"),
                plan(
                        Selects.newest(new Filter(null, List.of(), null, "n"), 9, 9, false),
                        "job_of_name (name=? AND id<?)"),
                Arguments.of(Selects.BY_SUBMIT_KEY, "job_of_submit (uid=? AND submit_key=?)"),
                Arguments.of(Selects.LAST_GPUS, "job_event_of_job (job=?)"),
                Arguments.of(Selects.LAST_CHANGE, "job_event_of_job (job=?)"),
                Arguments.of(Selects.counts(ada), "job_count USING PRIMARY KEY (uid=?)"),
                Arguments.of(Selects.BY_ID, "INTEGER PRIMARY KEY (rowid=?)"),
                Arguments.of(Selects.ALLOCATION, "PRIMARY KEY (job=?)"),
                Arguments.of(Selects.EVENTS, "job_event_of_job (job=? AND sequence>?)"));
    }

    @Test
    void whatStandsBeforeAJobIsTheSameFromBothEnds() {
        for (long id = 1; id <= 11; id++) {
            assertThat(queries.queuedBefore(new JobId(id)))
                    .as("before job %s", id)
                    .isEqualTo(queries.queuedBetween(0, new JobId(id), LaneFilter.ALL));
        }
    }

    private static Arguments plan(Selection question, String index) {
        return Arguments.of(question.sql(), index);
    }

    /** Rare ones among a million are found by an index of their own, a state each, and only those are sorted. */
    @Test
    void statesAreLookedForOneByOne() throws SQLException {
        Filter rare = new Filter(null, List.of(StateName.LOST, StateName.OUT_OF_MEMORY), null, null);
        Filter own = new Filter(Jobs.ADA.uid(), List.of(StateName.LOST), null, null);
        assertThat(planOf(Selects.newest(rare, 9, 9, false)))
                .contains("job_of_state (state=? AND id<?)")
                .doesNotContain("SCAN job");
        assertThat(planOf(Selects.newest(own, 9, 9, false))).contains("job_of_user_state (uid=? AND state=? AND id<?)");
    }

    /** At most so many of each are sorted; what has ended, and what waits, is not looked at. */
    @Test
    void theFewThatRunAreFoundWithoutAWalkThroughAll() throws SQLException {
        for (Filter filter : List.of(Filter.of(null), Filter.of(Jobs.ADA.uid()))) {
            assertThat(planOf(Selects.newest(filter.with(List.of(StateName.RUNNING)), 9, 9, false)))
                    .contains("job_live (id<?)", "job_dispatched (id<?)", "job_packed (id<?)")
                    .doesNotContain("job_listed", "job_of_user");
        }
    }

    /** Beside a hundred thousand that have ended. */
    @Test
    void theFewThatWaitAreFoundWithoutAWalkThroughAll() throws SQLException {
        for (Filter filter : List.of(Filter.of(null), Filter.of(Jobs.ADA.uid()))) {
            for (StateName state : List.of(StateName.QUEUED, StateName.HELD)) {
                Filter ofState = filter.with(List.of(state));
                assertThat(planOf(Selects.newest(ofState, 9, 9, true)))
                        .contains("job_waiting")
                        .doesNotContain("job_listed", "job_of_user");
                assertThat(planOf(Selects.newest(ofState, 9, 9, false))).doesNotContain("job_waiting");
                assertThat(queries.newest(ofState, Long.MAX_VALUE, 99).items())
                        .isEqualTo(queries.newest(filter, Long.MAX_VALUE, 99).items().stream()
                                .filter(job -> job.state().name() == state)
                                .toList());
            }
        }
    }

    private String planOf(Selection question) throws SQLException {
        try (Connection reader = Database.openReader(file)) {
            return String.join("\n", Tables.rows(reader, "EXPLAIN QUERY PLAN " + question.sql()));
        }
    }

    /** The answer takes the same time however many jobs there are only as long as SQLite walks along an index. */
    @ParameterizedTest
    @MethodSource("plans")
    void everyQuestionWalksAlongAnIndex(String sql, String index) throws SQLException {
        try (Connection reader = Database.openReader(file)) {
            String plan =
                    Tables.rows(reader, "EXPLAIN QUERY PLAN " + sql).stream().collect(Collectors.joining("\n"));
            assertThat(plan).contains(index).doesNotContain("TEMP B-TREE");
        }
    }

    @ParameterizedTest
    @EnumSource(Column.class)
    void aSortedListReadsItsIndexAlone(Column column) throws SQLException {
        Selection sorted = Selects.sorted(
                new Filter(7L, List.of(StateName.FAILED), "p", "n"), new JobOrder(column, true), 9, 9, 1);
        try (Connection reader = Database.openReader(file)) {
            assertThat(String.join("\n", Tables.rows(reader, "EXPLAIN QUERY PLAN " + sorted.sql())))
                    .contains("SEARCH job USING COVERING INDEX job_sorted (id>?")
                    .doesNotContain("SCAN");
        }
    }

    /** Anyone who asks for what takes long, over as many connections as they may have, leaves the others their readers. */
    @Test
    void ofOneUserTwoQuestionsAreAtTheDatabaseAtOnce() throws InterruptedException {
        CountDownLatch answered = new CountDownLatch(1);
        Semaphore begun = new Semaphore(0);
        List<Thread> asking = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            asking.add(Thread.ofVirtual().start(() -> {
                try (Turn _ = ReadConnections.askedBy(Jobs.ADA.uid())) {
                    queries.ask(_ -> {
                        begun.release();
                        return waited(answered);
                    });
                }
            }));
        }
        assertThat(begun.tryAcquire(2, 30, TimeUnit.SECONDS)).isTrue();
        try (Turn _ = ReadConnections.askedBy(Jobs.BOB.uid())) {
            assertThat(queries.find(new JobId(1))).isPresent();
        }
        assertThat(queries.find(new JobId(2))).as("asked by the server itself").isPresent();
        assertThat(begun.availablePermits()).isZero();
        answered.countDown();
        for (Thread thread : asking) {
            thread.join();
        }
        assertThat(begun.availablePermits()).isEqualTo(4);
    }

    private static boolean waited(CountDownLatch latch) {
        try {
            return latch.await(30, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
