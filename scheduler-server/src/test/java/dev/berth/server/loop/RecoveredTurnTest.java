package dev.berth.server.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobState;
import dev.berth.core.job.JobState.Creating;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Change;
import dev.berth.core.machine.JobEvent;
import dev.berth.server.example.Jobs;
import dev.berth.server.store.JobStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whether the next server looks again at GPUs that the last one had found free. */
class RecoveredTurnTest {
    private static final Job FIRST = allocated(1, 0);
    private static final Job SECOND = allocated(2, 1);

    @TempDir
    private Path directory;

    private static Job allocated(long id, int gpu) {
        return Jobs.queued(id, 1).with(new Creating(1, "id-of-image", Jobs.allocation(gpu)));
    }

    private static List<Change> turn(Job job) {
        Creating creating = (Creating) job.state();
        List<Change> changes = new ArrayList<>(Jobs.upTo(Jobs.queued(job.id().value(), 1)));
        changes.add(new Change.Advanced(
                Jobs.STARTED, Jobs.queued(job.id().value(), 1), job, new JobEvent.Allocated(1, creating.allocation())));
        changes.add(new Change.AllocationDecided(Jobs.STARTED, new Attempt(job.id(), 1)));
        return changes;
    }

    private boolean isDecided(Job job) {
        try (JobStore store = new JobStore(directory.resolve("berth.db"))) {
            Scheduling scheduling = Loops.onTwoGpus(store, 1);
            Loops.loop(scheduling, store, _ -> {}, Jobs.STARTED).recover(new FoundAtStart(List.of(), null));
            JobState state = scheduling.machine().find(job.id()).orElseThrow().state();
            return ((Creating) state).isDecided();
        }
    }

    private void write(List<Change> changes) {
        try (JobStore store = new JobStore(directory.resolve("berth.db"))) {
            store.write(changes);
            store.commit();
        }
    }

    @Test
    void whereNobodyHadATurnSinceItDoes() {
        write(turn(FIRST));
        write(turn(SECOND));
        assertThat(isDecided(FIRST)).isTrue();
        assertThat(isDecided(SECOND)).isFalse();
    }

    /** That holds nothing here, and nobody is overtaken by it. */
    @Test
    void whereAJobOfATargetHadATurnSinceItStillDoes() {
        Job queued = Jobs.job(3, Jobs.at("cluster", Jobs.spec(1)), Jobs.ADA, new Queued(1, new ImageState.Ready("")));
        Job handed = queued.with(new Creating(1, "", Allocation.NONE));
        write(turn(FIRST));
        write(turn(SECOND));
        write(Jobs.upTo(queued));
        write(List.of(new Change.Advanced(Jobs.STARTED, queued, handed, new JobEvent.Allocated(1, Allocation.NONE))));
        assertThat(isDecided(FIRST)).isTrue();
        assertThat(isDecided(SECOND)).isFalse();
        assertThat(isDecided(handed)).isTrue();
    }

    /** Else it would go back behind one that was behind it. */
    @Test
    void whereAJobBehindItHasRunAndEndedSinceItDoesNot() {
        write(turn(FIRST));
        write(turn(SECOND));
        write(List.of(Jobs.advance(SECOND, Jobs.completed())));
        assertThat(isDecided(FIRST)).isTrue();
    }
}
