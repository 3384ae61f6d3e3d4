package dev.berth.server.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Found;
import dev.berth.core.machine.RunnerKind;
import dev.berth.server.example.Jobs;
import dev.berth.server.store.JobStore;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The job ids that are taken where a server begins. */
class RecoveredIdsTest {
    @TempDir
    private Path directory;

    /** As where the database was brought back from another machine's backup, without the file of the highest id. */
    @Test
    void theIdOfAContainerThatNoJobOwnsIsNotAssignedToAnother() {
        Found orphan = new Found(
                RunnerKind.CONTAINER,
                new Attempt(new JobId(41), 1),
                new Found.Condition.Alive(Jobs.STARTED),
                Jobs.allocation(1).gpus());
        try (JobStore store = new JobStore(directory.resolve("berth.db"))) {
            Scheduling scheduling = Loops.onTwoGpus(store, 1);
            Loops.loop(scheduling, store, _ -> {}, Jobs.STARTED).recover(new FoundAtStart(List.of(orphan), null));
            assertThat(scheduling.machine().lastId()).isEqualTo(41);
        }
    }
}
