package dev.berth.core.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.GpuShare;
import dev.berth.core.job.GpuTraits;
import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState;
import dev.berth.core.job.Place.OnHost;
import dev.berth.core.job.StateName;
import dev.berth.core.machine.Effect.CleanGpus;
import dev.berth.core.machine.Input.DrainGpu;
import dev.berth.core.machine.Input.GpusCleaned;
import dev.berth.core.machine.Input.GpusRefused;
import dev.berth.core.machine.Input.GpusSeen;
import dev.berth.core.machine.Input.ResumeGpu;
import dev.berth.core.machine.JobEvent.GpusConfirmed;
import dev.berth.core.machine.JobEvent.GpusTaken;
import dev.berth.core.machine.JobEvent.LaunchRefused;
import dev.berth.core.machine.JobEvent.RunCreated;
import dev.berth.core.machine.JobEvent.StartLost;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What is known of the GPUs decides what is allocated, and nobody overtakes for it. */
class GpuSchedulingTest {
    private static final Attempt FIRST_ATTEMPT = new Attempt(new JobId(1), 1);
    private static final GpuId ZERO = TestJobs.gpu(0);
    private static final GpuId ONE = TestJobs.gpu(1);

    private static SortedMap<GpuId, Obstacle> stranger(GpuId gpu) {
        return new TreeMap<>(Map.of(gpu, new Obstacle.Foreign("process 4711 is on it")));
    }

    private static Allocation held(TestScheduler driver, long id) {
        return Machine.allocation(driver.job(id));
    }

    @Test
    void aRefusedGpuSendsItsJobBackToItsPlaceAndIsPassedOver() {
        TestScheduler driver = TestScheduler.on(Capacities.gpus(2));
        driver.submit(1);
        driver.submit(2);
        Step step = driver.step(
                new GpusRefused(driver.now(), FIRST_ATTEMPT, stranger(ZERO), null, "process 4711 is on GPU 0"));
        assertThat(step.changes())
                .filteredOn(Change.Advanced.class::isInstance)
                .extracting(
                        change -> ((Change.Advanced) change).event().getClass().getSimpleName())
                .containsExactly("GpusTaken", "Allocated");
        assertThat(new GpusTaken(1, "process 4711 is on GPU 0").sentence()).isEqualTo("process 4711 is on GPU 0");
        assertThat(held(driver, 1).gpus()).containsExactly(ONE);
        assertThat(driver.state(2)).isEqualTo(StateName.QUEUED);
    }

    @Test
    void nobodyIsGivenAnythingWhileAnEarlierJobsGpusAreInQuestion() {
        TestScheduler driver = TestScheduler.on(Capacities.gpus(4)).undecided();
        driver.pause();
        driver.submit(3);
        driver.submit(1);
        driver.submit(0);
        driver.resume();
        assertThat(driver.live()).containsExactly(1L);
        driver.step(new GpusRefused(driver.now(), FIRST_ATTEMPT, stranger(ZERO), null, "process 4711 is on GPU 0"));
        assertThat(held(driver, 1).gpus()).as("the others").containsExactly(ONE, TestJobs.gpu(2), TestJobs.gpu(3));
        SortedMap<GpuId, Obstacle> two = stranger(ZERO);
        two.putAll(stranger(ONE));
        driver.step(new GpusRefused(driver.now(), FIRST_ATTEMPT, two, null, "process 4712 is on GPU 1"));
        assertThat(driver.live()).as("two are left, and it waits for three").isEmpty();
        driver.step(new GpusSeen(driver.now(), new TreeMap<>(), null));
        assertThat(driver.live()).containsExactly(1L);
        driver.tell(1, new GpusConfirmed(1));
        assertThat(driver.live()).containsExactly(1L, 2L);
        driver.tell(2, new GpusConfirmed(1));
        assertThat(driver.live()).as("what has no GPUs is not looked at").containsExactly(1L, 2L, 3L);
        assertThat(driver.startOrder()).containsExactly(1L, 1L, 1L, 2L, 3L);
    }

    @Test
    void aChoiceUnderTheLockHoldsUpJobsWithoutGpusBehindIt() {
        TestScheduler driver = TestScheduler.on(Capacities.gpus(2)).undecided();
        driver.submit(1);
        driver.submit(0);
        driver.step(new GpusRefused(driver.now(), FIRST_ATTEMPT, new TreeMap<>(), "bob holds the lock", "locked"));
        assertThat(driver.live()).isEmpty();
        driver.step(new GpusSeen(driver.now(), new TreeMap<>(), null));
        driver.tell(1, new GpusConfirmed(1));
        assertThat(driver.live()).containsExactly(1L, 2L);
    }

