package dev.berth.server.runner.docker.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.GpuId;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.docker.ContainerNames;
import dev.berth.server.runner.docker.FakeContainerEngine;
import dev.berth.server.runner.docker.GpuHandover;
import dev.berth.server.runner.docker.StartCheck.Verdict;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Berth's own container on an engine, of which nothing is anybody's. */
class TestStartsTest {
    private static final GpuId ZERO = new GpuId("GPU-0");
    private static final GpuId ONE = new GpuId("GPU-1");
    private static final Allocation BOTH = Allocation.whole(List.of(ZERO, ONE));

    private final List<String> tried = new ArrayList<>();
    private Predicate<String> broken = _ -> false;
    private Instant now = Instant.EPOCH;

    /** Those of it that start, with the GPUs they were given. */
    private final FakeContainerEngine engine = new FakeContainerEngine(
                    InstantSource.fixed(Instant.EPOCH), (_, plan) -> {
                        String gpus = plan.gpus().visibleDevices();
                        tried.add(gpus);
                        if (broken.test(gpus)) {
                            throw new EngineException(Kind.FAILING, "out of order: " + gpus);
                        }
                    })
            .withImage("own");

    private TestStarts starts(GpuHandover handover) {
        return new TestStarts(engine, handover, new ContainerNames("server01"), "own", () -> now);
    }

    private final TestStarts starts = starts(GpuHandover.BY_RUNTIME);

    @Test
    void oneThatStartsLeavesNothing() {
        assertThat(starts.engine()).isEqualTo(new Verdict.Well());
        assertThat(starts.complaint()).isEmpty();
        assertThat(tried).containsExactly("void");
        assertThat(engine.all()).isEmpty();
    }

    @Test
    void oneThatDoesNotIsToldAndTriedAgainAfterAWhile() {
        broken = _ -> true;
        assertThat(starts.engine()).isEqualTo(new Verdict.Failing("out of order: void"));
        assertThat(starts.complaint()).contains("out of order: void");
        assertThat(tried).as("the answer is good for a while").hasSize(1);
        assertThat(engine.all()).isEmpty();
        now = now.plusSeconds(3);
        broken = _ -> false;
        assertThat(starts.complaint()).isEmpty();
        assertThat(tried).hasSize(2);
    }

    /** Its containerd may have ended since. */
    @Test
    void aGoodAnswerIsNoneOnceAStartHasFailedAfterIt() {
        assertThat(starts.engine()).isEqualTo(new Verdict.Well());
        broken = _ -> true;
        assertThat(starts.engine()).as("the answer is good for a while").isEqualTo(new Verdict.Well());
        starts.doubt();
        assertThat(starts.engine()).isEqualTo(new Verdict.Failing("out of order: void"));
        starts.doubt();
        assertThat(starts.engine()).isEqualTo(new Verdict.Failing("out of order: void"));
        assertThat(tried).as("a broken engine is not asked for each failure").hasSize(2);
    }

    @Test
    void theGpuAtFaultIsFoundAmongOthers() {
        broken = gpus -> gpus.contains("GPU-1");
        assertThat(starts.faults(BOTH)).isEqualTo(new TreeMap<>(Map.of(ONE, "out of order: GPU-1")));
        assertThat(tried).containsExactly("void", "GPU-0,GPU-1", "GPU-0", "GPU-1");
        assertThat(engine.all()).isEmpty();
    }

    @Test
    void gpusThatDoTogetherAreNotTriedAlone() {
        assertThat(starts.faults(BOTH)).isEmpty();
        assertThat(tried).containsExactly("void", "GPU-0,GPU-1");
    }

    @Test
    void anEngineThatStartsNothingIsNoFaultOfAGpu() {
        broken = _ -> true;
        assertThat(starts.faults(BOTH)).isEmpty();
        assertThat(tried).containsExactly("void");
    }

    @Test
    void withoutTheImageAndOfSimulatedGpusNothingIsKnown() {
        engine.removeImage("own");
        assertThat(starts.engine()).isEqualTo(new Verdict.Unknown());
        assertThat(starts.faults(BOTH)).isEmpty();
        engine.withImage("own");
        assertThat(starts(GpuHandover.SIMULATED).faults(BOTH)).isEmpty();
        assertThat(tried).isEmpty();
    }

    /** Anyone who asks is an effect that would be repeated, with its GPUs held. */
    @Test
    void oneThatCannotBeLookedForOrRemovedTellsNothing() {
        for (String call : List.of("findImage", "remove", "inspect")) {
            for (Kind kind : List.of(Kind.FAILING, Kind.LATE, Kind.REFUSED, Kind.UNABLE)) {
                now = now.plusSeconds(10);
                engine.strikeWith((asked, done) -> {
                    if (!done && asked.equals(call)) {
                        throw new EngineException(kind, "out of order");
                    }
                });
                assertThat(starts.engine()).as(call + " " + kind).isEqualTo(new Verdict.Unknown());
                assertThat(starts.complaint()).isEmpty();
                assertThat(starts.faults(BOTH)).isEmpty();
            }
        }
        now = now.plusSeconds(10);
        engine.strikeWith(FakeContainerEngine.Faults.NONE);
        assertThat(starts.engine()).isEqualTo(new Verdict.Well());
        assertThat(engine.all()).isEmpty();
    }

    @Test
    void oneThatDoesNotStartAndIsNotRemovedIsStillOneThatDoesNotStart() {
        broken = _ -> true;
        engine.strikeWith((asked, done) -> {
            if (!done && asked.equals("inspect") && !engine.all().isEmpty()) {
                throw new EngineException(Kind.LATE, "it starts it yet");
            }
        });
        assertThat(starts.engine()).isEqualTo(new Verdict.Failing("out of order: void"));
        assertThat(starts.complaint()).contains("out of order: void");
    }

    /** Else its GPUs would be given to another job. */
    @Test
    void gpusThatOneMayStillGetAreNotLetGo() {
        assertThat(starts.engine()).isEqualTo(new Verdict.Well());
        broken = gpus -> gpus.contains("GPU");
        engine.strikeWith((asked, done) -> {
            if (!done
                    && asked.equals("inspect")
                    && tried.getLast().contains("GPU")
                    && !engine.all().isEmpty()) {
                throw new EngineException(Kind.LATE, "it starts it yet");
            }
        });
        assertThatThrownBy(() -> starts.faults(BOTH)).hasMessage("it starts it yet");
        engine.strikeWith(FakeContainerEngine.Faults.NONE);
        assertThat(starts.faults(BOTH)).containsOnlyKeys(ZERO, ONE);
        assertThat(engine.all()).isEmpty();
    }

    /** The engine was killed at its start, and knows nothing of what runs. */
    @Test
    void oneThatMayRunUnseenIsEndedBeforeItIsRemoved() {
        engine.strikeWith((call, done) -> {
            if (call.equals("start") && done) {
                engine.forgetStart("berth-server01-test");
                throw new EngineException(Kind.UNREACHABLE, "no answer");
            }
        });
        assertThatThrownBy(starts::engine).hasMessage("no answer");
        assertThat(engine.stopped()).containsExactly("berth-server01-test");
        assertThat(engine.all()).isEmpty();
    }

    @Test
    void anEngineThatDoesNotAnswerIsNoAnswer() {
        engine.strikeWith((call, done) -> {
            if (call.equals("start") && !done) {
                throw new EngineException(Kind.UNREACHABLE, "no answer");
            }
        });
        assertThatThrownBy(starts::engine).hasMessage("no answer");
        assertThat(starts.complaint()).isEmpty();
        assertThat(engine.all()).isEmpty();
    }
}
