package dev.berth.server.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Dependency;
import dev.berth.core.job.DependencyKind;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState;
import dev.berth.core.job.JobState.Deferred;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.Prerequisites;
import dev.berth.core.job.Submitter;
import dev.berth.core.job.Tasks;
import dev.berth.core.job.Unmet;
import dev.berth.core.machine.Change;
import dev.berth.core.machine.Input.SubmitJob;
import dev.berth.core.machine.JobEvent.CancelRequested;
import dev.berth.core.machine.JobEvent.HoldRequested;
import dev.berth.core.machine.Lane;
import dev.berth.core.machine.QueueWindow;
import dev.berth.core.machine.Step.Reply;
import dev.berth.server.example.Jobs;
import dev.berth.server.store.JobStore;
import dev.berth.server.time.Clocks;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server that was killed before all who waited for a job knew of its end, and one that slept over a date. */
class DependentsRecoveryTest {
    /** More than are told at a time. */
    private static final int MANY = QueueWindow.MAX_JOBS * 2 + 10;

    @TempDir
    private Path directory;

    private static Job deferred(long id, @Nullable Instant begin, DependencyKind... kinds) {
        TreeSet<Dependency> pending = new TreeSet<>();
        for (DependencyKind kind : kinds) {
            pending.add(new Dependency(kind, new JobId(1)));
        }
        JobSpec alone = Jobs.spec(1);
        JobSpec spec = new JobSpec(
                alone.label(),
                alone.place(),
                alone.resources(),
                alone.limits(),
                new Prerequisites(begin, List.copyOf(pending), false),
                alone.requeue(),
                alone.resubmitOf());
        return Jobs.job(id, spec, Jobs.ADA, new Deferred(1, new Unmet(begin, pending, new TreeSet<>())));
    }

    private JobStore store(List<Job> jobs) {
        JobStore store = new JobStore(directory.resolve("berth.db"));
        jobs.forEach(job -> store.write(Jobs.upTo(job)));
        store.commit();
        return store;
    }

    @Test
    void allWhoWaitedForAnEndedJobAreToldByTheNextServer() throws InterruptedException {
        List<Job> jobs = new ArrayList<>(List.of(Jobs.job(1, Jobs.spec(1), Jobs.ADA, Jobs.failed())));
        for (long id = 2; id < 2 + MANY; id++) {
            jobs.add(deferred(id, null, id % 2 == 0 ? DependencyKind.AFTER_OK : DependencyKind.AFTER_ANY));
        }
        try (JobStore store = store(jobs)) {
            Scheduling scheduling = Loops.onTwoGpus(store, 1);
            SchedulingLoop loop = Loops.loop(scheduling, store, _ -> {}, Jobs.ENDED);
            loop.recover(new FoundAtStart(List.of(), null));
            for (int turns = 0; turns < 9; turns++) {
                loop.turn(Duration.ZERO);
            }
            for (long id = 2; id < 2 + MANY; id++) {
                assertThat(store.find(new JobId(id)).orElseThrow().state())
                        .isInstanceOf(id % 2 == 0 ? Finished.class : Queued.class);
            }
            assertThat(scheduling.machine().deferred().ended()).isEmpty();
            assertThat(scheduling.machine().window(Lane.MAIN).jobs())
                    .first()
                    .extracting(Job::id)
                    .isEqualTo(new JobId(3));
        }
    }

