package dev.berth.server.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.berth.core.job.GpuId;
import dev.berth.core.machine.Drain;
import dev.berth.core.machine.Input;
import dev.berth.core.machine.Input.DrainGpu;
import dev.berth.core.machine.Step.Reply;
import dev.berth.server.gpu.SimulatedGpus;
import dev.berth.server.store.JobStore;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SchedulingTest {
    private static final Instant NOW = Instant.parse("2026-01-01T09:00:00Z");
    private static final GpuId LOUD = SimulatedGpus.of(2).getFirst().id();
    private static final GpuId SICK = SimulatedGpus.of(2).getLast().id();

    private static final int MAX_ASKED = 10_000;

    @TempDir
    private Path directory;

    @AutoClose
    private JobStore store;

    private Scheduling scheduling;

    @BeforeEach
    void open() {
        store = new JobStore(directory.resolve("berth.db"));
        scheduling = Loops.onTwoGpus(store, 1);
    }

    private static Function<Instant, Input> drain(GpuId gpu, String by) {
        return now -> new DrainGpu(now, gpu, by, "loud fan");
    }

    private CompletableFuture<Reply> request() {
        return scheduling.request(drain(LOUD, "ada"));
    }

    @Test
    void newsIsNotRefusedWhereRequestsAre() throws InterruptedException {
        CompletableFuture<Reply> first = request();
        assertThatExceptionOfType(BusyException.class)
                .isThrownBy(this::request)
                .matches(busy -> !busy.isStopping())
                .withMessage("1 requests wait already, the most that may; try again in a second");

        scheduling.tell(drain(SICK, Drain.BERTH));

        Loops.loop(scheduling, store, _ -> {}, NOW).turn(Duration.ofSeconds(30));
        assertThat(first).isCompleted();
        assertThat(scheduling.machine().gpus().drains()).containsOnlyKeys(LOUD, SICK);
        assertThat(request()).as("there is room again, and not more").isNotCompleted();
        assertThatExceptionOfType(BusyException.class).isThrownBy(this::request);
    }

    /** Also before its thread has come to see that it is to end. */
    @Test
    void fromTheEndOnEverybodyIsRefused() {
        scheduling.end();

        assertThatExceptionOfType(BusyException.class).isThrownBy(this::request).matches(BusyException::isStopping);
    }

    /** Nothing of theirs is acknowledged, and they do not wait for ever. */
    @Test
    void whoWaitsIsToldOfTheLoopsEnd() throws InterruptedException {
        CompletableFuture<Reply> waiting = request();

        scheduling.end();
        Loops.loop(scheduling, store, _ -> {}, NOW).run();

        assertThat(waiting).isCompletedExceptionally();
    }

    /** As where the disk takes no more: connections still bring requests in, behind the last look at those that wait. */
    @Test
    void whoAsksOnceTheLoopIsAbandonedIsToldToo() {
        CompletableFuture<Reply> waiting = request();

        Loops.loop(scheduling, store, _ -> {}, NOW).abandon(new IllegalStateException("the disk is full"));

        assertThat(waiting).isCompletedExceptionally();
        assertThatExceptionOfType(BusyException.class).isThrownBy(this::request).matches(BusyException::isStopping);
    }

    /** A request between the looks at whether it is closed is found by one of both sides, in whatever order they look. */
    @Test
    void whoAsksWhileItIsClosedIsAnsweredOrRefused() throws InterruptedException {
        for (int round = 0; round < 2_000; round++) {
            Scheduling closing = Loops.onTwoGpus(store, Integer.MAX_VALUE);
            CountDownLatch asks = new CountDownLatch(1);
            List<CompletableFuture<Reply>> answers = new ArrayList<>();
            Thread client = Thread.ofPlatform().start(() -> {
                boolean isRefused = false;
                for (int asked = 0; asked < MAX_ASKED && !isRefused; asked++) {
                    try {
                        answers.add(closing.request(drain(LOUD, "ada")));
                    } catch (BusyException stopping) {
                        isRefused = true;
                    }
                    asks.countDown();
                }
            });
            asks.await();
            closing.close(List.of(), BusyException.stopping());
            client.join();
            assertThat(answers.stream().filter(answer -> !answer.isDone()).count())
                    .as("requests that nobody will answer")
                    .isZero();
        }
    }
}
