package dev.berth.server.container;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.JobId;
import dev.berth.core.job.PullPolicy;
import dev.berth.core.machine.JobEvent.ImageArrived;
import dev.berth.core.machine.JobEvent.ImageRefused;
import dev.berth.server.container.EngineException.Kind;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Images for queued jobs, one call of the engine after the other on the test's own thread. */
class ImagesTest {
    private static final JobId ONE = new JobId(1);
    private static final JobId TWO = new JobId(2);
    private static final JobId THREE = new JobId(3);
    private static final String IMAGE = "python:3.13";

    /** Does what is asked for when the test says so, and keeps how long each piece was to wait. */
    private static final class LaterTasks implements Tasks {
        private final Deque<Runnable> waiting = new ArrayDeque<>();
        private final List<Duration> delays = new ArrayList<>();

        @Override
        public void run(Runnable work) {
            waiting.add(work);
        }

        @Override
        public void runAfter(Duration delay, Runnable work) {
            delays.add(delay);
            waiting.add(work);
        }

        void doAll() {
            while (!waiting.isEmpty()) {
                waiting.removeFirst().run();
            }
        }
    }

    private final LaterTasks tasks = new LaterTasks();
    private final List<String> told = new ArrayList<>();
    private final List<String> calls = new ArrayList<>();
    private final FakeContainerEngine engine =
            new FakeContainerEngine(InstantSource.fixed(Instant.EPOCH), (_, _) -> {});
    private final Images images = new Images(
            engine,
            new EngineRetry(tasks),
            (job, event) -> told.add(
                    switch (event) {
                        case ImageArrived(String imageId) -> job + " has " + imageId;
                        case ImageRefused(String sentence) -> job + " hears: " + sentence;
                        default -> job + " " + event;
                    }));

    ImagesTest() {
        during("", () -> {});
    }

    /** Something else happens while the engine is at a call. */
    private void during(String verb, Runnable happening) {
        engine.strikeWith((call, done) -> {
            if (!done) {
                calls.add(call);
            }
            if (!done && call.equals(verb)) {
                happening.run();
            }
        });
    }

    @AfterEach
    void nothingIsLeftOver() {
        assertThat(tasks.waiting).isEmpty();
        assertThat(images.progress(IMAGE)).isEmpty();
    }

    @Test
    void anImageThatIsHereIsNotPulled() {
        engine.withImage(IMAGE);
        images.fetch(ONE, IMAGE, PullPolicy.MISSING);
        assertThat(told).as("nothing is done on the caller's thread").isEmpty();
        tasks.doAll();
        assertThat(told).containsExactly("1 has id-of-python:3.13");
        assertThat(calls).containsExactly("findImage");
    }

    @Test
    void anImageThatIsNotHereIsPulledAndItsProgressShown() {
        engine.withPullable(IMAGE);
        List<String> progress = new ArrayList<>();
        engine.strikeWith((call, done) -> {
            if (call.equals("pull") && done) {
                images.progress(IMAGE).ifPresent(progress::add);
            }
        });
        images.fetch(ONE, IMAGE, PullPolicy.MISSING);
        tasks.doAll();
        assertThat(told).containsExactly("1 has id-of-python:3.13");
        assertThat(progress).containsExactly("being pulled, 1 of 2 MB");
    }

    @Test
    void anImageThatIsNowhereIsRefusedWithTheWayOut() {
        images.fetch(ONE, IMAGE, PullPolicy.MISSING);
        tasks.doAll();
        assertThat(told)
                .containsExactly("1 hears: image python:3.13 is not on this machine and cannot be pulled: pull access"
                        + " denied for python:3.13; check the name, or pull or build it here first");
    }

    @Test
    void anImageThatIsGoneAgainAfterThePullIsRefused() {
        engine.withPullable(IMAGE);
        engine.strikeWith((call, done) -> {
            if (call.equals("pull") && done) {
                engine.removeImage(IMAGE);
            }
        });
        images.fetch(ONE, IMAGE, PullPolicy.MISSING);
        tasks.doAll();
        assertThat(told).containsExactly("1 hears: image python:3.13 was pulled and is not here");
    }

    @Test
    void oneLookServesAllWhoWaitFromTheFirstToTheLast() {
        engine.withPullable(IMAGE);
        during("pull", () -> images.fetch(ONE, IMAGE, PullPolicy.MISSING));
        images.fetch(THREE, IMAGE, PullPolicy.MISSING);
        images.fetch(TWO, IMAGE, PullPolicy.MISSING);
        images.fetch(TWO, IMAGE, PullPolicy.MISSING);
        tasks.doAll();
        assertThat(told)
                .containsExactly("1 has id-of-python:3.13", "2 has id-of-python:3.13", "3 has id-of-python:3.13");
        assertThat(calls).containsExactly("findImage", "pull", "findImage");
    }

