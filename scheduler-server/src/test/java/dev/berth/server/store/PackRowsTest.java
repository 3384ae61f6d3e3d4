package dev.berth.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.api.ServerView.StateCount;
import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState;
import dev.berth.core.job.JobState.Packed;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.Packing;
import dev.berth.core.job.Part;
import dev.berth.core.job.StateName;
import dev.berth.core.job.StopCause;
import dev.berth.core.job.TaskSet;
import dev.berth.core.job.Tasks;
import dev.berth.core.machine.Change;
import dev.berth.server.example.Jobs;
import dev.berth.server.store.JobQueries.Filter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An array of eight tasks in packs of four: its number is 1, those of its tasks 2 to 9, those of its packs 10 and 11. */
class PackRowsTest {
    private static final Queued READY = new Queued(1, new ImageState.Ready(Jobs.IMAGE_ID));
    private static final Packed WAITS = Packed.WAITING;
    private static final Packed RUNS = new Packed(Jobs.STARTED, null);
    private static final Filter ALL = Filter.of(null);
    private static final Filter WITH_TASKS = new Filter(null, List.of(), null, null, null, true);

    @TempDir
    private Path directory;

    private JobStore store;
    private JobQueries queries;
    private Job array;
    private Job pack;

    /** The tasks of a pack that are in it still. */
    static List<Job> inPack(JobStore store, Job pack) {
        return store.tasksOfPack(pack).stream()
                .filter(task -> task.state() instanceof JobState.Packed)
                .toList();
    }

    @BeforeEach
    void open() {
        store = new JobStore(directory.resolve("berth.db"));
        queries = new JobQueries(directory.resolve("berth.db"));
        Tasks tasks = Tasks.parse("0-7").with(new Packing(4, 2));
        array = Jobs.job(1, Jobs.spec(1).with(tasks), Jobs.ADA, READY);
        pack = array.nextPack();
        store.write(Jobs.upTo(array));
        store.write(List.of(packed(array)));
        store.commit();
    }

    @AfterEach
    void close() {
        queries.close();
        store.close();
    }

    /** The next pack of an array has its turn. */
    static Change.Packed packed(Job array) {
        Job pack = array.nextPack();
        TaskSet tasks = ((Part.Pack) Objects.requireNonNull(pack.part())).tasks();
        return new Change.Packed(
                Jobs.STARTED,
                array,
                array.without(tasks),
                pack,
                tasks.indices().stream()
                        .map(index -> array.task(index).with(WAITS))
                        .toList());
    }

    private Job task(int index) {
        return store.find(array.taskId(index)).orElseThrow();
    }

    private Optional<Job> packOf(Job task) {
        return Optional.ofNullable(queries.packs(List.of(task)).get(task.id()));
    }

    private void moved(Job before, JobState after) {
        store.write(List.of(Jobs.advance(before, after)));
        store.commit();
    }

    @Test
    void aPackAndItsTasksAreRows() {
        assertThat(store.find(pack.id())).contains(pack);
        assertThat(pack.id()).isEqualTo(new JobId(10));
        assertThat(queries.number(pack.id())).isEqualTo("1_[0-3]");
        assertThat(inPack(store, pack))
                .hasSize(4)
                .first()
                .isEqualTo(array.task(0).with(WAITS));
        assertThat(store.find(array.id()).orElseThrow().waiting()).hasToString("4-7");
        assertThat(store.lastId()).isEqualTo(11);
        assertThat(queries.find(new JobId(11))).isEmpty();
        assertThat(queries.program(pack.id())).contains(Jobs.PROGRAM);
        assertThat(queries.events(pack.id(), 0, 9).items())
                .singleElement()
                .satisfies(event -> assertThat(event.number()).isEqualTo("1_[0-3]"));
    }

    @Test
    void aTaskInAPackIsInTheStateThatItWasIn() {
        for (Packed state : List.of(
                RUNS,
                new Packed(null, new StopCause.Cancelled("ada")),
                new Packed(Jobs.STARTED, new StopCause.Cancelled("ada")))) {
            moved(task(0), state);
            assertThat(task(0).state()).isEqualTo(state);
        }
    }

    @Test
    void noListHasPacks() {
        moved(pack, Jobs.runningOn(0));
        moved(task(0), RUNS);
        assertThat(numbers(queries.newest(ALL, Long.MAX_VALUE, 20).items())).containsExactly("1");
        assertThat(queries.active(ALL, 20).live()).isEmpty();
        assertThat(numbers(queries.active(WITH_TASKS, 20).live())).containsExactly("1_0", "1_1", "1_2", "1_3");
        assertThat(numbers(queries.active(WITH_TASKS, 20).waiting().items())).containsExactly("1");
        assertThat(numbers(queries.newest(Filter.ofTasks(array.id()), Long.MAX_VALUE, 20)
                        .items()))
                .containsExactly("1_3", "1_2", "1_1", "1_0");
        assertThat(numbers(queries.newest(WITH_TASKS, Long.MAX_VALUE, 20).items()))
                .containsExactly("1_3", "1_2", "1_1", "1_0", "1");
        assertThat(numbers(queries.newest(WITH_TASKS.with(List.of(StateName.RUNNING)), Long.MAX_VALUE, 20)
                        .items()))
                .containsExactly("1_0");
        assertThat(numbers(queries.newest(ALL.with(List.of(StateName.RUNNING)), Long.MAX_VALUE, 20)
                        .items()))
                .isEmpty();
    }

