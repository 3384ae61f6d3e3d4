package dev.berth.server.runner.docker.image;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.JobId;
import dev.berth.core.job.PullPolicy;
import dev.berth.core.machine.Effect.FetchImage;
import dev.berth.core.machine.JobEvent.ImageArrived;
import dev.berth.core.machine.JobEvent.ImageRefused;
import dev.berth.server.example.Jobs;
import dev.berth.server.gpu.nvidia.Driver;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.docker.CudaCheck;
import dev.berth.server.runner.docker.FakeContainerEngine;
import dev.berth.server.runner.docker.StartCheck;
import dev.berth.server.upkeep.Tasks;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Images for queued jobs, one call of the engine after the other on the test's own thread. */
class ImagesTest {
    private static final JobId ONE = new JobId(1);
    private static final JobId TWO = new JobId(2);
    private static final JobId THREE = new JobId(3);
    private static final String IMAGE = "python:3.13";
    private static final long ADA = 1000;
    private static final long BOB = 1001;
    private static final long EVE = 1002;

    /** Does what is asked for when the test says so, and keeps how long each piece was to wait. */
    private static final class LaterTasks implements Tasks {
        private final Deque<Runnable> waiting = new ArrayDeque<>();
        private final Deque<Runnable> ready = new ArrayDeque<>();
        private final List<Duration> delays = new ArrayList<>();

        @Override
        public void run(Runnable work) {
            waiting.add(work);
            ready.add(work);
        }

        @Override
        public void runAfter(Duration delay, Runnable work) {
            delays.add(delay);
            waiting.add(work);
        }

        /** What was not to wait. */
        void doReady() {
            for (Runnable work = ready.poll(); work != null; work = ready.poll()) {
                boolean isThere = waiting.remove(work);
                if (isThere) {
                    work.run();
                }
            }
        }

        void doAll() {
            while (!waiting.isEmpty()) {
                waiting.removeFirst().run();
            }
        }
    }

    /** What the engine says of Berth's own container, as the test says. */
    private final class Complaint implements StartCheck {
        @Override
        public Verdict engine() {
            return own;
        }

        @Override
        public SortedMap<GpuId, String> faults(Allocation allocation) {
            return new TreeMap<>();
        }

        @Override
        public Optional<String> complaint() {
            return Optional.ofNullable(complaints.poll());
        }
    }

    private StartCheck.Verdict own = new StartCheck.Verdict.Unknown();
    private final Deque<String> complaints = new ArrayDeque<>();
    private final LaterTasks tasks = new LaterTasks();
    private Instant now = Instant.EPOCH;
    private Driver driver = Driver.UNKNOWN;
    private final Set<JobId> gone = new HashSet<>();
    private final List<String> told = new ArrayList<>();
    private final List<String> calls = new ArrayList<>();
    private final FakeContainerEngine engine =
            new FakeContainerEngine(InstantSource.fixed(Instant.EPOCH), (_, _) -> {});
    private final Images images = new Images(
            engine,
            new Images.Parts(
                    new Complaint(),
                    new CudaCheck(engine, () -> driver),
                    job -> gone.contains(job) ? Optional.empty() : Optional.of(Jobs.PROGRAM),
                    () -> now),
            tasks,
            (job, event) -> told.add(
                    switch (event) {
                        case ImageArrived(String imageId) -> job + " has " + imageId;
                        case ImageRefused(String sentence) -> job + " hears: " + sentence;
                        default -> job + " " + event;
                    }));

    ImagesTest() {
        during("", () -> {});
    }

    private void fetch(JobId job, long owner, String image) {
        images.fetch(new FetchImage(job, owner, image, PullPolicy.MISSING, false));
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
        assertThat(images.progress(ONE)).isEmpty();
    }