    @Test
    void otherImagesAreOtherLooks() {
        engine.withImage(IMAGE).withImage("busybox");
        images.fetch(ONE, IMAGE, PullPolicy.MISSING);
        images.fetch(TWO, "busybox", PullPolicy.MISSING);
        tasks.doAll();
        assertThat(told).containsExactly("1 has id-of-python:3.13", "2 has id-of-busybox");
    }

    @Test
    void aPullThatNobodyWaitsForIsGivenUp() {
        engine.withPullable(IMAGE);
        during("pull", () -> images.abandon(ONE, IMAGE));
        images.fetch(ONE, IMAGE, PullPolicy.MISSING);
        tasks.doAll();
        assertThat(told).isEmpty();
        assertThat(engine.findImage(IMAGE)).as("it was not pulled to its end").isEmpty();

        during("", () -> {});
        images.fetch(TWO, IMAGE, PullPolicy.MISSING);
        tasks.doAll();
        assertThat(told).containsExactly("2 has id-of-python:3.13");
    }

    @Test
    void aPullThatOneOfTwoWaitsForGoesOn() {
        engine.withPullable(IMAGE);
        during("pull", () -> images.abandon(ONE, IMAGE));
        images.fetch(ONE, IMAGE, PullPolicy.MISSING);
        images.fetch(TWO, IMAGE, PullPolicy.MISSING);
        tasks.doAll();
        assertThat(told).containsExactly("2 has id-of-python:3.13");
    }

    @Test
    void somebodyWhoComesAfterTheLastOneLeftKeepsThePullGoing() {
        engine.withPullable(IMAGE);
        during("pull", () -> {
            images.abandon(ONE, IMAGE);
            images.fetch(TWO, IMAGE, PullPolicy.MISSING);
        });
        images.fetch(ONE, IMAGE, PullPolicy.MISSING);
        tasks.doAll();
        assertThat(told).containsExactly("2 has id-of-python:3.13");
    }

    @Test
    void whoNeverWaitedCanBeAbandoned() {
        images.abandon(ONE, IMAGE);
        assertThat(told).isEmpty();
    }

    @Test
    void anEngineThatIsOutOfSightIsAskedAgainLaterAndLater() {
        engine.withPullable(IMAGE);
        AtomicInteger failures = new AtomicInteger(7);
        during("findImage", () -> {
            if (failures.getAndDecrement() > 0) {
                throw new EngineException(Kind.UNREACHABLE, "no answer");
            }
        });
        images.fetch(ONE, IMAGE, PullPolicy.MISSING);
        tasks.doAll();
        assertThat(told).containsExactly("1 has id-of-python:3.13");
        assertThat(tasks.delays)
                .extracting(Duration::toMillis)
                .containsExactly(100L, 200L, 400L, 800L, 1_000L, 1_000L, 1_000L);
    }

    /** Only the answer to a pull refuses an image. */
    @Test
    void anEngineThatFailsAtTheLookIsAskedUntilItDoesNot() {
        engine.withImage(IMAGE);
        AtomicInteger failures = new AtomicInteger(100);
        List<String> words = new ArrayList<>();
        during("findImage", () -> {
            if (failures.getAndDecrement() > 0) {
                images.progress(IMAGE).ifPresent(words::add);
                throw new EngineException(Kind.FAILING, "out of order");
            }
        });
        images.fetch(ONE, IMAGE, PullPolicy.MISSING);
        tasks.doAll();
        assertThat(told).containsExactly("1 has id-of-python:3.13");
        assertThat(words).contains("the engine fails at it and is asked again (out of order)");
        assertThat(calls).hasSize(101);
    }

    @Test
    void aRegistryThatCannotBeReachedIsAskedSixTimes() {
        during("pull", () -> {
            throw new EngineException(Kind.FAILING, "no such host");
        });
        images.fetch(ONE, IMAGE, PullPolicy.MISSING);
        tasks.doAll();
        assertThat(told)
                .containsExactly("1 hears: image python:3.13 is not on this machine and cannot be pulled: no such host;"
                        + " check the name, or pull or build it here first");
        assertThat(calls.stream().filter("pull"::equals)).hasSize(6);
    }

    @Test
    void aFullDiskRefusesNoImage() {
        engine.withPullable(IMAGE);
        AtomicInteger failures = new AtomicInteger(100);
        during("pull", () -> {
            if (failures.getAndDecrement() > 0) {
                throw new EngineException(Kind.UNABLE, "no space left on device");
            }
        });
        images.fetch(ONE, IMAGE, PullPolicy.MISSING);
        tasks.doAll();
        assertThat(told).containsExactly("1 has id-of-python:3.13");
    }

    @Test
    void anEngineThatIsLostDuringThePullIsAskedAgain() {
        engine.withPullable(IMAGE);
        AtomicInteger failures = new AtomicInteger(2);
        during("pull", () -> {
            if (failures.getAndDecrement() > 0) {
                throw new EngineException(Kind.UNREACHABLE, "no answer");
            }
        });
        images.fetch(ONE, IMAGE, PullPolicy.MISSING);
        tasks.doAll();
        assertThat(told).containsExactly("1 has id-of-python:3.13");
    }
}