    @Test
    void thePackCountsWithItsTasksAlone() {
        moved(pack, Jobs.runningOn(0));
        moved(task(0), RUNS);
        // The array, and three tasks in the pack.
        assertThat(queries.counts(null)).containsExactly(new StateCount("QUEUED", 4), new StateCount("RUNNING", 1));
        assertThat(queries.tasks(array.id())).isEqualTo(Map.of(StateName.QUEUED, 3L, StateName.RUNNING, 1L));
        assertThat(store.live()).extracting(Job::number).containsExactly("1_[0-3]");
        for (int index = 0; index < 4; index++) {
            moved(task(index), Jobs.failed());
        }
        assertThat(store.packsToRead()).isEmpty();
        moved(store.find(pack.id()).orElseThrow(), Jobs.failed());
        assertThat(store.packsToRead()).isEmpty();
        assertThat(queries.counts(null)).containsExactly(new StateCount("FAILED", 4), new StateCount("QUEUED", 1));
        assertThat(queries.ended()).isZero();
        assertThat(queries.failedTasks(array.id())).containsExactly(0, 1, 2, 3);
        assertThat(queries.oldestEnded(java.time.Instant.MAX, 9)).isEmpty();
    }

    @Test
    void theTaskThatEndedInItsPackIsToldFromTheOneThatRanAlone() {
        moved(pack, Jobs.runningOn(0));
        assertThat(packOf(task(0))).map(Job::number).contains("1_[0-3]");
        moved(task(0), Jobs.completed());
        assertThat(packOf(task(0))).map(Job::number).contains("1_[0-3]");
        // Left over, and alone.
        moved(task(1), READY);
        assertThat(packOf(task(1))).isEmpty();
        moved(task(1), Jobs.runningOn(1));
        moved(task(1), Jobs.completed());
        assertThat(packOf(task(1))).isEmpty();
        assertThat(packOf(array.task(7))).isEmpty();
        assertThat(queries.packs(List.of(task(0), task(1), task(2), array, array.task(7))))
                .as("those of a list")
                .containsOnlyKeys(array.taskId(0), array.taskId(2));
        assertThat(queries.findPack(array.id(), 2)).map(Job::id).contains(pack.id());
        assertThat(queries.findPack(array.id(), 4)).isEmpty();
        assertThat(queries.findPack(array.id(), 8)).isEmpty();
    }

    @Test
    void aPackThatHasEndedIsToBeReadAsLongAsItsTasksHaveNot() {
        assertThat(store.packsToRead()).isEmpty();
        assertThat(store.openPacks(array.id())).containsExactly(pack);
        moved(pack, Jobs.completed());
        moved(task(0), Jobs.completed());
        assertThat(store.packsToRead()).extracting(Job::id).containsExactly(pack.id());
        assertThat(numbers(inPack(store, pack))).containsExactly("1_1", "1_2", "1_3");
        assertThat(store.openPacks(array.id())).isEmpty();
    }

    @Test
    void theUseOfAnArrayIsThatOfItsPacks() {
        moved(pack, Jobs.runningOn(0));
        moved(task(0), Jobs.completed());
        moved(task(1), Jobs.completed());
        moved(task(2), READY);
        moved(task(2), Jobs.completed());
        moved(store.find(pack.id()).orElseThrow(), Jobs.completed());
        int attempt = Jobs.completed().attempt();
        store.keep(new StoredUsage(pack.id(), attempt, 1000, 90_000, 512L, 100, 5L, 1, List.of()));
        store.commit();
        long ran = Jobs.completed().ran().multipliedBy(2).toMillis();
        assertThat(queries.taskUsage(array.id(), Set.of()))
                .isEqualTo(new TaskUsage(2, ran, 1000, 90_000, 512L, 100, 5L));
    }

    @Test
    void aWarningAboutAPackIsOneOfItsArray() {
        moved(pack, Jobs.runningOn(0));
        store.warn(new JobWarning(pack.id(), 1, JobWarning.GPU_IDLE, "", "idle", Jobs.STARTED, null));
        store.commit();
        assertThat(queries.taskWarnings(array.id(), true))
                .extracting(JobWarning::sentence)
                .containsExactly("pack 1_[0-3]: idle");
    }

    @Test
    void whatIsDeletedWithAnArrayIsItsPacksToo() {
        assertThat(numbers(store.parts(array.id(), 9)))
                .containsExactlyInAnyOrder("1_0", "1_1", "1_2", "1_3", "1_[0-3]");
        store.parts(array.id(), 9).forEach(part -> moved(part, Jobs.completed()));
        moved(store.find(array.id()).orElseThrow(), Jobs.completed());
        store.parts(array.id(), 9).forEach(part -> store.delete(part.id()));
        store.delete(array.id());
        store.commit();
        Path file = directory.resolve("berth.db");
        assertThat(Tables.number(file, "SELECT count(*) FROM job")).isZero();
        assertThat(Tables.number(file, "SELECT count(*) FROM task_count")).isZero();
        assertThat(Tables.number(file, "SELECT sum(jobs) FROM job_count")).isZero();
    }

    private static List<String> numbers(List<Job> jobs) {
        return jobs.stream().map(Job::number).toList();
    }
}