    @Test
    void anImageThatIsHereIsNotPulled() {
        engine.withImage(IMAGE);
        fetch(ONE, ADA, IMAGE);
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
                images.progress(ONE).ifPresent(progress::add);
            }
        });
        fetch(ONE, ADA, IMAGE);
        tasks.doAll();
        assertThat(told).containsExactly("1 has id-of-python:3.13");
        assertThat(progress).containsExactly("being pulled, 1 of 2 MB");
    }

    @Test
    void anImageThatIsNowhereIsRefusedWithTheWayOut() {
        fetch(ONE, ADA, IMAGE);
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
        fetch(ONE, ADA, IMAGE);
        tasks.doAll();
        assertThat(told).containsExactly("1 hears: image python:3.13 was pulled and is not here");
    }

    @Test
    void oneLookServesAllWhoWaitFromTheFirstToTheLast() {
        engine.withPullable(IMAGE);
        during("pull", () -> fetch(ONE, ADA, IMAGE));
        fetch(THREE, ADA, IMAGE);
        fetch(TWO, ADA, IMAGE);
        fetch(TWO, ADA, IMAGE);
        tasks.doAll();
        assertThat(told)
                .containsExactly("1 has id-of-python:3.13", "2 has id-of-python:3.13", "3 has id-of-python:3.13");
        assertThat(calls).containsExactly("findImage", "pull", "findImage");
    }

    @Test
    void otherImagesAreOtherLooks() {
        engine.withImage(IMAGE).withImage("busybox");
        fetch(ONE, ADA, IMAGE);
        fetch(TWO, ADA, "busybox");
        tasks.doAll();
        assertThat(told).containsExactly("1 has id-of-python:3.13", "2 has id-of-busybox");
    }

    @Test
    void aPullThatNobodyWaitsForIsGivenUp() {
        engine.withPullable(IMAGE);
        during("pull", () -> images.abandon(ONE, IMAGE));
        fetch(ONE, ADA, IMAGE);
        tasks.doAll();
        assertThat(told).isEmpty();
        assertThat(engine.findImage(IMAGE)).as("it was not pulled to its end").isEmpty();

        during("", () -> {});
        fetch(TWO, ADA, IMAGE);
        tasks.doAll();
        assertThat(told).containsExactly("2 has id-of-python:3.13");
    }

    @Test
    void aPullThatOneOfTwoWaitsForGoesOn() {
        engine.withPullable(IMAGE);
        during("pull", () -> images.abandon(ONE, IMAGE));
        fetch(ONE, ADA, IMAGE);
        fetch(TWO, ADA, IMAGE);
        tasks.doAll();
        assertThat(told).containsExactly("2 has id-of-python:3.13");
    }

    @Test
    void somebodyWhoComesAfterTheLastOneLeftKeepsThePullGoing() {
        engine.withPullable(IMAGE);
        during("pull", () -> {
            images.abandon(ONE, IMAGE);
            fetch(TWO, ADA, IMAGE);
        });
        fetch(ONE, ADA, IMAGE);
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
        fetch(ONE, ADA, IMAGE);
        tasks.doAll();
        assertThat(told).containsExactly("1 has id-of-python:3.13");
        assertThat(tasks.delays)
                .extracting(Duration::toMillis)
                .containsExactly(100L, 200L, 400L, 800L, 1_000L, 1_000L, 1_000L);
    }

    /** A registry gives what it likes, also an image that an engine, or its client, cannot make sense of. */
    @Test
    void anImageWhoseLookFailsWhereBerthsOwnStartsIsRefusedAfterSixTries() {
        engine.withImage(IMAGE);
        own = new StartCheck.Verdict.Well();
        during("findImage", () -> {
            throw new EngineException(Kind.FAILING, "its answer cannot be read");
        });
        fetch(ONE, ADA, IMAGE);
        tasks.doAll();
        assertThat(told)
                .containsExactly("1 hears: image python:3.13 cannot be looked at: its answer cannot be read; check the"
                        + " name, or remove the image here and pull or build it again");
        assertThat(calls).hasSize(6);
    }

    /** Only the answer to a pull refuses an image, as long as it is not known that the engine is well. */
    @Test
    void anEngineThatFailsAtTheLookIsAskedUntilItDoesNot() {
        engine.withImage(IMAGE);
        AtomicInteger failures = new AtomicInteger(100);
        List<String> words = new ArrayList<>();
        during("findImage", () -> {
            if (failures.getAndDecrement() > 0) {
                images.progress(ONE).ifPresent(words::add);
                throw new EngineException(Kind.FAILING, "out of order");
            }
        });
        fetch(ONE, ADA, IMAGE);
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
        fetch(ONE, ADA, IMAGE);
        tasks.doAll();
        assertThat(told)
                .containsExactly("1 hears: image python:3.13 is not on this machine and cannot be pulled: no such host;"
                        + " check the name, or pull or build it here first");
        assertThat(calls.stream().filter("pull"::equals)).hasSize(6);
    }

    /** Its words are anybody's: a registry that says that a disk is full would have a job wait for ever. */
    @Test
    void whatARegistrySaysDecidesNothing() {
        for (String words : List.of("no space left on device", "daemon is shutting down", "denied", "not found")) {
            calls.clear();
            told.clear();
            during("pull", () -> {
                throw new EngineException(Kind.FAILING, words);
            });
            fetch(ONE, ADA, IMAGE);
            tasks.doAll();
            assertThat(told).singleElement().asString().contains(words);
            assertThat(calls.stream().filter("pull"::equals)).as(words).hasSize(6);
        }
    }

    /** A registry that takes its time, and fails. */
    private void hangs() {
        during("pull", () -> {
            now = now.plusSeconds(10);
            throw new EngineException(Kind.FAILING, "its registry has not answered within 10 s");
        });
    }

    @Test
    void aRegistryThatHangsIsAskedNoMoreAfterFifteenSeconds() {
        hangs();
        fetch(ONE, ADA, IMAGE);
        tasks.doAll();
        assertThat(told).singleElement().asString().contains("its registry has not answered within 10 s");
        assertThat(calls.stream().filter("pull"::equals)).hasSize(2);
    }

    @Test
    void whoseRegistriesHangIsServedNoMorePullForAWhileAndOthersAre() {
        hangs();
        for (String image : List.of("one", "two", "three")) {
            fetch(ONE, ADA, image);
            tasks.doAll();
        }
        told.clear();
        calls.clear();
        during("", () -> {});
        engine.withImage("here").withPullable(IMAGE);
        fetch(ONE, ADA, IMAGE);
        fetch(TWO, ADA, "here");
        fetch(THREE, BOB, IMAGE);
        tasks.doAll();
        assertThat(told)
                .containsExactly(
                        "1 hears: image python:3.13 is not on this machine and cannot be pulled: the last 3 pulls of"
                                + " yours took 15 s and more each and failed, so that none is begun within 10 minutes of"
                                + " them; check the name, or pull or build it here first",
                        "2 has id-of-here",
                        "3 has id-of-python:3.13");
        now = now.plus(PullShares.MEMORY).plusSeconds(1);
        engine.removeImage(IMAGE);
        fetch(TWO, ADA, IMAGE);
        tasks.doAll();
        assertThat(told).endsWith("2 has id-of-python:3.13");
    }

    /** What is asked for while the engine is at one pull after the other; each is asked for in the middle of the one before. */
    private List<String> pulledInside(Runnable... asks) {
        List<String> course = new ArrayList<>();
        Deque<Runnable> rest = new ArrayDeque<>(List.of(asks));
        engine.strikeWith((call, done) -> {
            if (call.equals("pull")) {
                course.add(done ? "ended" : "began");
                Runnable next = done ? null : rest.poll();
                if (next != null) {
                    next.run();
                    tasks.doReady();
                }
            }
        });
        return course;
    }

    @Test
    void twoPullsAreUnderWayAtATimeInTheOrderOfTheQueue() {
        for (String image : List.of("a", "b", "c", "d")) {
            engine.withPullable(image);
        }
        List<String> course = pulledInside(() -> fetch(TWO, BOB, "b"), () -> {
            fetch(new JobId(4), ADA, "d");
            fetch(THREE, BOB, "c");
            tasks.doReady();
            assertThat(images.progress(THREE))
                    .contains("waits for its turn: two images are pulled at a time, in the order of the queue, each"
                            + " user's first before anybody's second");
        });
        fetch(ONE, ADA, "a");
        tasks.doReady();
        assertThat(course.subList(0, 3)).containsExactly("began", "began", "ended");
        tasks.doAll();
        assertThat(told).containsExactly("2 has id-of-b", "3 has id-of-c", "4 has id-of-d", "1 has id-of-a");
    }

    @Test
    void aPullThatHasHadItsTurnGivesItsPlaceToAnotherUsers() {
        engine.withPullable("a").withPullable("b").withPullable("c");
        List<String> course = pulledInside(
                () -> fetch(TWO, BOB, "b"),
                () -> {
                    fetch(THREE, EVE, "c");
                    tasks.doReady();
                    now = now.plus(PullShares.TURN);
                    engine.bring("a", "being pulled, 1 of 9 MB");
                },
                () -> assertThat(images.progress(TWO))
                        .contains("gave its place to another user's image after 30 minutes, and waits for its turn: two"
                                + " images are pulled at a time, in the order of the queue, each user's first"
                                + " before anybody's second"));
        fetch(ONE, ADA, "a");
        tasks.doReady();
        assertThat(course.subList(0, 4)).containsExactly("began", "began", "began", "ended");
        assertThat(told).containsExactly("3 has id-of-c", "2 has id-of-b", "1 has id-of-a");
        tasks.doAll();
    }

    @Test
    void aPullThatGoesOnForHoursIsRefused() {
        engine.withPullable(IMAGE);
        during("pull", () -> now = now.plus(PullShares.LONGEST));
        fetch(ONE, ADA, IMAGE);
        tasks.doAll();
        assertThat(told)
                .containsExactly(
                        "1 hears: image python:3.13 is not on this machine and cannot be pulled: it was not here"
                                + " after 3 hours; check the name, or pull or build it here first");
    }

    @Test
    void pullsThatStandStillHoldOthersUpForAWhileOnly() {
        engine.withPullable("slow").withPullable("slower").withPullable(IMAGE);
        List<String> course = pulledInside(() -> fetch(TWO, ADA, "slower"), () -> {
            fetch(THREE, BOB, IMAGE);
            tasks.doReady();
            assertThat(told).isEmpty();
            assertThat(tasks.delays).contains(PullShares.STILL);
            now = now.plus(PullShares.STILL).plusSeconds(1);
            tasks.doAll();
            assertThat(told).containsExactly("3 has id-of-python:3.13");
        });
        fetch(ONE, ADA, "slow");
        tasks.doAll();
        assertThat(told).hasSize(3);
        assertThat(course.subList(0, 3)).containsOnly("began");
    }

    @Test
    void anImageThatTheDriverCannotRunFailsTheJobsWithGpusOnceItIsHere() {
        engine.withPullable(IMAGE);
        engine.withEnvironment(IMAGE, Map.of("NVIDIA_REQUIRE_CUDA", "cuda>=12.4"));
        driver = new Driver("525.60", "12.0", null);
        images.fetch(new FetchImage(ONE, ADA, IMAGE, PullPolicy.MISSING, true));
        images.fetch(new FetchImage(TWO, ADA, IMAGE, PullPolicy.MISSING, false));
        tasks.doAll();
        assertThat(told)
                .containsExactly(
                        "1 hears: image python:3.13 needs CUDA >= 12.4, the driver 525.60 runs at most CUDA 12.0; take"
                                + " an older image or update the driver (NVIDIA_DISABLE_REQUIRE=true runs it all the"
                                + " same)",
                        "2 has id-of-python:3.13");
    }

    @Test
    void aJobThatIsDeletedDuringThePullHoldsNobodyUp() {
        engine.withPullable(IMAGE);
        driver = new Driver("525.60", "12.0", null);
        gone.add(ONE);
        images.fetch(new FetchImage(ONE, ADA, IMAGE, PullPolicy.MISSING, true));
        images.fetch(new FetchImage(TWO, ADA, IMAGE, PullPolicy.MISSING, true));
        during("pull", () -> images.abandon(ONE, IMAGE));
        tasks.doAll();
        assertThat(told).containsExactly("2 has id-of-python:3.13");
    }

    @Test
    void anEngineThatStartsNothingIsAskedForNoImage() {
        engine.withImage(IMAGE);
        complaints.addAll(List.of("no room", "no room"));
        List<String> words = new ArrayList<>();
        fetch(ONE, ADA, IMAGE);
        while (!tasks.waiting.isEmpty()) {
            tasks.waiting.removeFirst().run();
            images.progress(ONE).ifPresent(words::add);
        }
        assertThat(words)
                .containsOnly(
                        "the engine fails at it and is asked again (it starts no container, Berth's own test container"
                                + " neither: no room)");
        assertThat(told).containsExactly("1 has id-of-python:3.13");
        assertThat(calls).containsExactly("findImage");
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
        fetch(ONE, ADA, IMAGE);
        tasks.doAll();
        assertThat(told).containsExactly("1 has id-of-python:3.13");
    }
}
