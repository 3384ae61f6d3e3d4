package dev.berth.server.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.api.JobEventView;
import dev.berth.core.job.Allocation;
import dev.berth.core.job.Dependency;
import dev.berth.core.job.DependencyKind;
import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState;
import dev.berth.core.job.JobState.Creating;
import dev.berth.core.job.JobState.Deferred;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.JobState.HandedOver;
import dev.berth.core.job.JobState.Held;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.JobState.Running;
import dev.berth.core.job.Outcome;
import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.Prerequisites;
import dev.berth.core.job.StateName;
import dev.berth.core.job.Unmet;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Effect;
import dev.berth.core.machine.Effect.AdoptRun;
import dev.berth.core.machine.Effect.CreateRun;
import dev.berth.core.machine.Effect.HoldRun;
import dev.berth.core.machine.Effect.ReleaseRun;
import dev.berth.core.machine.Found;
import dev.berth.core.machine.JobEvent;
import dev.berth.core.machine.JobEvent.HoldSeen;
import dev.berth.core.machine.JobEvent.RunEnded;
import dev.berth.core.machine.JobEvent.RunHandedOver;
import dev.berth.core.machine.JobEvent.RunStarted;
import dev.berth.core.machine.RunnerKind;
import dev.berth.core.machine.TargetRules;
import dev.berth.server.example.Jobs;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.JobStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jobs of targets across the end of a server, as the next one finds them in the store. */
class TargetLoopTest {
    private static final Queued READY = new Queued(1, new ImageState.Ready(""));
    private static final Map<String, TargetRules> TARGETS = Map.of("cluster", new TargetRules(2, true));

    @TempDir
    private Path directory;

    private final List<Effect> effects = new ArrayList<>();
    private JobStore store;
    private Scheduling scheduling;
    private SchedulingLoop loop;

