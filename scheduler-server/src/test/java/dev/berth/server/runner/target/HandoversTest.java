package dev.berth.server.runner.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.Dependency;
import dev.berth.core.job.DependencyKind;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState;
import dev.berth.core.job.JobState.Creating;
import dev.berth.core.job.JobState.Dispatched;
import dev.berth.core.job.JobState.HandedOver;
import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.Part;
import dev.berth.core.job.Prerequisites;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Effect.AdoptRun;
import dev.berth.core.machine.Effect.CreateRun;
import dev.berth.core.machine.Effect.ReleaseRun;
import dev.berth.core.machine.Effect.StopRun;
import dev.berth.core.machine.JobEvent.LaunchRefused;
import dev.berth.core.machine.JobEvent.RunEnded;
import dev.berth.core.machine.JobEvent.RunGone;
import dev.berth.core.machine.JobEvent.RunHandedOver;
import dev.berth.server.example.Jobs;
import dev.berth.server.gpu.occupy.GpuGate;
import dev.berth.server.runner.EffectParts;
import dev.berth.server.runner.EffectRunner;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.EngineHealth;
import dev.berth.server.runner.Runners;
import dev.berth.server.runner.target.Handover.Needed;
import dev.berth.server.runner.target.TargetEngine.Abilities;
import dev.berth.server.runner.target.TargetEngine.Ability;
import dev.berth.server.time.Clocks;
import dev.berth.server.upkeep.AtOnce;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tasks of an array on their way to an engine that has arrays. */
class HandoversTest {
    private static final long ARRAY = 20;

    @TempDir
    private Path directory;

    private PlayedTarget played;

    @BeforeEach
    void begin() throws Exception {
        played = PlayedTarget.in(directory);
        played.engine()
                .able(new Abilities(
                        "Played",
                        "as a test says",
                        Set.of(Ability.HOLDS, Ability.SIGNALS, Ability.ARRAYS, Ability.OUTPUTS)));
    }

    private CreateRun create(long id, @Nullable Part part) {
        CreateRun create = creation(id, part);
        played.runner().expect(create);
        return create;
    }

    private CreateRun creation(long id, @Nullable Part part) {
        Job job = played.keep(new Job(
                new JobId(id),
                PlayedTarget.SPEC,
                Jobs.ADA,
                Jobs.SUBMITTED,
                new Creating(1, "", Allocation.NONE),
                part));
        return new CreateRun(job, "", Allocation.NONE);
    }

    /** The tasks from the first index on, which are jobs behind their array. */
    private List<CreateRun> tasks(int first, int many) {
        return IntStream.range(first, first + many)
                .mapToObj(index -> create(ARRAY + 1 + index, new Part.Task(new JobId(ARRAY), index)))
                .toList();
    }

    private static List<String> paths(String name, int... tasks) {
        return IntStream.of(tasks).mapToObj(task -> name + "/" + task).toList();
    }

    @Test
    void tasksThatFollowEachOtherGoAsOneArray() {
        List<CreateRun> tasks = tasks(0, 3);
        CreateRun alone = create(90, null);
        for (CreateRun create : tasks) {
            assertThat(played.runner().create(create)).isTrue();
        }
        assertThat(played.runner().create(alone)).isTrue();
        assertThat(played.engine().batches())
                .containsExactly(paths("berth-s-21-1-array", 0, 1, 2), List.of("berth-s-90-1"));
        assertThat(played.told()).hasSize(4).allMatch(new RunHandedOver(1)::equals);
    }

    /** However soon the first is on its way. */
    @Test
    void tasksOfOneCommitGoAsOneArray() {
        Clocks clock = Clocks.neverSet(() -> Jobs.STARTED);
        EffectParts parts = new EffectParts(
                new Runners(played.runner(), played.runner(), played.runner()),
                _ -> {},
                GpuGate.OPEN,
                _ -> {},
                new EngineHealth(Optional::empty, clock),
                Duration.ZERO);
        EffectRunner effects = new EffectRunner(parts, new AtOnce(), (_, _) -> {});
        effects.accept(List.of(
                creation(21, new Part.Task(new JobId(ARRAY), 0)), creation(22, new Part.Task(new JobId(ARRAY), 1))));
        assertThat(played.engine().batches()).containsExactly(paths("berth-s-21-1-array", 0, 1));
    }

    @Test
    void anEngineWithoutArraysGetsEachTaskByItsOwnName() throws Exception {
        List<CreateRun> before = tasks(0, 2);
        played.engine().failing(new EngineException(Kind.FAILING, "the disk is full"));
        assertThatThrownBy(() -> played.runner().create(before.getFirst())).hasMessage("the disk is full");
        // As where the configuration gives the target another engine.
        played.engine()
                .failing(null)
                .able(new Abilities(
                        "Played", "as a test says", Set.of(Ability.HOLDS, Ability.SIGNALS, Ability.OUTPUTS)));
        // The one that failed lets the other go first.
        for (CreateRun create : before.reversed()) {
            assertThat(played.runner().create(create)).isTrue();
        }
        assertThat(played.engine().batches()).containsExactly(List.of("berth-s-22-1"), List.of("berth-s-21-1"));
    }