    /** A task has ended, and the server died before the task of another array that waits for it knew. */
    @Test
    void tasksThatWaitForThoseOfAnotherArrayAreToldByTheNextServer() throws Exception {
        try (JobStore store = store(List.of())) {
            Scheduling scheduling = Loops.onTwoGpus(store, 8);
            SchedulingLoop loop = Loops.loop(scheduling, store, _ -> {}, Jobs.ENDED);
            loop.recover(new FoundAtStart(List.of(), null));
            JobSpec first = Jobs.spec(1).with(Tasks.parse("4-6"));
            Prerequisites pair =
                    new Prerequisites(null, List.of(new Dependency(DependencyKind.AFTER_CORR, new JobId(1))), false);
            JobSpec then = first.waitingFor(pair);
            for (JobSpec spec : List.of(first, then)) {
                var _ = scheduling.submit(at -> new SubmitJob(at, spec, Jobs.PROGRAM, Jobs.ADA, null), Room.UNBOUNDED);
            }
            var _ = scheduling.request(new JobId(3), new HoldRequested("ada"));
            loop.turn(Duration.ZERO);
            Job task = store.find(new JobId(3)).orElseThrow();
            store.write(List.of(
                    new Change.Advanced(Jobs.ENDED, task, task.with(Jobs.completed()), new CancelRequested("ada"))));
            store.commit();
        }
        try (JobStore store = new JobStore(directory.resolve("berth.db"))) {
            assertThat(store.endedAndAwaited()).containsOnlyKeys(new JobId(3));
            Scheduling scheduling = Loops.onTwoGpus(store, 8);
            SchedulingLoop loop = Loops.loop(scheduling, store, _ -> {}, Jobs.ENDED);
            loop.recover(new FoundAtStart(List.of(), null));
            loop.turn(Duration.ZERO);
            loop.turn(Duration.ZERO);
            Job paired = store.find(new JobId(7)).orElseThrow();
            assertThat(paired.number()).isEqualTo("5_5");
            assertThat(paired.state()).isInstanceOf(Queued.class);
            assertThat(store.find(new JobId(5)).orElseThrow().waiting()).hasToString("4,6");
            assertThat(store.endedAndAwaited()).isEmpty();
        }
    }

    /** Whatever was asked for before it came here: who waited for it would learn how it ends. */
    @Test
    void nobodyWaitsForAJobOfAnother() throws Exception {
        try (JobStore store = store(List.of(Jobs.queued(1, 1)))) {
            Scheduling scheduling = Loops.onTwoGpus(store, 2);
            SchedulingLoop loop = Loops.loop(scheduling, store, _ -> {}, Jobs.ENDED);
            loop.recover(new FoundAtStart(List.of(), null));
            JobSpec spec = deferred(2, null, DependencyKind.AFTER_ANY).spec();
            Submitter other = new Submitter(Jobs.ADA.uid() + 1, Jobs.ADA.gid(), List.of(), "eve");
            var ofOther = scheduling.submit(at -> new SubmitJob(at, spec, Jobs.PROGRAM, other, null), Room.UNBOUNDED);
            var own = scheduling.submit(at -> new SubmitJob(at, spec, Jobs.PROGRAM, Jobs.ADA, null), Room.UNBOUNDED);
            loop.turn(Duration.ZERO);
            assertThat(ofOther.get()).isEqualTo(new Reply.NoSuchDependency(new JobId(1)));
            assertThat(own.get()).isInstanceOf(Reply.Accepted.class);
        }
    }

    @Test
    void aDateThatHasPassedMeanwhileHasComeBeforeAnythingStarts() {
        try (JobStore store =
                store(List.of(deferred(1, Jobs.ENDED), deferred(2, Jobs.ENDED.plusSeconds(1)), Jobs.queued(3, 1)))) {
            Scheduling scheduling = recovered(store);
            assertThat(scheduling.machine().live()).as("job 1 is before job 3").isEmpty();
            assertThat(ids(scheduling)).containsExactly(1L, 3L);
            assertThat(store.find(new JobId(2)).orElseThrow().state()).isInstanceOf(Deferred.class);
        }
    }

