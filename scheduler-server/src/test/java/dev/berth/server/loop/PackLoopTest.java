package dev.berth.server.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobState;
import dev.berth.core.job.JobState.Creating;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.JobState.Packed;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.JobState.Stopping;
import dev.berth.core.job.Packing;
import dev.berth.core.job.StateName;
import dev.berth.core.job.StopCause;
import dev.berth.core.job.Tasks;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Change;
import dev.berth.core.machine.Effect;
import dev.berth.core.machine.Effect.CreateRun;
import dev.berth.core.machine.Effect.StopRun;
import dev.berth.core.machine.Effect.StopTask;
import dev.berth.core.machine.Found;
import dev.berth.core.machine.JobEvent.CancelRequested;
import dev.berth.core.machine.JobEvent.HoldRequested;
import dev.berth.core.machine.JobEvent.ImageArrived;
import dev.berth.core.machine.JobEvent.RunExited;
import dev.berth.core.machine.JobEvent.RunStarted;
import dev.berth.core.machine.RunnerKind;
import dev.berth.server.example.Jobs;
import dev.berth.server.store.JobStore;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An array of two tasks in one pack: its number is 1, those of its tasks 2 and 3, and that of the pack 4. */
class PackLoopTest {
    private static final Queued WAITS = new Queued(1, new ImageState.Pending());
    private static final CancelRequested CANCEL = new CancelRequested("ada");

    @TempDir
    private Path directory;

    private final List<Effect> effects = new ArrayList<>();
    private final Job array =
            Jobs.job(1, Jobs.spec(1).with(Tasks.parse("0-1").with(new Packing(2, 1))), Jobs.ADA, WAITS);
    private final Job pack = array.nextPack();
    private JobStore store;
    private Scheduling scheduling;
    private SchedulingLoop loop;

    @BeforeEach
    void open() {
        store = new JobStore(directory.resolve("berth.db"));
        store.write(Jobs.upTo(array));
        store.write(List.of(new Change.Packed(
                Jobs.STARTED, array, array.without(pack.packed()), pack, List.of(inPack(0), inPack(1)))));
        scheduling = Loops.onTwoGpus(store, 9);
        loop = Loops.loop(scheduling, store, effects::addAll, Jobs.STARTED);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private Job inPack(int index) {
        return array.task(index).with(Packed.WAITING);
    }

    /** A server begins with the pack in a state. */
    private void begin(JobState state, Found... found) {
        if (!state.equals(WAITS)) {
            store.write(List.of(Jobs.advance(pack, state)));
        }
        store.commit();
        loop.recover(new FoundAtStart(List.of(found), null));
    }

    private void cancel(int... indices) throws InterruptedException {
        for (int index : indices) {
            var _ = scheduling.request(array.taskId(index), CANCEL);
        }
        loop.turn(Duration.ZERO);
    }

    private JobState state(Job job) {
        return store.find(job.id()).orElseThrow().state();
    }

    private void assertCancelledUnstarted() {
        assertThat(state(pack)).isInstanceOfSatisfying(Finished.class, end -> {
            assertThat(end.name()).isEqualTo(StateName.CANCELLED);
            assertThat(end.startedAt()).isNull();
        });
        assertThat(state(array).name()).isEqualTo(StateName.CANCELLED);
        assertThat(effects).noneMatch(CreateRun.class::isInstance);
    }

    @Test
    void aPackInTheQueueEndsWithItsLastTask() throws InterruptedException {
        begin(WAITS);
        cancel(0);
        assertThat(state(pack)).isEqualTo(WAITS);
        cancel(1);
        assertCancelledUnstarted();
        var _ = scheduling.request(pack.id(), new ImageArrived(Jobs.IMAGE_ID));
        loop.turn(Duration.ZERO);
        assertCancelledUnstarted();
    }

    @Test
    void aPackThatIsHeldEndsWithItsLastTask() throws InterruptedException {
        begin(WAITS);
        var _ = scheduling.request(pack.id(), new HoldRequested("ada"));
        cancel(0, 1);
        assertCancelledUnstarted();
    }

    /** Else it would go back to the queue where it cannot be made. */
    @Test
    void aPackThatIsBeingMadeIsStoppedWithItsLastTask() throws InterruptedException {
        begin(new Creating(1, Jobs.IMAGE_ID, Jobs.allocation(0)).decided());
        cancel(0);
        assertThat(effects).noneMatch(StopRun.class::isInstance);
        cancel(1);
        assertThat(state(pack)).isInstanceOf(Stopping.class);
        assertThat(effects).filteredOn(StopRun.class::isInstance).hasSize(1);
    }

    @Test
    void aPackThatRunsEndsByItself() throws InterruptedException {
        begin(Jobs.runningOn(0), running());
        cancel(0, 1);
        assertThat(state(pack)).isInstanceOf(JobState.Running.class);
        assertThat(effects).filteredOn(StopTask.class::isInstance).hasSize(2);
    }

    /** The one before may have ended between its commit and what follows from it. */
    @Test
    void aTaskWhoseCancelAnEarlierServerTookIsToldToEnd() {
        store.write(List.of(Jobs.advance(inPack(1), new Packed(null, new StopCause.Cancelled("ada")))));
        begin(Jobs.runningOn(0), running());
        assertThat(effects)
                .filteredOn(StopTask.class::isInstance)
                .containsExactly(new StopTask(RunnerKind.CONTAINER, new Attempt(pack.id(), 1), array.taskId(1)));
    }

    /** Its pack is stopped again, and all in it with that. */
    @Test
    void aTaskOfAPackThatIsBeingStoppedIsNot() {
        store.write(List.of(Jobs.advance(inPack(1), new Packed(null, new StopCause.Cancelled("ada")))));
        begin(Jobs.stoppingOn(0), running());
        assertThat(effects).noneMatch(StopTask.class::isInstance).anyMatch(StopRun.class::isInstance);
    }

    /** Whoever submitted it may give the files that tell of it any date. */
    @Test
    void aTaskNeitherBeginsNorEndsBeforeItsPack() throws InterruptedException {
        begin(Jobs.runningOn(0), running());
        Instant old = Jobs.STARTED.minusSeconds(60);
        var _ = scheduling.request(array.taskId(0), new RunStarted(1, old));
        var _ = scheduling.request(array.taskId(1), new RunStarted(1, Jobs.STARTED.plusSeconds(1)));
        loop.turn(Duration.ZERO);
        assertThat(state(array.task(0)).startedAt()).isEqualTo(Jobs.STARTED);
        assertThat(state(array.task(1)).startedAt()).isEqualTo(Jobs.STARTED.plusSeconds(1));
        store.write(List.of(Jobs.advance(inPack(0).with(state(array.task(0))), Packed.WAITING)));
        var _ = scheduling.request(array.taskId(0), new RunExited(1, 0, false, old, old));
        loop.turn(Duration.ZERO);
        assertThat(state(array.task(0))).isInstanceOfSatisfying(Finished.class, end -> {
            assertThat(end.startedAt()).isEqualTo(Jobs.STARTED);
            assertThat(end.endedAt()).isEqualTo(Jobs.STARTED);
        });
    }

    private Found running() {
        return new Found(
                RunnerKind.CONTAINER,
                new Attempt(pack.id(), 1),
                new Found.Condition.Alive(Jobs.STARTED),
                List.of(Jobs.gpu(0)));
    }
}