    @Test
    void tasksGoByTheirPlaceWhereIndicesAreHigh() {
        List<CreateRun> tasks = tasks(Handovers.MAX_TASKS, 2);
        assertThat(played.runner().create(tasks.getFirst())).isTrue();
        assertThat(played.engine().batches()).containsExactly(paths("berth-s-1021-1-array", 0, 1));
    }

    @Test
    void anEngineThatTakesNoSuchArrayGetsItsTasks() {
        played.engine().refusingArrays(true);
        List<CreateRun> tasks = tasks(0, 2);
        assertThat(played.runner().create(tasks.getFirst())).isFalse();
        assertThat(played.runner().create(tasks.getFirst())).isTrue();
        assertThat(played.runner().create(tasks.getLast())).isTrue();
        assertThat(played.engine().batches()).containsExactly(List.of("berth-s-21-1"), List.of("berth-s-22-1"));
        assertThat(played.engine().asked())
                .as("nothing is left of the array")
                .containsExactly("discard berth-s-21-1-array/0", "discard berth-s-21-1-array/1");

        played.engine().failing(new EngineException(Kind.REFUSED, "no account"));
        assertThat(played.runner().create(create(30, null))).isTrue();
        assertThat(played.told()).last().isEqualTo(new LaunchRefused(1, "no account"));
    }

    @Test
    void theNextServerHandsThemOverByTheSameName() throws Exception {
        List<CreateRun> before = tasks(0, 2);
        played.engine().failing(new EngineException(Kind.FAILING, "the disk is full"));
        assertThatThrownBy(() -> played.runner().create(before.getFirst())).hasMessage("the disk is full");

        PlayedTarget next = played.restarted();
        played = next;
        List<CreateRun> tasks = tasks(0, 3);
        next.engine().failing(null);
        tasks.forEach(create -> assertThat(next.runner().create(create)).isTrue());
        assertThat(next.engine().batches()).containsExactly(paths("berth-s-21-1-array", 0, 1), List.of("berth-s-23-1"));
    }

    /** As at a start, where the first is handed over before the others are expected. */
    @Test
    void tasksThatComeOneByOneKeepTheirName() throws Exception {
        List<CreateRun> before = tasks(0, 2);
        played.engine().failing(new EngineException(Kind.FAILING, "the disk is full"));
        assertThatThrownBy(() -> played.runner().create(before.getFirst())).hasMessage("the disk is full");
        played = played.restarted();
        played.engine().failing(null);
        for (int index = 0; index < 2; index++) {
            assertThat(played.runner().create(tasks(index, 1).getFirst())).isTrue();
        }
        assertThat(played.engine().batches())
                .containsExactly(paths("berth-s-21-1-array", 0), paths("berth-s-21-1-array", 1));
    }

    @Test
    void oneThatIsCancelledBeforeIsLeftOut() {
        List<CreateRun> tasks = tasks(0, 3);
        StopRun stop = new StopRun(tasks.get(1).launch());
        played.runner().expect(stop);
        assertThat(played.runner().create(tasks.get(0))).isTrue();
        assertThat(played.runner().create(tasks.get(1))).isTrue();
        assertThat(played.runner().stop(stop)).isTrue();
        assertThat(played.runner().create(tasks.get(2))).isTrue();
        assertThat(played.engine().batches()).containsExactly(paths("berth-s-21-1-array", 0, 2));
        assertThat(played.told()).contains(new RunGone(1));
    }

    @Test
    void whatIsAskedOfOneGoesByItsNumber() throws Exception {
        List<CreateRun> tasks = tasks(0, 2);
        assertThat(played.runner().create(tasks.getFirst())).isTrue();
        PlayedTarget next = played.restarted();
        assertThat(next.runner().release(new ReleaseRun(tasks.getLast().launch())))
                .isTrue();
        assertThat(next.engine().asked()).containsExactly("fetch berth-s-21-1-array/1", "discard berth-s-21-1-array/1");
        assertThat(next.runner().list()).hasSize(1);
    }

    private Job other(JobState state) {
        return played.keep(Jobs.job(10, PlayedTarget.SPEC, Jobs.ADA, state));
    }

    private CreateRun after(DependencyKind kind, boolean keepsWaiting) {
        Prerequisites asked = new Prerequisites(null, List.of(new Dependency(kind, new JobId(10))), keepsWaiting);
        Job job = played.keep(
                Jobs.job(11, PlayedTarget.SPEC.waitingFor(asked), Jobs.ADA, new Creating(1, "", Allocation.NONE)));
        CreateRun create = new CreateRun(job, "", Allocation.NONE);
        played.runner().expect(create);
        return create;
    }