    @BeforeEach
    void open() {
        store = new JobStore(directory.resolve("berth.db"));
        scheduling = Loops.withTargets(store, TARGETS);
        loop = Loops.loop(scheduling, store, effects::addAll, Jobs.STARTED);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static Job job(long id, JobState state) {
        return Jobs.job(id, Jobs.at("cluster", Jobs.spec(1)), Jobs.ADA, state);
    }

    private void keep(Job... jobs) {
        for (Job job : jobs) {
            store.write(Jobs.upTo(job));
        }
        store.commit();
    }

    private void begin(Map<String, TargetRules> targets, FoundAtStart found) {
        effects.clear();
        scheduling = Loops.withTargets(store, targets);
        loop = Loops.loop(scheduling, store, effects::addAll, Jobs.STARTED);
        loop.recover(found);
    }

    private void tell(long id, JobEvent event) throws InterruptedException {
        scheduling.tell(new JobId(id), event);
        loop.turn(Duration.ZERO);
    }

    private JobState state(long id) {
        return store.find(new JobId(id)).orElseThrow().state();
    }

    private static FoundAtStart nothing() {
        return new FoundAtStart(List.of(), null);
    }

    private static Found mark(long id) {
        return new Found(RunnerKind.TARGET, new Attempt(new JobId(id), 1), new Found.Condition.FilesLeft(), List.of());
    }

    @Test
    void whatATargetHasIsTakenOverAlsoAfterAReboot() {
        Job waiting = job(1, new HandedOver(1, false));
        Job held = job(2, new HandedOver(1, true));
        Job running = job(3, new Running(1, Allocation.NONE, Jobs.STARTED));
        keep(waiting, held, running);
        store.keepBoot("boot-a");
        store.commit();

        begin(
                TARGETS,
                new FoundAtStart(List.of(mark(1), mark(2), mark(3)), new FoundAtStart.Boot("boot-b", Jobs.STARTED)));

        assertThat(effects)
                .containsExactly(
                        new AdoptRun(waiting), new AdoptRun(held), new HoldRun(held, true), new AdoptRun(running));
        assertThat(state(1)).isEqualTo(waiting.state());
        assertThat(state(2)).isEqualTo(held.state());
        assertThat(state(3)).isEqualTo(running.state());
    }

    @Test
    void aHandOverOfWhichNothingIsKnownIsDoneAgainAndNothingOfItIsRemoved() throws InterruptedException {
        Job creating = job(1, new Creating(1, "", Allocation.NONE));
        keep(creating);

        begin(TARGETS, new FoundAtStart(List.of(mark(1)), null));

        assertThat(effects).containsExactly(new CreateRun(creating, "", Allocation.NONE));
        tell(1, new RunHandedOver(1));
        assertThat(state(1)).isEqualTo(new HandedOver(1, false));
    }

    @Test
    void whatIsLeftOfAJobThatHasEndedIsReleased() {
        keep(job(1, Jobs.completed()));

        begin(TARGETS, new FoundAtStart(List.of(mark(1)), null));

        assertThat(effects).containsExactly(new ReleaseRun(RunnerKind.TARGET, new Attempt(new JobId(1), 1)));
    }

    @Test
    void theQueueOfATargetGoesOnAsFarAsThereIsRoom() throws InterruptedException {
        keep(job(1, new HandedOver(1, false)), job(2, READY), job(3, READY), Jobs.running(4, 0, 1), job(5, READY));

        begin(TARGETS, nothing());

        assertThat(state(2)).isEqualTo(new Creating(1, "", Allocation.NONE));
        assertThat(state(3)).isEqualTo(READY);
        Outcome lost = new Outcome(StateName.LOST, OutcomeReason.NODE_LOST, "node n1 failed", null);
        tell(1, new RunEnded(1, lost, Jobs.STARTED, Jobs.ENDED));
        assertThat(state(1))
                .isInstanceOfSatisfying(
                        Finished.class, end -> assertThat(end.outcome()).isEqualTo(lost));
        assertThat(state(3)).isEqualTo(new Creating(1, "", Allocation.NONE));
        assertThat(state(5)).isEqualTo(READY);
    }

    @Test
    void aJobForATargetThatIsNotSetUpIsSetAsideUntilItIs() {
        keep(job(1, new HandedOver(1, false)), job(2, READY));

        begin(Map.of(), nothing());
        assertThat(state(1)).isEqualTo(new HandedOver(1, false));
        assertThat(state(2))
                .isInstanceOfSatisfying(
                        Held.class, held -> assertThat(held.isByServer()).isTrue());
        assertThat(effects).noneMatch(CreateRun.class::isInstance);

        begin(TARGETS, nothing());
        assertThat(state(2)).isEqualTo(new Creating(1, "", Allocation.NONE));
    }

    /** A job that waits for another. */
    private static Job after(long id, long other) {
        Prerequisites asked =
                new Prerequisites(null, List.of(new Dependency(DependencyKind.AFTER_OK, new JobId(other))), false);
        return Jobs.job(
                id,
                Jobs.at("cluster", Jobs.spec(1)).waitingFor(asked),
                Jobs.ADA,
                new Deferred(1, Unmet.of(asked, Set.of(), Jobs.SUBMITTED)));
    }

    @Test
    void whoWaitsForWhatATargetHasGoesThereAndKeepsNoWishHere() throws InterruptedException {
        keep(job(1, new Creating(1, "", Allocation.NONE)), after(2, 1));
        begin(TARGETS, nothing());
        assertThat(state(2)).isInstanceOf(Deferred.class);

        tell(1, new RunHandedOver(1));
        assertThat(state(2)).isEqualTo(new Creating(1, "", Allocation.NONE));
        assertThat(store.hasDependents()).isFalse();
    }

    @Test
    void theNextServerLetsThoseGoWhomTheLastDidNotTell() {
        keep(job(1, new HandedOver(1, false)), after(2, 1), after(3, 2));
        begin(TARGETS, nothing());
        assertThat(state(2)).isEqualTo(new Creating(1, "", Allocation.NONE));
        assertThat(state(3)).isInstanceOf(Deferred.class);
    }

    /** So that tasks of an array are expected before the first of them goes on its way. */
    @Test
    void theEffectsOfACommitAreOwedTogether() throws InterruptedException {
        keep(job(1, new HandedOver(1, false)), job(2, new HandedOver(1, false)));
        List<List<Effect>> commits = new ArrayList<>();
        scheduling = Loops.withTargets(store, TARGETS);
        loop = Loops.loop(scheduling, store, commits::add, Jobs.STARTED);
        loop.recover(nothing());
        commits.clear();

        Outcome lost = new Outcome(StateName.LOST, OutcomeReason.NODE_LOST, "node n1 failed", null);
        scheduling.tell(new JobId(1), new RunEnded(1, lost, Jobs.STARTED, Jobs.ENDED));
        tell(2, new RunEnded(1, lost, Jobs.STARTED, Jobs.ENDED));
        assertThat(commits.getFirst())
                .containsExactly(
                        new ReleaseRun(RunnerKind.TARGET, new Attempt(new JobId(1), 1)),
                        new ReleaseRun(RunnerKind.TARGET, new Attempt(new JobId(2), 1)));
    }

    @Test
    void whatTargetsTellHasItsNamesAmongTheEvents() throws InterruptedException {
        store.write(List.of(Jobs.acceptance(job(1, READY))));
        store.commit();
        begin(TARGETS, nothing());
        tell(1, new RunHandedOver(1));
        tell(1, new HoldSeen(1, true));
        tell(1, new HoldSeen(1, false));
        tell(1, new RunStarted(1, Jobs.STARTED));
        Outcome preempted = new Outcome(StateName.LOST, OutcomeReason.PREEMPTED, "another job needed its node", null);
        tell(1, new RunEnded(1, preempted, null, Jobs.ENDED));

        assertThat(((Finished) state(1)).startedAt()).isEqualTo(Jobs.STARTED);
        assertThat(effects).endsWith(new ReleaseRun(RunnerKind.TARGET, new Attempt(new JobId(1), 1)));
        try (JobQueries queries = new JobQueries(directory.resolve("berth.db"))) {
            assertThat(queries.events(new JobId(1), 0, 10).items())
                    .extracting(JobEventView::event, JobEventView::to)
                    .map(Object::toString)
                    .containsExactly(
                            "(\"JobAccepted\", \"QUEUED\")",
                            "(\"Allocated\", \"STARTING\")",
                            "(\"HandedOver\", \"QUEUED\")",
                            "(\"HoldSeen\", \"HELD\")",
                            "(\"HoldSeen\", \"QUEUED\")",
                            "(\"ContainerStarted\", \"RUNNING\")",
                            "(\"TargetEnded\", \"LOST\")");
        }
    }
}
