package dev.berth.server.gpu.occupy;

import static dev.berth.server.gpu.occupy.CsvGpus.FIRST;
import static dev.berth.server.gpu.occupy.CsvGpus.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.GpuId;
import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.server.gpu.GpuProcess;
import dev.berth.server.gpu.GpuProcess.Kind;
import dev.berth.server.gpu.occupy.Conflicts.Change.Begun;
import dev.berth.server.gpu.occupy.Conflicts.Change.Ended;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ConflictsTest {
    private static final Attempt JOB = new Attempt(new JobId(7), 1);
    private static final Map<GpuId, List<Attempt>> HELD = Map.of(FIRST, List.of(JOB));
    private static final ForeignProcess ALICE = process(4_711, 1);

    private final Conflicts conflicts = new Conflicts();

    private static ForeignProcess process(long pid, long start) {
        return new ForeignProcess(
                new GpuProcess(pid, Kind.COMPUTE, 1L << 20), start, "python", "alice", null, Instant.EPOCH);
    }

    private List<Conflicts.Change> look(ForeignProcess... there) {
        return conflicts.next(Map.of(FIRST, List.of(there)), HELD);
    }

    @Test
    void whoComesIsToldOnceAndWhoGoesAsWell() {
        assertThat(look()).isEmpty();
        assertThat(look(ALICE)).containsExactly(new Begun(JOB, FIRST, ALICE));
        assertThat(look(ALICE)).isEmpty();
        assertThat(look()).containsExactly(new Ended(JOB, FIRST, ALICE));
        assertThat(look()).isEmpty();
    }

    @Test
    void theSameNumberMayBeAnotherProcess() {
        assertThat(look(ALICE)).hasSize(1);
        ForeignProcess next = process(ALICE.pid(), 2);
        assertThat(look(next)).containsExactly(new Ended(JOB, FIRST, ALICE), new Begun(JOB, FIRST, next));
    }

    @Test
    void onAGpuThatNobodyHoldsThereIsNoConflict() {
        assertThat(conflicts.next(Map.of(SECOND, List.of(ALICE)), HELD)).isEmpty();
    }

    @Test
    void aConflictEndsWithItsJob() {
        assertThat(look(ALICE)).hasSize(1);
        assertThat(conflicts.next(Map.of(FIRST, List.of(ALICE)), Map.of()))
                .containsExactly(new Ended(JOB, FIRST, ALICE));
    }

    @Test
    void everyJobOnASharedGpuIsTold() {
        Attempt other = new Attempt(new JobId(8), 1);
        assertThat(conflicts.next(Map.of(FIRST, List.of(ALICE)), Map.of(FIRST, List.of(JOB, other))))
                .containsExactly(new Begun(JOB, FIRST, ALICE), new Begun(other, FIRST, ALICE));
    }

    @Test
    void ofAGpuThatCouldNotBeLookedAtNothingHasChanged() {
        assertThat(look(ALICE)).hasSize(1);
        assertThat(conflicts.next(Map.of(), HELD)).isEmpty();
        assertThat(look(ALICE)).isEmpty();
        assertThat(conflicts.next(Map.of(), Map.of())).containsExactly(new Ended(JOB, FIRST, ALICE));
    }
}
