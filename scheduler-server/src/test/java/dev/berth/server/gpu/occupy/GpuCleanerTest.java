package dev.berth.server.gpu.occupy;

import static dev.berth.server.gpu.occupy.CsvGpus.FIRST;
import static dev.berth.server.gpu.occupy.CsvGpus.SECOND;
import static dev.berth.server.gpu.occupy.GateStage.ATTEMPT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.GpuShare;
import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.server.gpu.GpuException;
import dev.berth.server.gpu.occupy.GateStage.Sleeper;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GpuCleanerTest {
    private static final Allocation BOTH = Allocation.whole(List.of(FIRST, SECOND));
    private static final Duration WITHIN = Duration.ofSeconds(10);

    @TempDir
    private Path folder;

    private GateStage stage;
    private GpuCleaner cleaner;
    private final List<SortedMap<GpuId, String>> told = new ArrayList<>();

    @BeforeEach
    void open() {
        stage = new GateStage(folder);
        cleaner = new GpuCleaner(
                new GpuCleaner.Parts(stage.look(), stage.processes, stage.levels, null, stage.clock()),
                WITHIN,
                stage::runLater,
                job -> "4_" + job,
                (attempt, dirty) -> {
                    assertThat(attempt).isEqualTo(ATTEMPT);
                    told.add(dirty);
                });
    }

    private SortedMap<GpuId, String> onlyTold() {
        assertThat(told).hasSize(1);
        assertThat(stage.runNext()).as("no more looks").isFalse();
        return told.getFirst();
    }

    private void timePasses() {
        assertThat(told).isEmpty();
        stage.now = stage.now.plus(WITHIN);
        assertThat(stage.runNext()).isTrue();
    }

    @Test
    void whatIsCleanIsFreeAfterOneLook() {
        cleaner.clean(ATTEMPT, BOTH);
        assertThat(onlyTold()).isEmpty();
    }

    @Test
    void theGpusAreLookedAtAtOnce() {
        stage.gpus.answerOnlyAtOnce(2);
        cleaner.clean(ATTEMPT, BOTH);
        assertThat(onlyTold()).isEmpty();
    }

    @Test
    void whatIsLeftOfTheJobIsEnded() throws Exception {
        try (Sleeper left = new Sleeper()) {
            stage.ours.put(left.pid(), ATTEMPT);
            stage.gpus.put(SECOND, left.pid(), "100");
            cleaner.clean(ATTEMPT, BOTH);
            assertThat(told).isEmpty();
            assertThat(left.process.waitFor()).isEqualTo(137);
        }
        assertThat(stage.runNext()).isTrue();
        assertThat(onlyTold()).isEmpty();
    }

    @Test
    void nobodyElseIsTouched() throws Exception {
        try (Sleeper foreign = new Sleeper();
                Sleeper other = new Sleeper()) {
            stage.ours.put(other.pid(), new Attempt(new JobId(18), 1));
            stage.gpus.put(FIRST, foreign.pid(), "100");
            stage.gpus.put(FIRST, other.pid(), "100");
            cleaner.clean(ATTEMPT, BOTH);
            assertThat(onlyTold()).isEmpty();
            assertThat(foreign.process.isAlive()).isTrue();
            assertThat(other.process.isAlive()).isTrue();
        }
    }

    @Test
    void memoryThatDoesNotComeBackDrainsItsGpuAlone() {
        stage.levels.note(FIRST, 500L << 20);
        stage.levels.note(SECOND, 500L << 20);
        stage.gpus.use(FIRST, 500 + 256);
        stage.gpus.use(SECOND, 500 + 257);
        cleaner.clean(ATTEMPT, BOTH);
        timePasses();
        assertThat(onlyTold())
                .containsOnly(java.util.Map.entry(
                        SECOND,
                        "after job 4_17 it was not clean within 10 s: 257 MiB of its memory are still in use, by no"
                                + " process that the driver names"));
    }

    @Test
    void memoryMayTakeAMoment() {
        stage.levels.note(FIRST, 500L << 20);
        stage.gpus.use(FIRST, 9_000);
        cleaner.clean(ATTEMPT, BOTH);
        stage.gpus.use(FIRST, 501);
        assertThat(stage.runNext()).isTrue();
        assertThat(onlyTold()).isEmpty();
        assertThat(stage.pauses).containsExactly(Duration.ofMillis(100));
    }

    @Test
    void memoryOfAnybodyElseIsNotTheJobs() throws Exception {
        stage.levels.note(FIRST, 500L << 20);
        try (Sleeper foreign = new Sleeper()) {
            stage.gpus.put(FIRST, foreign.pid(), "8000");
            stage.gpus.use(FIRST, 8_500);
            cleaner.clean(ATTEMPT, BOTH);
            assertThat(onlyTold()).isEmpty();
        }
    }

    @Test
    void onASharedGpuNobodyCanTellWhoseMemoryItIs() {
        stage.levels.note(FIRST, 500L << 20);
        stage.gpus.use(FIRST, 9_000);
        cleaner.clean(ATTEMPT, new Allocation(List.of(new GpuShare(FIRST, 500))));
        assertThat(onlyTold()).isEmpty();
    }

    @Test
    void aGpuThatDoesNotAnswerIsDrainedWithItsSentence() {
        stage.gpus.breakDown(FIRST, new GpuException(GpuException.Kind.LOST, "it has fallen off the bus"));
        cleaner.clean(ATTEMPT, BOTH);
        timePasses();
        assertThat(onlyTold())
                .containsOnly(java.util.Map.entry(
                        FIRST, "after job 4_17 it was not clean within 10 s: it has fallen off the bus"));
    }
}
