package dev.berth.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.Dependency;
import dev.berth.core.job.DependencyKind;
import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState;
import dev.berth.core.job.JobState.Creating;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.JobState.Running;
import dev.berth.core.job.JobState.Stopping;
import dev.berth.core.job.Label;
import dev.berth.core.job.Limits;
import dev.berth.core.job.Place.InContainer;
import dev.berth.core.job.Program;
import dev.berth.core.job.Resources;
import dev.berth.core.job.StateName;
import dev.berth.core.job.StopCause;
import dev.berth.core.job.Submitter;
import dev.berth.core.job.Tasks;
import dev.berth.core.job.Unmet;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Change;
import dev.berth.core.machine.DeferredJobs.Earliest;
import dev.berth.core.machine.Lane;
import dev.berth.server.example.Jobs;
import dev.berth.server.store.database.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The writer on a real database file. */
class JobStoreTest {
    @TempDir
    private Path directory;

    private Path file;

    @AutoClose
    private JobStore store;

    @BeforeEach
    void openFreshDatabase() {
        file = directory.resolve("berth.db");
        store = new JobStore(file);
    }

    private void reopen() {
        store.close();
        store = new JobStore(file);
    }

    private void keep(Job... jobs) {
        for (Job job : jobs) {
            store.write(Jobs.upTo(job));
        }
        store.commit();
    }

    private static List<JobState> states() {
        return EveryJobState.all();
    }

    @Test
    void theExamplesCoverEveryState() {
        assertThat(states()).extracting(JobState::name).contains(StateName.values());
    }

    @ParameterizedTest
    @MethodSource("states")
    void everyStateIsReadBackAsItWasWritten(JobState state) {
        Job job = Jobs.job(1, Jobs.spec(1), Jobs.ADA, state);
        keep(job);
        assertThat(store.find(job.id())).contains(job);
        reopen();
        assertThat(store.find(job.id())).contains(job);
        assertThat(store.live()).isEqualTo(state instanceof JobState.Live ? List.of(job) : List.of());
        assertThat(store.queuedBehind(Lane.MAIN, true, 0, 10, Long.MAX_VALUE).items())
                .isEqualTo(state instanceof JobState.Queued ? List.of(job) : List.of());
    }

    /** It was not told itself, as it waits for a date, too. */
    @Test
    void oneWhoseJobsHaveEndedWaitsForJobsNoMore() {
        Job first = Jobs.accepted(1, 1);
        Job second = Jobs.accepted(2, 1);
        Unmet all = new Unmet(Jobs.ENDED, new TreeSet<>(List.of(afterOk(first), afterOk(second))), new TreeSet<>());
        Job waiting = Jobs.job(3, Jobs.spec(1), Jobs.ADA, new JobState.Deferred(1, all));
        keep(first, second, waiting);
        store.write(List.of(new Change.DependenciesMet(Jobs.ENDED, first.id())));
        assertThat(store.earliestDeferred()).isEqualTo(new Earliest(waiting.id(), waiting.id(), Jobs.ENDED));
        store.write(List.of(new Change.DependenciesMet(Jobs.ENDED, second.id())));
        assertThat(store.earliestDeferred()).isEqualTo(new Earliest(waiting.id(), null, Jobs.ENDED));
    }

