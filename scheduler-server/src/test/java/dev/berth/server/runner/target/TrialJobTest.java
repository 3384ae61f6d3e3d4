package dev.berth.server.runner.target;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.Outcome;
import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.Place.AtTarget;
import dev.berth.core.job.StateName;
import dev.berth.core.machine.Attempt;
import dev.berth.server.example.Jobs;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.target.Phase.End.ByEngine;
import dev.berth.server.runner.target.Phase.End.Exited;
import dev.berth.server.runner.target.Phase.End.NoImage;
import dev.berth.server.runner.target.TargetEngine.Finding;
import dev.berth.server.runner.target.TargetEngine.Reading.Stream;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class TrialJobTest {
    private static final Instant NOW = Instant.ofEpochSecond(1_000);
    private static final String NAME = "berth-s-trial-1000";

    private final PlayedEngine engine = new PlayedEngine();

    private Finding run(Runnable meanwhile) {
        return run(GpuRequest.NONE, meanwhile);
    }

    private Finding run(GpuRequest gpus, Runnable meanwhile) {
        return new TrialJob(
                        new Handed(new Attempt(TrialJob.NUMBER, 1), NAME, Jobs.ADA, NOW),
                        "cluster",
                        engine,
                        AtTarget.NODE,
                        gpus,
                        meanwhile)
                .run();
    }

    private void end(int exitCode) {
        engine.bring(NAME, new Phase.Over("7", new Exited(exitCode, false), Jobs.STARTED, Jobs.ENDED, null));
    }

    @Test
    void aJobThatRunsAndIsReadProvesTheTargetAndLeavesNothing() {
        Finding finding = run(() -> {
            engine.write(NAME, Stream.OUTPUT, "berth was here\n");
            end(0);
        });
        assertThat(finding.isWell()).as(finding.sentence()).isTrue();
        assertThat(finding.sentence())
                .isEqualTo("a job of ada ran (7), found its directory, and what it wrote came back");
        assertThat(engine.asked()).containsExactly("cancel " + NAME + " after 0 s", "discard " + NAME);
    }

    @Test
    void aDirectoryThatIsNotSharedIsFoundOut() {
        Finding finding = run(() -> end(0));
        assertThat(finding.isWell()).isFalse();
        assertThat(finding.sentence()).contains("nothing that it wrote came back");
        assertThat(finding.remedy()).hasValue("played show 7");
    }

    @Test
    void aJobThatFailsTellsItsCode() {
        Finding finding = run(() -> end(125));
        assertThat(finding.isWell()).isFalse();
        assertThat(finding.sentence()).contains("ended with exit code 125");
        assertThat(finding.remedy()).hasValue("played show 7");
    }

    /** What a launcher says before a program of no GPU is not taken for GPUs. */
    @Test
    void onlyAJobThatAsksForGpusIsLookedAtForThem() {
        Finding finding = run(() -> {
            engine.write(NAME, Stream.OUTPUT, "GPU partition of the lab\nberth was here\n");
            end(0);
        });
        assertThat(finding.isWell()).as(finding.sentence()).isTrue();
    }

    @Test
    void aJobThatWritesMuchTellsItsBeginningAndItsEnd() {
        Finding finding = run(() -> {
            engine.write(NAME, Stream.OUTPUT, "what came first\n" + "and so on\n".repeat(15) + "out of luck\n");
            engine.write(NAME, Stream.ERROR, "x".repeat(100) + "the end\n");
            end(9);
        });
        assertThat(finding.sentence())
                .startsWith("the job (7) ended with exit code 9, and not 0; it wrote: what came first; and so on;")
                .contains("...")
                .endsWith("the end")
                .hasSizeLessThan(400);
    }

    @Test
    void aJobWithoutItsGpusTellsWhatMendsIt() {
        Finding finding = run(GpuRequest.whole(1), () -> {
            engine.write(NAME, Stream.OUTPUT, "berth was here\n");
            engine.write(NAME, Stream.ERROR, "sh: 1: nvidia-smi: not found\n");
            end(127);
        });
        assertThat(finding.isWell()).isFalse();
        assertThat(finding.sentence())
                .isEqualTo("a job of ada with 1 GPU ran (7), and 'nvidia-smi -L' in it ended with exit code 127: sh: 1:"
                        + " nvidia-smi: not found");
        assertThat(finding.remedy())
                .hasValue("nodes need NVIDIA's driver, and its Container Toolkit where programs run in containers;"
                        + " played show 7");
    }

    @Test
    void aJobThatTheEngineEndsTellsItsWords() {
        Finding finding = run(() -> engine.bring(
                NAME,
                new Phase.Over(
                        "7",
                        new ByEngine(new Outcome(StateName.LOST, OutcomeReason.NODE_LOST, "its node was lost", null)),
                        Jobs.STARTED,
                        Jobs.ENDED,
                        null)));
        assertThat(finding.isWell()).isFalse();
        assertThat(finding.sentence()).isEqualTo("the job ended otherwise: its node was lost");
        assertThat(finding.remedy()).hasValue("played show 7");
    }

    @Test
    void anImageThatIsNotThereIsNamed() {
        Finding finding = run(() -> engine.bring(
                NAME, new Phase.Over("7", new NoImage("is not on its node"), Jobs.STARTED, Jobs.ENDED, null)));
        assertThat(finding.isWell()).isFalse();
        assertThat(finding.sentence()).isEqualTo("image " + AtTarget.NODE + " is not on its node");
    }

    @Test
    void oneThatWaitsForLongTellsWhy() {
        Finding finding = run(() -> {});
        assertThat(finding.isWell()).isFalse();
        assertThat(finding.sentence())
                .contains("has not ended within 60 seconds: Played waits for Resources (job 4711)");
        assertThat(finding.remedy())
                .hasValue("berth targets says how cluster is and what it can hold; try again when it has room");
    }

    @Test
    void aRefusalIsAFinding() {
        engine.failing(new EngineException(Kind.REFUSED, "no such partition"));
        Finding finding = run(() -> {});
        assertThat(finding.isWell()).isFalse();
        assertThat(finding.sentence()).isEqualTo("a job of ada could not be handed over: no such partition");
        assertThat(finding.remedy()).hasValue("berth config show says what target cluster asks for (targets.cluster)");
    }

    @Test
    void anOutageIsWaitedFor() {
        engine.failing(new EngineException(Kind.UNREACHABLE, "no answer"));
        Finding finding = run(() -> {});
        assertThat(finding.sentence()).isEqualTo("a job of ada could not be handed over: no answer");
        assertThat(finding.remedy()).hasValue("berth targets says how cluster is; try again when that has passed");
    }
}