    @Test
    void aRestartAsksAgainOnlyForTheLastThatWasGivenItsTurn() {
        TestScheduler driver = TestScheduler.on(Capacities.gpus(3)).undecided();
        for (int id = 1; id <= 3; id++) {
            driver.submit(1);
        }
        driver.tell(1, new GpusConfirmed(1));
        TestScheduler next = driver.again(Capacities.gpus(3));
        next.readQueue(Lane.MAIN);
        assertThat(next.live()).containsExactly(1L, 2L);
        assertThat(next.machine().undecided(Lane.MAIN).orElseThrow().id().value())
                .isEqualTo(2);
        next.tell(2, new GpusConfirmed(1));
        assertThat(next.live()).containsExactly(1L, 2L, 3L);
    }

    @Test
    void oneByOneWaitsForEachProgramsStart() {
        TestScheduler driver = TestScheduler.on(Capacities.ordered(2, new QueueRules(false, true, false)));
        driver.submit(1);
        driver.submit(1);
        assertThat(driver.live()).containsExactly(1L);
        driver.starts(1);
        assertThat(driver.live()).containsExactly(1L, 2L);
    }

    @Test
    void aJobWhoseImageIsFetchedLetsOthersByWhereThatIsWished() {
        TestScheduler driver = TestScheduler.on(Capacities.ordered(2, new QueueRules(true, false, false)));
        driver.submitPending(2);
        driver.submitPending(1);
        driver.imageArrives(2);
        driver.submitPending(1);
        assertThat(driver.live()).containsExactly(2L);
        driver.imageArrives(1);
        driver.imageArrives(3);
        assertThat(driver.live())
                .as("it keeps its place, and is overtaken no more")
                .containsExactly(2L);
        driver.exits(2);
        assertThat(driver.live()).containsExactly(1L);
    }

    @Test
    void theHeadWaitsForAStrangerAndNobodyOvertakesIt() {
        TestScheduler driver = TestScheduler.on(Capacities.gpus(2));
        driver.step(new GpusSeen(driver.now(), stranger(ONE), null));
        driver.submit(2);
        driver.submit(1);
        assertThat(driver.live()).isEmpty();
        driver.step(new GpusSeen(driver.now(), new TreeMap<>(), null));
        assertThat(driver.live()).containsExactly(1L);
    }

    @Test
    void whileSomebodyElseChoosesNoGpuIsGivenOut() {
        TestScheduler driver = TestScheduler.on(Capacities.gpus(2));
        driver.step(new GpusSeen(driver.now(), new TreeMap<>(), "bob holds the lock"));
        driver.submit(1);
        assertThat(driver.live()).isEmpty();
        driver.step(new GpusSeen(driver.now(), new TreeMap<>(), null));
        assertThat(driver.live()).containsExactly(1L);
    }

    @Test
    void aDrainedGpuIsNotGivenOutAndItsJobGoesOn() {
        TestScheduler driver = TestScheduler.on(Capacities.gpus(2));
        driver.submit(1);
        driver.starts(1);
        assertThat(driver.step(new DrainGpu(driver.now(), ZERO, "grace", "loud fan"))
                        .changes())
                .containsExactly(
                        new Change.GpuDrained(driver.now(), ZERO, new Drain("grace", "loud fan", driver.now())));
        assertThat(driver.state(1)).isEqualTo(StateName.RUNNING);
        driver.submit(2);
        driver.exits(1);
        assertThat(driver.state(2)).isEqualTo(StateName.QUEUED);
        driver.step(new ResumeGpu(driver.now(), ZERO, "grace"));
        assertThat(held(driver, 2).gpus()).containsExactly(ZERO, ONE);
    }

    @Test
    void whatTheServerFindsAndWhatAPersonSaysAreBothKept() {
        TestScheduler driver = TestScheduler.on(Capacities.gpus(1));
        driver.step(new DrainGpu(driver.now(), ZERO, "grace", "loud fan"));
        driver.step(new DrainGpu(driver.now(), ZERO, Drain.BERTH, "XID 79"));
        assertThat(driver.step(new DrainGpu(driver.now(), ZERO, Drain.BERTH, "XID 79"))
                        .changes())
                .isEmpty();
        assertThat(driver.machine().gpus().drains().values())
                .extracting(Drain::sentence)
                .containsExactly("drained by grace: loud fan; Berth has found: XID 79");
        driver.step(new DrainGpu(driver.now(), ZERO, "ada", "to be replaced"));
        assertThat(driver.machine().gpus().drains().values())
                .extracting(Drain::sentence)
                .containsExactly("drained by ada: to be replaced; Berth has found: XID 79");
    }