    @Test
    void whoWaitsForAJobIsFoundAndWhatHasBecomeOfItIsKept() {
        Job first = Jobs.accepted(1, 1);
        Job second = Jobs.accepted(2, 1);
        Unmet both = new Unmet(Jobs.ENDED, new TreeSet<>(List.of(afterOk(first), afterOk(second))), new TreeSet<>());
        Job waiting = Jobs.job(3, Jobs.spec(1), Jobs.ADA, new JobState.Deferred(1, both));
        keep(first, second);
        assertThat(store.hasDependents()).isFalse();
        keep(waiting);
        assertThat(store.hasDependents()).isTrue();
        assertThat(dependents(first, StateName.COMPLETED))
                .as("it waits for another, too")
                .isEmpty();
        assertThat(dependents(first, StateName.FAILED)).containsExactly(waiting);
        assertThat(store.earliestDeferred()).isEqualTo(new Earliest(waiting.id(), waiting.id(), Jobs.ENDED));
        assertThat(store.endedAndAwaited()).isEmpty();
        assertThat(store.due(Jobs.ENDED.minusNanos(1_000), 9, Long.MAX_VALUE).items())
                .isEmpty();
        assertThat(store.due(Jobs.ENDED, 9, Long.MAX_VALUE).items()).containsExactly(waiting);
        assertThat(store.waiting(Jobs.ADA.uid())).isEqualTo(3);

        store.write(List.of(Jobs.advance(first, Jobs.failed())));
        store.commit();
        assertThat(store.endedAndAwaited()).containsExactly(Map.entry(first.id(), StateName.FAILED));
        store.delete(first.id());
        assertThat(store.find(first.id()))
                .as("a job whose end somebody waits for")
                .isPresent();

        Job told = waiting.with(new JobState.Deferred(1, both.after(first.id(), StateName.FAILED)));
        store.write(List.of(Jobs.advance(waiting, told.state())));
        store.commit();
        assertThat(store.find(told.id())).contains(told);
        assertThat(store.earliestDeferred())
                .as("no end of a job makes it ready")
                .isEqualTo(new Earliest(waiting.id(), null, Jobs.ENDED));
        assertThat(dependents(first, StateName.FAILED)).isEmpty();
        assertThat(store.endedAndAwaited()).isEmpty();
        store.delete(first.id());
        assertThat(store.find(first.id())).isEmpty();

        store.write(List.of(Jobs.advance(told, new JobState.Queued(1, new ImageState.Pending()))));
        store.commit();
        assertThat(store.hasDependents()).isFalse();
        assertThat(store.earliestDeferred()).isEqualTo(new Earliest(null, null, null));
        assertThat(store.queuedBehind(Lane.MAIN, true, 2, 10, Long.MAX_VALUE).items())
                .containsExactly(told.with(new JobState.Queued(1, new ImageState.Pending())));
    }

    @Test
    void whoWaitsForMoreThanOneJobWaitsForOneLessOnceThatHasEnded() {
        Job first = Jobs.accepted(1, 1);
        Job second = Jobs.accepted(2, 1);
        Unmet both = new Unmet(null, new TreeSet<>(List.of(afterOk(first), afterOk(second))), new TreeSet<>());
        Job waiting = Jobs.job(3, Jobs.spec(1), Jobs.ADA, new JobState.Deferred(1, both));
        Job later = Jobs.job(
                4,
                Jobs.spec(1),
                Jobs.ADA,
                new JobState.Deferred(
                        1, new Unmet(Jobs.ENDED, new TreeSet<>(List.of(afterOk(first))), new TreeSet<>())));
        keep(first, second, waiting, later);
        assertThat(dependents(first, StateName.COMPLETED)).isEmpty();
        store.write(List.of(new Change.DependenciesMet(Jobs.ENDED, first.id())));
        store.commit();
        assertThat(store.find(waiting.id()).map(Job::state))
                .contains(new JobState.Deferred(1, both.after(first.id(), StateName.COMPLETED)));
        assertThat(store.find(later.id()).map(Job::state))
                .contains(new JobState.Deferred(1, new Unmet(Jobs.ENDED, new TreeSet<>(), new TreeSet<>())));
        assertThat(dependents(second, StateName.COMPLETED)).hasSize(1);
    }

    private List<Job> dependents(Job other, StateName end) {
        return store.dependents(other.id(), end, null, 9, Long.MAX_VALUE).items();
    }

    private static Dependency afterOk(Job job) {
        return new Dependency(DependencyKind.AFTER_OK, job.id());
    }