    @Test
    void whatAJobWaitsForGoesWithIt() {
        Job other = other(new HandedOver(1, false));
        assertThat(played.runner().create(after(DependencyKind.AFTER_OK, false)))
                .isTrue();
        assertThat(played.engine().handover("berth-s-11-1").orElseThrow().needed())
                .containsExactly(new Needed(
                        DependencyKind.AFTER_OK,
                        new Handed(Attempt.of(other), "berth-s-10-1", Jobs.ADA, Jobs.SUBMITTED)));
    }

    @Test
    void whatHasEndedAsAskedMeanwhileIsNotWaitedFor() {
        Job _ = other(Jobs.completed());
        assertThat(played.runner().create(after(DependencyKind.AFTER_OK, false)))
                .isTrue();
        assertThat(played.engine().handover("berth-s-11-1").orElseThrow().needed())
                .isEmpty();
    }

    @Test
    void whatHasEndedOtherwiseMeanwhileEndsTheJob() {
        Job _ = other(Jobs.completed());
        assertThat(played.runner().create(after(DependencyKind.AFTER_NOT_OK, false)))
                .isTrue();
        assertThat(played.engine().names()).isEmpty();
        assertThat(played.told()).singleElement().isInstanceOfSatisfying(RunEnded.class, ended -> {
            assertThat(ended.outcome().reason()).isEqualTo(OutcomeReason.DEPENDENCY_FAILED);
            assertThat(ended.outcome().sentence()).startsWith("job 10 has ended COMPLETED, so that afternotok:10");
        });
    }

    @Test
    void whatSomebodyHasReleasedGoes() {
        Job _ = other(Jobs.completed());
        assertThat(played.runner().create(after(DependencyKind.AFTER_NOT_OK, true)))
                .isTrue();
        assertThat(played.engine().handover("berth-s-11-1").orElseThrow().needed())
                .isEmpty();
    }

    /** Each waited for one task of the other array, and had its turn once that had ended as asked. */
    @Test
    void tasksThatWaitForThoseOfAnotherArrayGoWhateverBecomesOfThat() {
        for (JobState state : List.of(new Dispatched(1, null), Jobs.completed())) {
            Job _ = other(state);
            CreateRun create = after(DependencyKind.AFTER_CORR, false);
            assertThat(played.runner().create(create)).isTrue();
        }
        assertThat(played.engine().handover("berth-s-11-1").orElseThrow().needed())
                .isEmpty();
        assertThat(played.told()).allMatch(RunHandedOver.class::isInstance);
    }

    @Test
    void anotherThatIsNotThereNowIsWaitedForHere() {
        Job _ = other(new Creating(1, "", Allocation.NONE));
        CreateRun create = after(DependencyKind.AFTER_OK, false);
        assertThatThrownBy(() -> played.runner().create(create))
                .hasMessage("job 10, which it waits for, is not with the target now");
        Job _ = other(new HandedOver(1, false));
        assertThat(played.runner().create(create)).isTrue();
    }

    /** As where the engine ended it for that, and has forgotten it when it is asked again. */
    @Test
    void oneThatTheEngineHasForgottenAsItCouldNeverStartIsToldSo() {
        Job _ = other(new HandedOver(1, false));
        assertThat(played.runner().create(after(DependencyKind.AFTER_NOT_OK, false)))
                .isTrue();
        played.told().clear();
        Job _ = other(Jobs.completed());
        played.engine().forget("berth-s-11-1");
        played.look();
        played.pass(Duration.ofSeconds(31));
        played.runner()
                .adopt(new AdoptRun(Objects.requireNonNull(played.stored().get(new JobId(11)))));
        played.look();
        assertThat(played.told())
                .singleElement()
                .isInstanceOfSatisfying(
                        RunEnded.class,
                        ended -> assertThat(ended.outcome().reason()).isEqualTo(OutcomeReason.DEPENDENCY_FAILED));
    }

    @Test
    void aMarkThatIsBrokenIsThatOfOneAlone() throws Exception {
        CreateRun create = create(30, null);
        Files.createDirectories(directory.resolve("handovers"));
        Files.writeString(directory.resolve("handovers/30.1"), "../../etc 3\n");
        assertThat(played.runner().create(create)).isTrue();
        assertThat(played.engine().batches()).containsExactly(List.of("berth-s-30-1"));
    }

    @Test
    void aMarkThatCannotBeReadIsReadAgain() throws Exception {
        CreateRun create = create(30, null);
        Path mark = Files.createDirectories(directory.resolve("handovers/30.1"));
        assertThatThrownBy(() -> played.runner().create(create)).hasMessageContaining("cannot be read");
        Files.delete(mark);
        assertThat(played.runner().create(create)).isTrue();
    }
}