    @Test
    void aPersonTakesOverWhatTheServerHasDrained() {
        Drain own = new Drain(Drain.BERTH, "XID 79", TestJobs.STARTED);
        assertThat(own.and("ada", "I know").sentence()).isEqualTo("drained by ada: I know; Berth has found: XID 79");
        assertThat(own.and(Drain.BERTH, "XID 48").reason()).isEqualTo("XID 79; XID 48");
    }

    @Test
    void whatAJobHasLeftIsLookedAtBeforeTheNextHasIt() {
        TestScheduler driver = TestScheduler.on(Capacities.shared(1, 1));
        driver.submit(1);
        driver.submit(1);
        Allocation left = held(driver, 1);
        Step end = driver.exits(1);
        assertThat(end.effects())
                .contains(new CleanGpus(new Attempt(driver.job(1).id(), 1), left));
        assertThat(end.changes())
                .contains(new Change.CleaningBegun(
                        driver.now(), new Attempt(driver.job(1).id(), 1), left));
        assertThat(driver.state(1)).isEqualTo(StateName.COMPLETED);
        assertThat(driver.state(2)).isEqualTo(StateName.QUEUED);
        Step cleaned = driver.step(new GpusCleaned(driver.now(), FIRST_ATTEMPT, new TreeMap<>()));
        assertThat(cleaned.changes().getFirst()).isInstanceOf(Change.CleaningEnded.class);
        assertThat(driver.state(2)).isEqualTo(StateName.STARTING);
        assertThat(driver.step(new GpusCleaned(driver.now(), FIRST_ATTEMPT, new TreeMap<>()))
                        .changes())
                .isEmpty();
    }

    @Test
    void whatWasNeverUsedIsNotLookedAt() {
        TestScheduler driver = TestScheduler.on(Capacities.shared(2, 1));
        driver.submit(1);
        Step step = driver.step(
                new GpusRefused(driver.now(), FIRST_ATTEMPT, stranger(ZERO), null, "process 4711 is on it"));
        assertThat(step.effects()).noneMatch(CleanGpus.class::isInstance);
    }

    private static SortedMap<GpuId, String> fault(GpuId gpu) {
        return new TreeMap<>(Map.of(gpu, "unknown device"));
    }

    @Test
    void aGpuOnWhichStartsFailInARowAndBerthsOwnTooIsDrained() {
        TestScheduler driver = TestScheduler.on(Capacities.gpus(2));
        for (int id = 1; id <= 3; id++) {
            driver.submit(2);
            assertThat(driver.machine().gpus().drains()).isEmpty();
            driver.tell(id, new LaunchRefused(1, "what a submitter wrote", fault(ONE)));
        }
        assertThat(driver.machine().gpus().drains().keySet())
                .as("the other started Berth's own")
                .containsExactly(ONE);
        assertThat(driver.machine().gpus().drains().values())
                .extracting(Drain::reason)
                .containsExactly(
                        "3 starts in a row failed on it, and so did Berth's own test container: unknown device");
    }

    /** As where a runtime fails each time after it was asked to start a program: whether that ran, nobody knows. */
    @Test
    void aGpuOnWhichOneStartAfterTheOtherIsLostAndBerthsOwnFailsIsDrained() {
        TestScheduler driver = TestScheduler.on(Capacities.gpus(1));
        for (int id = 1; id <= 3; id++) {
            driver.submit(1);
            assertThat(driver.machine().gpus().drains()).isEmpty();
            driver.tell(id, new RunCreated(1, TestJobs.ENGINE));
            driver.tell(id, new StartLost(1, "what the engine said", fault(ZERO)));
            assertThat(driver.state(id)).isEqualTo(StateName.LOST);
        }
        assertThat(driver.machine().gpus().drains().keySet()).containsExactly(ZERO);
    }

    @Test
    void startsThatFailForAnotherReasonOrNotInARowDrainNothing() {
        TestScheduler driver = TestScheduler.on(Capacities.gpus(1));
        for (int id = 1; id <= 9; id++) {
            driver.submit(1);
            boolean works = id % 3 == 0;
            if (works) {
                driver.exits(id);
            } else {
                driver.tell(id, new LaunchRefused(1, "no such program", id % 3 == 1 ? fault(ZERO) : new TreeMap<>()));
            }
        }
        assertThat(driver.machine().gpus().drains()).isEmpty();
    }