    @Test
    void whatTheServerSetAsideIsFoundByItself() {
        keep(held(1, JobState.Held.BY_SERVER), held(2, "ada"), held(3, JobState.Held.BY_SERVER));
        assertThat(store.heldByServer(0, 1)).containsExactly(held(1, JobState.Held.BY_SERVER));
        assertThat(store.heldByServer(1, 9)).containsExactly(held(3, JobState.Held.BY_SERVER));
        assertThat(store.heldByServer(3, 9)).isEmpty();
    }

    private static Job held(long id, String by) {
        JobState state = new JobState.Held(1, new ImageState.Pending(), by, Jobs.STARTED);
        return Jobs.job(id, Jobs.spec(1), Jobs.ADA, state);
    }

    @Test
    void coresAreAJobsOwnUntilItLeavesThem() {
        Allocation cores = new Allocation(List.of(), List.of(4, 63));
        Job first = Jobs.job(1, Jobs.spec(0), Jobs.ADA, new Running(1, cores, Jobs.STARTED));
        keep(first);
        reopen();
        assertThat(store.live()).containsExactly(first);
        Job back = first.with(new Queued(2, new ImageState.Ready(Jobs.IMAGE_ID)));
        store.write(List.of(Jobs.advance(first, back.state())));
        Job again = first.with(new Running(2, cores, Jobs.STARTED));
        store.write(List.of(Jobs.advance(back, again.state())));
        store.commit();
        reopen();
        assertThat(store.live()).containsExactly(again);
    }

    @Test
    void everySpecIsReadBackAsItWasWritten() {
        JobSpec plain = Jobs.with(Jobs.spec(0), InContainer.of("d", "i"));
        JobSpec odd = new JobSpec(
                new Label("it's \"one\"", "pr\u00f6ject \ud83d\udea2", List.of()),
                InContainer.of(Jobs.SNAPSHOT, "host:5000/a/b@sha256:00"),
                Resources.of(new GpuRequest(250)),
                new Limits(Limits.MAX, null),
                false,
                null);
        Submitter manyGroups = new Submitter(4_294_967_294L, 2_147_483_648L, List.of(0L, 4_294_967_294L), "o'neil");
        Job first = Jobs.job(1, plain, Jobs.BOB, Jobs.startingOn());
        Job second = Jobs.job(2, odd, manyGroups, Jobs.completed());
        keep(first, second);
        reopen();
        assertThat(store.find(first.id())).contains(first);
        assertThat(store.find(second.id())).contains(second);
    }

    @Test
    void everyProgramIsReadBackAsItWasWrittenAndByItselfAlone() {
        Program odd = new Program(
                List.of("sh", "-c", "echo \"$A\" 'b' \\ \n\t;", "", " "),
                Map.of("A", "", "B", "line\nline\u0000\u2028\"", "\u00dc", "=,;"));
        Job job = Jobs.accepted(1, 0);
        store.write(List.of(new Change.Accepted(Jobs.SUBMITTED, job, odd, null)));
        store.commit();
        try (JobQueries queries = new JobQueries(file)) {
            assertThat(queries.program(job.id())).contains(odd);
            assertThat(queries.program(new JobId(2))).isEmpty();
            assertThat(queries.find(job.id())).contains(job);
        }
    }

    @Test
    void whatAUsersJobsTakeIsCountedUntilTheyHaveEnded() {
        Job first = Jobs.queued(1, 0);
        long each = first.spec().bytes() + Jobs.PROGRAM.bytes();
        keep(first, Jobs.job(2, Jobs.spec(0), Jobs.BOB, first.state()), Jobs.running(3, 0), Jobs.queued(4, 1));
        assertThat(store.bytes(Jobs.ADA.uid())).isEqualTo(3 * each);
        assertThat(store.bytes(Jobs.BOB.uid())).isEqualTo(each);
        store.write(List.of(Jobs.advance(Jobs.running(3, 0), Jobs.completed())));
        store.commit();
        reopen();
        assertThat(store.bytes(Jobs.ADA.uid())).isEqualTo(2 * each);
        try (JobQueries queries = new JobQueries(file)) {
            assertThat(queries.bytes(Jobs.ADA.uid())).isEqualTo(2 * each);
        }
        store.delete(new JobId(3));
        store.commit();
        assertThat(store.bytes(Jobs.ADA.uid())).isEqualTo(2 * each);
        assertThat(store.bytes(Jobs.BOB.uid())).isEqualTo(each);
    }

