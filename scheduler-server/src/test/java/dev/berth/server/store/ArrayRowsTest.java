package dev.berth.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState;
import dev.berth.core.job.JobState.Deferred;
import dev.berth.core.job.JobState.Dispatched;
import dev.berth.core.job.JobState.Held;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.StateName;
import dev.berth.core.job.Tasks;
import dev.berth.core.machine.Change;
import dev.berth.server.example.Jobs;
import dev.berth.server.store.JobQueries.Filter;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ArrayRowsTest {
    private static final Queued READY = new Queued(1, new ImageState.Ready(Jobs.IMAGE_ID));

    @TempDir
    private Path directory;

    private JobStore store;
    private JobQueries queries;

    @BeforeEach
    void open() {
        store = new JobStore(directory.resolve("berth.db"));
        queries = new JobQueries(directory.resolve("berth.db"));
    }

    @AfterEach
    void close() {
        queries.close();
        store.close();
    }

    private static Job array(long id, String tasks, JobState state) {
        return Jobs.job(id, Jobs.spec(1).with(Tasks.parse(tasks)), Jobs.ADA, state);
    }

    private Job accepted(long id, String tasks, JobState state) {
        Job array = array(id, tasks, state);
        store.write(Jobs.upTo(array));
        store.commit();
        return array;
    }

    /** The array without the task, which is a row of its own. */
    private Job singled(Job array, int index) {
        Job rest = array.without(index);
        store.write(List.of(new Change.Singled(Jobs.STARTED, array, rest, array.task(index))));
        store.commit();
        return rest;
    }

    private void moved(Job before, JobState after) {
        store.write(List.of(Jobs.advance(before, after)));
        store.commit();
    }

    @Test
    void anArrayIsOneRowWhateverItsTasks() {
        Job array = accepted(1, "0-99999%4", READY);

        assertThat(store.find(array.id())).contains(array);
        assertThat(Tables.number(directory.resolve("berth.db"), "SELECT count(*) FROM job"))
                .isEqualTo(1);
        assertThat(store.lastId()).isEqualTo(100_001);
        assertThat(queries.find(new JobId(50_002))).contains(array.task(50_000));
        assertThat(queries.find(new JobId(100_002))).isEmpty();
    }

    @Test
    void theNumbersOfTasksAreNotGivenToOthersAfterARestart() {
        accepted(1, "0-9", READY);
        store.close();
        store = new JobStore(directory.resolve("berth.db"));
        assertThat(store.lastId()).isEqualTo(11);
    }

    @Test
    void aTaskIsARowOfItsOwnOnceItsTurnHasCome() {
        Job array = accepted(1, "3,7-9", READY);
        Job rest = singled(array, 7);

        assertThat(store.find(new JobId(3))).contains(array.task(7));
        assertThat(store.find(array.id())).contains(rest);
        assertThat(rest.waiting()).hasToString("3,8-9");
        assertThat(queries.program(new JobId(3))).contains(Jobs.PROGRAM);
        assertThat(queries.programBytes(new JobId(3)))
                .isEqualTo(queries.programBytes(array.id()))
                .isPositive();
        moved(array.task(7), Jobs.completed());
        assertThat(queries.tasks(array.id())).containsOnly(java.util.Map.entry(StateName.COMPLETED, 1L));
        assertThat(store.hasOpenTasks(array.id())).isFalse();
    }

    @Test
    void anArrayWhoseTasksAllHadTheirTurnHoldsNoPlace() {
        Job array = accepted(1, "0-1", READY);
        Job rest = singled(singled(array, 0), 1);

        assertThat(rest.state()).isEqualTo(new Dispatched(1, null));
        assertThat(store.find(array.id())).contains(rest);
        assertThat(store.live()).isEmpty();
        assertThat(store.queuedBehind(dev.berth.core.machine.Lane.MAIN, true, 0, 9, Long.MAX_VALUE)
                        .items())
                .containsExactly(array.task(0), array.task(1));
        assertThat(queries.events(array.id(), 0, 9).items()).last().satisfies(event -> {
            assertThat(event.event()).isEqualTo("TasksDispatched");
            assertThat(event.to()).isEqualTo("RUNNING");
        });
        assertThat(queries.events(new JobId(2), 0, 9).items())
                .singleElement()
                .satisfies(event -> assertThat(event.number()).isEqualTo("1_0"));
    }

    @Test
    void aTaskOfAnArrayThatIsHeldOrWaitsForOthersIsSoToo() {
        Job other = Jobs.queued(1, 1);
        store.write(Jobs.upTo(other));
        for (JobState state : EveryJobState.all()) {
            if (state instanceof Held || state instanceof Deferred) {
                Job array = accepted(store.lastId() + 1, "0-1", state);
                Job rest = singled(array, 0);
                assertThat(store.find(array.taskId(0))).contains(array.task(0));
                assertThat(store.find(array.id())).contains(rest);
                assertThat(singled(rest, 1).state()).isEqualTo(new Dispatched(state.attempt(), null));
                assertThat(store.find(array.id()).orElseThrow().waiting().isEmpty())
                        .isTrue();
            }
        }
    }

    @Test
    void listsShowAnArrayInPlaceOfItsTasks() {
        Job array = accepted(1, "0-3", READY);
        moved(singledTask(array, 0), Jobs.runningOn(0));
        Job later = Jobs.queued(6, 1);
        store.write(Jobs.upTo(later));
        store.commit();

        assertThat(ids(queries.newest(Filter.of(null), Long.MAX_VALUE, 9))).containsExactly(6L, 1L);
        assertThat(ids(queries.newest(Filter.ofTasks(array.id()), Long.MAX_VALUE, 9)))
                .containsExactly(2L);
        assertThat(queries.active(Filter.of(null), 9).live()).isEmpty();
        assertThat(queries.active(new Filter(null, List.of(), null, null, null, true), 9)
                        .live())
                .hasSize(1);
        assertThat(ids(queries.newest(Filter.of(null).with(List.of(StateName.RUNNING)), Long.MAX_VALUE, 9)))
                .isEmpty();
        assertThat(queries.ended()).isZero();
        moved(store.find(new JobId(2)).orElseThrow(), Jobs.completed());
        assertThat(queries.ended()).isZero();
        assertThat(queries.oldestEnded(java.time.Instant.MAX, 9)).isEmpty();
    }

    private Job singledTask(Job array, int index) {
        singled(array, index);
        return array.task(index);
    }

    private static List<Long> ids(Rows<Job> jobs) {
        return jobs.items().stream().map(job -> job.id().value()).toList();
    }

    @Test
    void whatTasksMadeOfTheirGpusIsSummed() {
        Job array = accepted(1, "0-3", READY);
        Job second = singledTask(array, 0);
        moved(second, Jobs.completed());
        moved(singledTask(array.without(0), 1), Jobs.runningOn(0));
        Job rest = array.without(0).without(1);
        moved(singledTask(rest, 2), Jobs.completed());
        int attempt = Jobs.completed().attempt();
        store.keep(new StoredUsage(new JobId(2), attempt, 1000, 90_000, 512L, 100, 5L, 1, List.of()));
        store.keep(new StoredUsage(new JobId(4), attempt, 3000, 30_000, 2048L, 200, null, 1, List.of()));
        store.keep(new StoredUsage(new JobId(3), 1, 7, 7, 7L, 7, 7L, 1, List.of()));
        store.commit();
        long ran = Jobs.completed().ran().multipliedBy(2).toMillis();
        assertThat(ran).isPositive();
        assertThat(queries.taskUsage(array.id(), Set.of()))
                .isEqualTo(new TaskUsage(2, ran, 4000, 120_000, 2048L, 300, 5L));
        assertThat(queries.taskUsage(new JobId(9), Set.of())).isEqualTo(new TaskUsage(0, 0, 0, 0, null, 0, null));
        assertThat(queries.taskUsage(array.id(), Set.of(new JobId(2), new JobId(99))))
                .as("the time of a task without the use of its GPUs")
                .isEqualTo(new TaskUsage(2, ran, 3000, 30_000, 2048L, 200, null));
        assertThat(queries.taskUsage(array.id(), Set.of())
                        .andRan(1000)
                        .and(new StoredUsage(new JobId(3), 1, 1, 2, 4096L, 3, 4L, 1, List.of())))
                .isEqualTo(new TaskUsage(3, ran + 1000, 4001, 120_002, 4096L, 303, 9L));
    }

    @Test
    void warningsAboutTasksSayWhichTheyAreAbout() {
        Job array = accepted(1, "4-7", READY);
        Job first = singledTask(array, 4);
        moved(first, Jobs.runningOn(0));
        store.warn(new JobWarning(first.id(), 1, JobWarning.GPU_IDLE, "", "idle", Jobs.STARTED, null));
        moved(store.find(first.id()).orElseThrow(), Jobs.completed());
        Job second = singledTask(array.without(4), 5);
        moved(second, Jobs.runningOn(1));
        store.warn(new JobWarning(second.id(), 1, JobWarning.GPU_IDLE, "", "idle, too", Jobs.ENDED, null));
        store.commit();
        assertThat(queries.taskWarnings(array.id(), true))
                .containsExactly(new JobWarning(
                        second.id(), 1, JobWarning.GPU_IDLE, "", "task 1_5: idle, too", Jobs.ENDED, null));
        assertThat(queries.taskWarnings(array.id(), false))
                .extracting(JobWarning::sentence)
                .containsExactly("task 1_4: idle", "task 1_5: idle, too");
        assertThat(queries.taskWarnings(array.id(), false).getFirst().endedAt()).isNotNull();
    }

    @Test
    void countsGoWithTheArray() {
        Job array = accepted(1, "0-1", READY);
        moved(singledTask(array, 0), Jobs.completed());
        moved(store.find(array.id()).orElseThrow(), Jobs.completed());
        store.delete(new JobId(2));
        store.delete(array.id());
        store.commit();

        assertThat(Tables.number(directory.resolve("berth.db"), "SELECT count(*) FROM task_count"))
                .isZero();
        assertThat(queries.ended()).isZero();
        assertThat(store.lastId()).isEqualTo(3);
    }
}