    private static long share(TestScheduler driver, int milli, GpuTraits traits) {
        Step step = driver.submit(TestJobs.share(milli, traits));
        long id = ((Step.Reply.Accepted) step.reply()).job().id().value();
        driver.imageArrives(id);
        return id;
    }

    @Test
    void threeQuartersTwiceAreOneOnEachGpu() {
        TestScheduler driver = TestScheduler.on(Capacities.shared(2, 4));
        share(driver, 750, GpuTraits.ANY);
        share(driver, 750, GpuTraits.ANY);
        share(driver, 250, GpuTraits.ANY);
        share(driver, 500, GpuTraits.ANY);
        assertThat(held(driver, 1).shares()).containsExactly(new GpuShare(ZERO, 750));
        assertThat(held(driver, 2).shares()).containsExactly(new GpuShare(ONE, 750));
        assertThat(held(driver, 3).shares()).containsExactly(new GpuShare(ZERO, 250));
        assertThat(driver.state(4)).isEqualTo(StateName.QUEUED);
    }

    @Test
    void sharesOfOneGpuNeedNoMoreMemoryThanItHas() {
        TestScheduler driver = TestScheduler.on(Capacities.shared(1, 4));
        share(driver, 100, new GpuTraits(10L << 30, null, List.of()));
        share(driver, 100, new GpuTraits(10L << 30, null, List.of()));
        assertThat(driver.live()).containsExactly(1L);
    }

    @Test
    void aJobOfAKindOfGpuGetsNoOther() {
        Capacity plain = Capacities.gpus(3);
        GpuRules rules =
                new GpuRules(1, new TreeMap<>(), new TreeMap<>(Map.of(TestJobs.gpu(2), List.of("fast"))), false, 3);
        Capacity capacity = new Capacity(
                plain.gpus(), 3, 0, rules, plain.topology(), plain.cpus(), Long.MAX_VALUE, QueueRules.STRICT);
        JobSpec fast = TestJobs.with(TestJobs.spec(1), new GpuTraits(null, "GPU", List.of("fast")));
        TestScheduler driver = TestScheduler.on(capacity);
        driver.submit(fast);
        driver.imageArrives(1);
        assertThat(held(driver, 1).gpus()).containsExactly(TestJobs.gpu(2));
        JobSpec huge = TestJobs.with(TestJobs.spec(1), new GpuTraits(99L << 30, null, List.of()));
        assertThat(driver.submit(huge).reply())
                .isEqualTo(new Step.Reply.Refused("it asks for 1 GPU with 101376 MiB, but of the 3 here none is such;"
                        + " berth gpus shows what there is"));
    }

    @Test
    void coresAndMemoryAreBookedAndGivenBack() {
        TestScheduler driver = TestScheduler.on(Capacities.booked(0, 2, 8L << 30));
        driver.submit(TestJobs.booking(1_500, 6L << 30));
        driver.submit(TestJobs.booking(1_000, null));
        driver.imageArrives(1);
        driver.imageArrives(2);
        assertThat(held(driver, 1).cpus()).containsExactly(0, 1);
        assertThat(driver.state(2)).isEqualTo(StateName.QUEUED);
        driver.exits(1);
        assertThat(held(driver, 2).cpus()).containsExactly(0);
        assertThat(driver.submit(TestJobs.booking(3_000, null)).reply())
                .isEqualTo(new Step.Reply.Refused(
                        "it asks for 3 cores, but this server has 2 to allocate; ask for at most that with --cpus"));
        assertThat(driver.submit(TestJobs.booking(null, 9L << 30)).reply())
                .isEqualTo(new Step.Reply.Refused("it asks for 9216 MiB of memory, but this server has 8192 MiB to"
                        + " allocate; ask for at most that with --memory"));
    }

    @Test
    void aProgramOfTheMachineItselfNeedsNoImage() {
        TestScheduler driver = TestScheduler.on(Capacities.gpus(1));
        Step step = driver.submit(TestJobs.with(TestJobs.spec(1), new OnHost("/home/ada", false, false)));
        Job job = driver.job(1);
        assertThat(job.state()).isInstanceOf(JobState.Creating.class);
        assertThat(step.effects()).noneMatch(Effect.FetchImage.class::isInstance);
        assertThat(((JobState.Creating) job.state()).imageId()).isEmpty();
        assertThat(new ImageState.Ready("").imageId()).isEmpty();
    }
}
