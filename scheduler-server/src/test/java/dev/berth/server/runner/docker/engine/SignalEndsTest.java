package dev.berth.server.runner.docker.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Found;
import dev.berth.core.machine.Found.Condition.Exited;
import dev.berth.server.runner.docker.ContainerEngine.ContainerListener;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The GPUs are free once it is told whose doing an end was, and so nothing is waited for that is known. */
class SignalEndsTest {
    private static final String CONTAINER = "c1";
    private static final String WAITED = "waited";

    /** What was told, and each wait before it. */
    private final List<String> course = new ArrayList<>();

    private boolean isStopping;
    private boolean isClosed;
    private boolean isBeingRemoved;
    private boolean mayBeOutOfMemory;
    private boolean outOfMemory;

    /** The kernel's word comes after that of the end. */
    private boolean isKernelLate;

    private final SignalEnds ends = new SignalEnds(
            new SignalEnds.Known(
                    () -> isStopping, () -> isClosed, _ -> isBeingRemoved, _ -> mayBeOutOfMemory, _ -> outOfMemory),
            new Told(),
            _ -> {
                course.add(WAITED);
                outOfMemory = isKernelLate;
            });

    private List<String> told(int exitCode) {
        ends.tell(new Attempt(new JobId(17), 1), exitCode, CONTAINER, Instant.EPOCH);
        return course;
    }

    @ParameterizedTest
    @ValueSource(ints = {137, 143})
    void anEndThatNobodyOrderedIsToldAtOnce(int exitCode) {
        assertThat(told(exitCode)).containsExactly("exited " + exitCode);
    }

    @ParameterizedTest
    @CsvSource({"true, false, ended with the engine", "true, true, ended with the engine", "false, true, removed"})
    void soIsTheEndOfAContainerThatTheEngineStopsOrSomebodyRemoves(boolean stopping, boolean removed, String words) {
        isStopping = stopping;
        isBeingRemoved = removed;
        mayBeOutOfMemory = true;
        assertThat(told(137)).containsExactly(words);
    }

    @Test
    void soIsOneThatSomebodyHadTheEngineKillWhateverItsMemory() {
        mayBeOutOfMemory = true;
        ends.killed(CONTAINER);
        assertThat(told(137)).containsExactly("exited 137");
    }

    @Test
    void soIsOneByTermWhateverItsMemory() {
        mayBeOutOfMemory = true;
        assertThat(told(143)).containsExactly("exited 143");
    }

    @Test
    void onlyTheKernelsWordIsWaitedForWhereItHasKilledSomebody() {
        mayBeOutOfMemory = true;
        isKernelLate = true;
        assertThat(told(137)).containsExactly(WAITED, "exited 137 out of memory");
    }

    @Test
    void itIsWaitedForSoLongAndNoLonger() {
        mayBeOutOfMemory = true;
        assertThat(told(137)).hasSize(11).startsWith(WAITED).endsWith("exited 137");
    }

    @Test
    void theMachinesMemoryMayHaveRunOutToo() {
        outOfMemory = true;
        assertThat(told(137)).containsExactly("exited 137 out of memory");
    }

    @Test
    void whatEndsWhenNobodyListensAnyMoreIsTheNextServers() {
        isClosed = true;
        assertThat(told(137)).isEmpty();
    }

    @Test
    void thoseThatWereKilledAreBounded() {
        mayBeOutOfMemory = true;
        ends.killed(CONTAINER);
        for (int others = 0; others < 1_024; others++) {
            ends.killed("other " + others);
        }
        assertThat(ends.killed()).hasSizeLessThanOrEqualTo(1_024);
        assertThat(told(137)).startsWith(WAITED);
    }

    private final class Told implements ContainerListener {
        @Override
        public void started(Attempt attempt, Instant at) {
            course.add("started");
        }

        @Override
        public void exited(Attempt attempt, Exited end) {
            course.add(
                    end.isUnknown()
                            ? "ended with the engine"
                            : "exited " + end.exitCode() + (end.outOfMemory() ? " out of memory" : ""));
        }

        @Override
        public void removed(Attempt attempt) {
            course.add("removed");
        }

        @Override
        public void unheard(Found container) {
            course.add("unheard");
        }

        @Override
        public void resumed() {
            course.add("resumed");
        }
    }
}