    /** Whose date came last of all stands first. */
    @Test
    void ofManyWhoseDateHasPassedTheFirstIsFirst() {
        List<Job> jobs = new ArrayList<>(List.of(deferred(1, Jobs.ENDED)));
        for (long id = 2; id < 2 + MANY; id++) {
            jobs.add(deferred(id, Jobs.ENDED.minusSeconds(id)));
        }
        jobs.add(Jobs.queued(2 + MANY, 1));
        try (JobStore store = store(jobs)) {
            Scheduling scheduling = recovered(store);
            assertThat(scheduling.machine().live()).isEmpty();
            assertThat(ids(scheduling)).startsWith(1L, 2L, 3L);
        }
    }

    /** Others stand between them that wait for something else, too. */
    @Test
    void ofManyWhoWaitForAJobAllAreToldThatWaitForNothingElse() throws InterruptedException {
        List<Job> jobs = new ArrayList<>(List.of(
                Jobs.job(1, Jobs.spec(1), Jobs.ADA, Jobs.completed()),
                Jobs.job(2, Jobs.spec(1), Jobs.ADA, Jobs.failed())));
        for (long id = 3; id < 3 + 2 * MANY; id++) {
            jobs.add(deferred(id, id % 2 == 0 ? null : Jobs.ENDED.plusSeconds(1), DependencyKind.AFTER_ANY));
        }
        try (JobStore store = store(jobs)) {
            Scheduling scheduling = Loops.onTwoGpus(store, 1);
            SchedulingLoop loop = Loops.loop(scheduling, store, _ -> {}, Jobs.ENDED);
            loop.recover(new FoundAtStart(List.of(), null));
            for (int turns = 0; turns < 9; turns++) {
                loop.turn(Duration.ZERO);
            }
            for (long id = 3; id < 3 + 2 * MANY; id++) {
                JobState state = store.find(new JobId(id)).orElseThrow().state();
                if (id % 2 == 0) {
                    assertThat(state).isInstanceOf(Queued.class);
                } else {
                    assertThat(state)
                            .isEqualTo(new Deferred(
                                    1, new Unmet(Jobs.ENDED.plusSeconds(1), new TreeSet<>(), new TreeSet<>())));
                }
            }
            assertThat(scheduling.machine().deferred().areUnread()).isFalse();
        }
    }

    /** More dates come at once than are told of in a turn, and those that are left wait for none any more. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void datesThatAreLeftAndGoneHoldNothingUp(boolean isSetBack) throws InterruptedException {
        List<Job> jobs = new ArrayList<>();
        for (long id = 1; id <= MANY; id++) {
            jobs.add(deferred(id, Jobs.ENDED));
        }
        AtomicReference<Instant> date = new AtomicReference<>(Jobs.ENDED.minusSeconds(1));
        try (JobStore store = store(jobs)) {
            Scheduling scheduling = Loops.onTwoGpus(store, MANY);
            SchedulingLoop loop =
                    new SchedulingLoop(scheduling, store, _ -> {}, new Clocks(date::get, () -> Jobs.ENDED));
            loop.recover(new FoundAtStart(List.of(), null));
            date.set(Jobs.ENDED);
            for (long id = QueueWindow.MAX_JOBS + 1; !isSetBack && id <= MANY; id++) {
                var _ = scheduling.request(new JobId(id), new CancelRequested("ada"));
            }
            loop.turn(Duration.ZERO);
            date.set(isSetBack ? Jobs.ENDED.minusSeconds(1) : Jobs.ENDED);
            for (int turns = 0; turns < 9; turns++) {
                loop.turn(Duration.ZERO);
            }
            assertThat(scheduling.machine().deferred().areUnread()).isFalse();
        }
    }

    private static Scheduling recovered(JobStore store) {
        Scheduling scheduling = Loops.onTwoGpus(store, 1);
        Loops.loop(scheduling, store, _ -> {}, Jobs.ENDED).recover(new FoundAtStart(List.of(), null));
        return scheduling;
    }

    private static List<Long> ids(Scheduling scheduling) {
        return scheduling.machine().window(Lane.MAIN).jobs().stream()
                .map(job -> job.id().value())
                .toList();
    }
}
