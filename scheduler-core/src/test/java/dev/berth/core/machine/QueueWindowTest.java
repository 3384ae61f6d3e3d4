package dev.berth.core.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.GpuTraits;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.StateName;
import dev.berth.core.machine.JobEvent.ImageVanished;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A queue that is longer than what is held of it. */
class QueueWindowTest {
    private static final int MANY = 3 * QueueWindow.MAX_JOBS;

    /** One job runs and {@code MANY} wait. */
    private static TestScheduler aLongQueue() {
        TestScheduler one = TestScheduler.on(Capacities.gpus(1));
        for (int i = 0; i <= MANY; i++) {
            one.submit(1);
        }
        return one;
    }

    @Test
    void holdsTheFirstJobsOnlyAndKnowsThatThereAreMore() {
        QueueWindow window = aLongQueue().machine().window(Lane.MAIN);
        assertThat(TestScheduler.ids(window.jobs()))
                .hasSize(QueueWindow.MAX_JOBS)
                .startsWith(2L)
                .endsWith(257L);
        assertThat(window.more()).isTrue();
    }

    @Test
    void isNotFilledUpBeyondItsBytes() {
        String label = "x".repeat((int) QueueWindow.MAX_BYTES / 8);
        GpuTraits large = new GpuTraits(null, null, List.of(label));
        List<Job> jobs = new ArrayList<>();
        for (long id = 1; id <= 3; id++) {
            jobs.add(TestJobs.job(
                    id,
                    TestJobs.with(TestJobs.spec(1), large),
                    TestJobs.queued(id, 1).state()));
        }
        assertThat(new QueueWindow(jobs, true).room(_ -> false)).isPositive();
        jobs.add(TestJobs.job(
                4, TestJobs.with(TestJobs.spec(1), large), TestJobs.queued(4, 1).state()));
        assertThat(new QueueWindow(jobs, true).room(_ -> false)).as("half full").isZero();
        assertThat(new QueueWindow(List.of(), true).room(_ -> false)).isEqualTo(QueueWindow.MAX_JOBS);
    }

    @Test
    void asManyAsItHoldsAreAllThereAre() {
        TestScheduler one = TestScheduler.on(Capacities.gpus(1));
        for (int i = 0; i <= QueueWindow.MAX_JOBS; i++) {
            one.submit(1);
        }
        assertThat(one.machine().window(Lane.MAIN).jobs()).hasSize(QueueWindow.MAX_JOBS);
        assertThat(one.machine().window(Lane.MAIN).more()).isFalse();
    }

    @Test
    void isFilledUpFromTheStoreInOrderUntilTheLastJobHasRun() {
        TestScheduler one = aLongQueue();
        for (long id = 1; id <= MANY + 1; id++) {
            assertThat(one.live()).containsExactly(id);
            one.exits(id);
            if (one.machine().room(Lane.MAIN) > 0) {
                one.readQueue(Lane.MAIN);
            }
            assertThat(one.machine().window(Lane.MAIN).jobs()).hasSizeLessThanOrEqualTo(QueueWindow.MAX_JOBS);
        }
        assertThat(one.startOrder()).hasSize(MANY + 1).isSorted();
        assertThat(one.machine().window(Lane.MAIN)).isEqualTo(QueueWindow.EMPTY);
    }

    @Test
    void startsItsHeadAsSoonAsTheStoreIsRead() {
        TestScheduler one =
                TestScheduler.restarted(Capacities.gpus(1), List.of(TestJobs.queued(1), TestJobs.queued(2)));
        assertThat(one.readQueue(Lane.MAIN).effects()).hasSize(1);
        assertThat(one.live()).containsExactly(1L);
    }

    @Test
    void asksAgainForTheImagesOfTheJobsThatItTakesIn() {
        TestScheduler one = TestScheduler.restarted(
                Capacities.gpus(1), List.of(TestJobs.pending(1, 1), TestJobs.queued(2), TestJobs.pending(3, 1)));
        assertThat(one.readQueue(Lane.MAIN).effects()).containsExactly(TestJobs.fetch(1), TestJobs.fetch(3));
    }

    @Test
    void anEmptyOneThatHasMoreBehindItTakesNoLaterJobFirst() {
        TestScheduler one = TestScheduler.restarted(Capacities.gpus(1), List.of(TestJobs.queued(1)));
        one.submit(1);
        assertThat(one.live()).as("the first is not read yet").isEmpty();
        one.readQueue(Lane.MAIN);
        assertThat(one.live()).containsExactly(1L);
        assertThat(TestScheduler.ids(one.machine().window(Lane.MAIN).jobs())).containsExactly(2L);
    }

    @Test
    void aRequeuedJobWithASmallIdComesBackInItsPlaceAndNoneIsLost() {
        TestScheduler one = aLongQueue();
        one.tell(1, new ImageVanished(1));
        QueueWindow window = one.machine().window(Lane.MAIN);
        assertThat(TestScheduler.ids(window.jobs()))
                .hasSize(QueueWindow.MAX_JOBS)
                .startsWith(1L, 2L)
                .endsWith(256L);
        assertThat(window.more()).isTrue();

        one.imageArrives(1);
        for (long id = 1; id <= MANY + 1; id++) {
            one.exits(id);
            one.readQueue(Lane.MAIN);
        }
        assertThat(one.startOrder()).hasSize(MANY + 2).startsWith(1L, 1L, 2L).isSorted();
    }

    @Test
    void aRequeuedJobComesBackFirstAlsoWhenNothingIsRead() {
        TestScheduler one =
                TestScheduler.restarted(Capacities.gpus(1), List.of(TestJobs.starting(1, 0), TestJobs.queued(2)));
        one.tell(1, new ImageVanished(1));
        one.imageArrives(1);
        one.readQueue(Lane.MAIN);
        assertThat(one.live()).containsExactly(1L);
    }

    @Test
    void aJobBehindItCanBeCancelledAndNeverStarts() {
        TestScheduler one = aLongQueue();
        one.cancel(MANY);
        assertThat(one.state(MANY)).isEqualTo(StateName.CANCELLED);
        for (long id = 1; id <= MANY + 1; id++) {
            if (id != MANY) {
                one.exits(id);
                one.readQueue(Lane.MAIN);
            }
        }
        assertThat(one.startOrder()).hasSize(MANY).doesNotContain((long) MANY);
    }

    @Test
    void theImageOfAJobBehindItIsRememberedByTheStore() {
        TestScheduler one = aLongQueue();
        Job last = one.submitPending(1);
        one.imageArrives(last.id().value());
        assertThat(one.job(last.id().value()).state())
                .isEqualTo(TestJobs.queued(1).state());
        assertThat(one.machine().find(last.id())).isEmpty();
    }

    @Test
    void whatRunsAndWhatWaitsAtTheFrontIsFound() {
        TestScheduler one = aLongQueue();
        assertThat(one.machine().find(new JobId(1)).map(Job::id)).contains(new JobId(1));
        assertThat(one.machine().find(new JobId(2))).contains(one.job(2));
        assertThat(one.machine().find(new JobId(MANY))).isEmpty();
    }
}