    @Test
    void timeLimitsAreKeptToTheSecond() {
        Job job = Jobs.job(1, Jobs.spec(0, Duration.ofSeconds(1)), Jobs.ADA, Jobs.runningOn());
        keep(job);
        assertThat(store.find(job.id()).orElseThrow().spec().timeLimit()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void findAnswersNothingForAJobThatIsNotThere() {
        assertThat(store.find(new JobId(99))).isEmpty();
    }

    @Test
    void aChangeFromAnotherStateThanTheStoredOneHitsNoRow() {
        keep(Jobs.running(1, 0));
        Job believed = Jobs.job(1, Jobs.spec(1), Jobs.ADA, Jobs.startingOn(0));
        assertThatThrownBy(() -> store.write(List.of(Jobs.advance(believed, Jobs.runningOn(0)))))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("0 rows instead of 1");
    }

    @Test
    void aChangeFromAnotherAttemptThanTheStoredOneHitsNoRow() {
        keep(Jobs.running(1, 0));
        Job believed = Jobs.job(1, Jobs.spec(1), Jobs.ADA, new Running(2, Jobs.allocation(0), Jobs.STARTED));
        assertThatThrownBy(() -> store.write(List.of(Jobs.advance(believed, Jobs.completed()))))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("0 rows instead of 1");
    }

    @Test
    void aChangeOfAJobThatIsNotThereHitsNoRow() {
        assertThatThrownBy(() -> store.write(List.of(Jobs.advance(Jobs.running(5, 0), Jobs.completed()))))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("0 rows instead of 1");
    }

    @Test
    void aHoldingThatIsNotTheStoredOneIsNoticed() {
        keep(Jobs.running(1, 0, 1));
        assertThatThrownBy(() -> store.write(List.of(Jobs.advance(Jobs.running(1, 0), Jobs.completed()))))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("2 rows instead of 1");
    }

    /** To guess would end or cancel somebody's job. */
    @Test
    void aWordThatThisVersionDoesNotKnowIsRefusedAndStays() {
        keep(Jobs.job(
                1, Jobs.spec(1), Jobs.ADA, new Stopping(1, Allocation.NONE, Jobs.STARTED, new StopCause.TimeLimit())));
        assertUnknown("stop_cause", "PREEMPTED", "TIME_LIMIT");
        assertUnknown("state", "SUSPENDED", "STOPPING");
        assertUnknown("options", "{\"nice\":7}", "{}");
    }

    /** Its launch says so; nobody tries for ever to read it. */
    @Test
    void aProgramThatNobodyWroteSoIsToldApartFromADatabaseThatFails() {
        for (String column : List.of("command", "environment", "parameters")) {
            JobId job = new JobId(store.lastId() + 1);
            keep(Jobs.accepted(job.value(), 0));
            store.close();
            Tables.run(file, "UPDATE job SET " + column + " = '[{' WHERE id = " + job);
            store = new JobStore(file);
            try (JobQueries queries = new JobQueries(file)) {
                assertThatThrownBy(() -> queries.program(job))
                        .isInstanceOfSatisfying(
                                StoreException.class,
                                unreadable ->
                                        assertThat(unreadable.isUnreadable()).isTrue())
                        .hasMessageContaining("holds what Berth cannot have written");
                assertThat(queries.readableProgram(job)).isEmpty();
            }
        }
    }

    private void assertUnknown(String column, String word, String before) {
        store.close();
        Tables.run(file, "UPDATE job SET " + column + " = '" + word + "'");
        store = new JobStore(file);
        assertThatThrownBy(() -> store.find(new JobId(1)))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("job." + column)
                .hasMessageContaining("use the version that wrote it");
        store.close();
        Tables.run(file, "UPDATE job SET " + column + " = '" + before + "'");
        store = new JobStore(file);
    }

    @Test
    void theSameJobIsNotAcceptedTwice() {
        keep(Jobs.accepted(1, 0));
        assertThatThrownBy(() -> store.write(Jobs.upTo(Jobs.accepted(1, 0))))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("job 1 could not be written");
    }

    @Test
    void whatAContradictionBrokeOffIsNotKept() {
        keep(Jobs.accepted(1, 0));
        List<String> before = Tables.everything(file);
        List<Change> batch = new ArrayList<>(Jobs.upTo(Jobs.accepted(2, 0)));
        batch.add(Jobs.advance(Jobs.running(9, 0), Jobs.completed()));
        assertThatThrownBy(() -> store.write(batch)).isInstanceOf(StoreException.class);
        reopen();
        assertThat(Tables.everything(file)).isEqualTo(before);
    }

    @Test
    void allocationRowsGoWithTheHolding() {
        Job queued = Jobs.queued(1, 2);
        keep(queued);
        assertThat(Tables.rows(file, "SELECT * FROM allocation")).isEmpty();

        Change.Advanced start = Jobs.advance(queued, Jobs.startingOn(3, 1));
        store.write(List.of(start));
        store.commit();
        List<String> rows = List.of("1|0|" + Jobs.gpu(3) + "|1000", "1|1|" + Jobs.gpu(1) + "|1000");
        assertThat(Tables.rows(file, "SELECT * FROM allocation ORDER BY position"))
                .isEqualTo(rows);

        Change.Advanced run = Jobs.advance(start.job(), Jobs.runningOn(3, 1));
        store.write(List.of(run, Jobs.advance(run.job(), Jobs.stoppingOn(3, 1))));
        store.commit();
        assertThat(Tables.rows(file, "SELECT * FROM allocation ORDER BY position"))
                .isEqualTo(rows);

        store.write(List.of(Jobs.advance(run.job().with(Jobs.stoppingOn(3, 1)), Jobs.completed())));
        store.commit();
        assertThat(Tables.rows(file, "SELECT * FROM allocation")).isEmpty();
    }

    /** Else a container is made, or its job sent back, by what another server's lanes say of the order of turns. */
    @Test
    void whetherGpusAreAnAttemptsOwnIsKept() {
        Job queued = Jobs.queued(1, 1);
        keep(queued);
        Creating inQuestion = new Creating(1, Jobs.IMAGE_ID, Jobs.allocation(0));
        store.write(List.of(Jobs.advance(queued, inQuestion)));
        store.commit();
        reopen();
        assertThat(store.live()).extracting(Job::state).containsExactly(inQuestion);

        store.write(List.of(new Change.AllocationDecided(Jobs.STARTED, new Attempt(queued.id(), 1))));
        store.commit();
        reopen();
        assertThat(store.live()).extracting(Job::state).containsExactly(inQuestion.decided());

        store.write(List.of(Jobs.advance(queued.with(inQuestion.decided()), Jobs.startingOn(0))));
        store.commit();
        assertThat(Tables.rows(file, "SELECT gpus_decided FROM job")).containsExactly("0");
    }

    @Test
    void theEventStandsInTheSameTransactionAsTheChange() {
        Job job = Jobs.queued(1, 1);
        store.write(Jobs.upTo(job));
        assertThat(Tables.number(file, "SELECT count(*) FROM job")).isZero();
        assertThat(Tables.number(file, "SELECT count(*) FROM job_event")).isZero();
        store.commit();
        assertThat(Tables.number(file, "SELECT count(*) FROM job")).isEqualTo(1);
        store.write(List.of(Jobs.advance(job, Jobs.startingOn(2))));
        reopen();
        assertThat(Tables.rows(file, "SELECT state FROM job")).containsExactly("QUEUED");
        assertThat(Tables.rows(
                        file,
                        "SELECT sequence, job, at, event, from_state, to_state, attempt, gpus FROM job_event"
                                + " ORDER BY sequence"))
                .containsExactly(
                        "1|1|" + JobRows.micros(Jobs.SUBMITTED) + "|JobAccepted|null|QUEUED|1|null",
                        "2|1|" + JobRows.micros(Jobs.STARTED) + "|CancelRequested|QUEUED|QUEUED|1|null");
    }

    @Test
    void theEventNamesTheGpusThatAreHeldAfterIt() {
        Job job = Jobs.queued(1, 2);
        keep(job);
        store.write(List.of(Jobs.advance(job, Jobs.startingOn(2, 0))));
        store.write(List.of(Jobs.advance(job.with(Jobs.startingOn(2, 0)), Jobs.completed())));
        store.commit();
        assertThat(Tables.rows(file, "SELECT to_state, gpus FROM job_event ORDER BY sequence"))
                .containsExactly(
                        "QUEUED|null", "QUEUED|null", "STARTING|" + Jobs.gpu(2) + "," + Jobs.gpu(0), "COMPLETED|null");
    }

    @Test
    void anIdIsNeverGivenOutAgain() {
        assertThat(store.lastId()).isZero();
        keep(Jobs.accepted(1, 0), Jobs.accepted(2, 0), Jobs.accepted(3, 0));
        assertThat(store.lastId()).isEqualTo(3);
        store.close();
        Tables.run(file, "DELETE FROM job_event", "DELETE FROM job WHERE id > 1");
        store = new JobStore(file);
        assertThat(store.lastId()).isEqualTo(3);
    }

    @Test
    void anIdIsNotGivenOutAgainWhereAnOlderDatabaseIsBroughtBack() throws IOException {
        keep(Jobs.accepted(1, 0));
        store.close();
        Path backup = Files.copy(file, directory.resolve("backup.db"));
        store = new JobStore(file);
        keep(Jobs.accepted(2, 0), Jobs.accepted(3, 0));
        store.close();
        Files.copy(backup, file, StandardCopyOption.REPLACE_EXISTING);
        store = new JobStore(file);
        assertThat(store.find(new JobId(2))).isEmpty();
        assertThat(store.lastId()).isEqualTo(3);
    }

    @Test
    void aFileWithoutTheHighestIdIsSaid() throws IOException {
        store.close();
        Files.writeString(directory.resolve("highest-job-id"), "many\n");
        assertThatThrownBy(() -> new JobStore(file))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("highest-job-id")
                .hasMessageContaining("write the highest id that was given to a job into it");
        Files.delete(directory.resolve("highest-job-id"));
        store = new JobStore(file);
    }

    @Test
    void anIdThatWasNeverCommittedIsStillFree() {
        keep(Jobs.accepted(1, 0));
        store.write(Jobs.upTo(Jobs.accepted(2, 0)));
        reopen();
        assertThat(store.lastId()).isEqualTo(1);
    }

    @Test
    void eachLaneIsReadInOrderAndPageByPage() {
        keep(
                Jobs.queued(1, 1),
                Jobs.queued(2, 0),
                Jobs.running(3, 0),
                Jobs.accepted(4, 0),
                Jobs.accepted(5, 2),
                Jobs.job(6, Jobs.spec(1), Jobs.ADA, Jobs.failed()),
                Jobs.queued(7, 1));
        assertThat(ids(Lane.MAIN, true, 0, 10)).containsExactly(1L, 2L, 4L, 5L, 7L);
        assertThat(ids(Lane.MAIN, false, 0, 10)).containsExactly(1L, 5L, 7L);
        assertThat(ids(Lane.CPU, false, 0, 10)).containsExactly(2L, 4L);
        assertThat(ids(Lane.MAIN, true, 0, 2)).containsExactly(1L, 2L);
        assertThat(ids(Lane.MAIN, true, 2, 2)).containsExactly(4L, 5L);
        assertThat(ids(Lane.MAIN, true, 5, 2)).containsExactly(7L);
        assertThat(ids(Lane.MAIN, true, 7, 2)).isEmpty();
        assertThat(ids(Lane.CPU, false, 2, 1)).containsExactly(4L);
    }

    private List<Long> ids(Lane lane, boolean everything, long after, int limit) {
        return store.queuedBehind(lane, everything, after, limit, Long.MAX_VALUE).items().stream()
                .map(job -> job.id().value())
                .toList();
    }

    @Test
    void whatIsForTargetsHasALaneOfItsOwn() {
        keep(
                Jobs.queued(1, 1),
                forTarget(2, 1, Jobs.queued(2, 1).state()),
                forTarget(3, 0, Jobs.queued(3, 0).state()),
                forTarget(4, 1, new JobState.HandedOver(1, false)),
                Jobs.queued(5, 0));
        assertThat(ids(Lane.MAIN, true, 0, 10)).containsExactly(1L, 5L);
        assertThat(ids(Lane.MAIN, false, 0, 10)).containsExactly(1L);
        assertThat(ids(Lane.CPU, false, 0, 10)).containsExactly(5L);
        assertThat(ids(Lane.TARGET, true, 0, 10)).containsExactly(2L, 3L);
        assertThat(ids(Lane.TARGET, false, 2, 10)).containsExactly(3L);
    }

    @Test
    void whatATargetHasIsLiveAndHoldsNothing() {
        Job handed = forTarget(1, 2, new JobState.HandedOver(1, false));
        Job held = forTarget(2, 2, new JobState.HandedOver(3, true));
        Job running = forTarget(3, 2, new Running(1, Allocation.NONE, Jobs.STARTED));
        keep(handed, held, running);
        reopen();
        assertThat(store.live()).containsExactly(handed, held, running);
        assertThat(Tables.rows(file, "SELECT state, target FROM job ORDER BY id"))
                .containsExactly("HANDED_OVER|cluster", "HANDED_OVER_HELD|cluster", "RUNNING|cluster");
        assertThat(Tables.rows(file, "SELECT * FROM allocation")).isEmpty();
    }

    @Test
    void aJobGoesThroughTheQueueOfItsTargetAndBack() {
        Job queued = forTarget(1, 1, new Queued(1, new ImageState.Ready("")));
        keep(queued);
        Job before = queued;
        for (JobState state : List.of(
                new JobState.Creating(1, "", Allocation.NONE),
                new JobState.HandedOver(1, false),
                new JobState.HandedOver(1, true),
                new JobState.HandedOver(1, false),
                new Running(1, Allocation.NONE, Jobs.STARTED),
                new Queued(2, new ImageState.Ready("")),
                Jobs.completed())) {
            store.write(List.of(Jobs.advance(before, state)));
            store.commit();
            reopen();
            before = before.with(state);
            assertThat(store.find(queued.id())).contains(before);
            assertThat(store.waiting(Jobs.ADA.uid())).isEqualTo(state instanceof Queued ? 1 : 0);
        }
    }

    @Test
    void aTaskGoesToTheTargetOfItsArray() {
        Job array = forTarget(1, 1, new Queued(1, new ImageState.Ready("")), Tasks.parse("0-3"));
        keep(array);
        Job task = array.task(2);
        store.write(List.of(new Change.Singled(Jobs.STARTED, array, array.without(2), task)));
        store.commit();
        reopen();
        assertThat(store.find(task.id())).contains(task);
        assertThat(store.find(task.id()).orElseThrow().spec().target()).isEqualTo("cluster");
    }

    @Test
    void whatCannotRunIsCountedByTarget() {
        keep(
                Jobs.queued(1, 1),
                forTarget(2, 1, Jobs.queued(2, 1).state()),
                forTarget(3, 1, new JobState.HandedOver(1, false)));
        UnfitJobs unfit = store.unfit(spec -> spec.isAtTarget() ? Optional.of("it is gone") : Optional.empty());
        assertThat(unfit).isEqualTo(new UnfitJobs(1, List.of(new JobId(2)), "it is gone"));
    }

    private static Job forTarget(long id, int gpus, JobState state) {
        return Jobs.job(id, Jobs.at("cluster", Jobs.spec(gpus)), Jobs.ADA, state);
    }

    private static Job forTarget(long id, int gpus, JobState state, Tasks tasks) {
        return Jobs.job(id, Jobs.at("cluster", Jobs.spec(gpus)).with(tasks), Jobs.ADA, state);
    }

    @Test
    void theQueueIsReadAsWrittenSoFarAlsoBeforeTheCommit() {
        store.write(Jobs.upTo(Jobs.queued(1, 1)));
        assertThat(ids(Lane.MAIN, true, 0, 10)).containsExactly(1L);
        assertThat(store.find(new JobId(1))).isPresent();
    }

    @Test
    void liveJobsComeByIdWithTheirHoldings() {
        Job starting = Jobs.job(2, Jobs.spec(2), Jobs.BOB, Jobs.startingOn(1, 2));
        Job stopping = Jobs.job(4, Jobs.spec(1), Jobs.ADA, Jobs.stoppingOn(3));
        keep(Jobs.queued(1, 1), starting, Jobs.running(3, 0), stopping);
        assertThat(store.live()).containsExactly(starting, Jobs.running(3, 0), stopping);
    }

    @Test
    void countsAreKeptByTheDatabaseItself() {
        for (JobState state : EveryJobState.all()) {
            long id = store.lastId() + 1;
            keep(Jobs.job(id, Jobs.spec(1), id % 3 == 0 ? Jobs.BOB : Jobs.ADA, state));
        }
        assertThat(Tables.rows(file, "SELECT uid, state, jobs FROM job_count WHERE jobs <> 0 ORDER BY uid, state"))
                .isEqualTo(Tables.rows(
                        file, "SELECT uid, state, count(*) FROM job GROUP BY uid, state ORDER BY uid, state"))
                .hasSizeGreaterThan(10);
    }

    @Test
    void theServersIdIsMadeOnceAndStays() {
        assertThat(store.serverId(() -> "first")).isEqualTo("first");
        assertThat(store.serverId(() -> "second")).isEqualTo("first");
        reopen();
        assertThat(store.serverId(() -> "third")).isEqualTo("first");
    }

    /** Were it kept, and the recovery failed, the next server would not know how far the date had been set. */
    @Test
    void askingForTheServersIdKeepsNothingElse() {
        assertThat(store.serverId(() -> "first")).isEqualTo("first");
        store.keepDateAhead(Duration.ofHours(2));
        store.commit();
        store.keepSteadyZero(Jobs.STARTED);
        assertThat(store.serverId(() -> "second")).isEqualTo("first");
        reopen();
        assertThat(store.steadyZero()).isEmpty();
        assertThat(store.dateAhead()).isEqualTo(Duration.ofHours(2));
    }

    /** What a power cut would leave is not to be had in a test; what a killed process leaves is. */
    @Test
    void whatIsCommittedIsInTheFilesBeforeTheDatabaseIsClosed() throws IOException {
        keep(Jobs.running(1, 0));
        store.write(Jobs.upTo(Jobs.accepted(2, 0)));
        Path killed = Files.createDirectory(directory.resolve("killed"));
        for (String name : List.of("berth.db", "berth.db-wal")) {
            Files.copy(directory.resolve(name), killed.resolve(name));
        }
        try (JobStore after = new JobStore(killed.resolve("berth.db"))) {
            assertThat(after.find(new JobId(1))).contains(Jobs.running(1, 0));
            assertThat(after.find(new JobId(2))).isEmpty();
            assertThat(after.lastId()).isEqualTo(1);
        }
    }
}
