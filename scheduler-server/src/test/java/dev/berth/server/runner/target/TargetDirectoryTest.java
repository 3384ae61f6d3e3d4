package dev.berth.server.runner.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.Submitter;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.target.TargetDirectory.Answer;
import dev.berth.server.runner.target.TargetDirectory.Trial;
import dev.berth.server.runner.target.TargetEngine.Health;
import dev.berth.server.runner.target.Targets.Target;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which targets there are, who may use them, and how their engines are asked. */
@Timeout(60)
class TargetDirectoryTest {
    private static final Submitter ADA = new Submitter(1_000, 1_000, List.of(), "ada");
    private static final Submitter EVE = new Submitter(1_001, 1_001, List.of(), "eve");
    private static final Submitter ROOT = new Submitter(0, 0, List.of(), "root");

    private static Target target(String name, TargetEngine engine, String... users) {
        return new Target(new TargetSettings(name, 10, List.of(users)), engine);
    }

    private static TargetDirectory of(Target... targets) {
        SortedMap<String, Target> all = new TreeMap<>();
        for (Target target : targets) {
            all.put(target.settings().name(), target);
        }
        return new TargetDirectory(
                "s",
                new Targets(all),
                (user, group) -> user.equals(ADA) && group.equals("lab"),
                (name, owner) -> name.length() + (owner == null ? 100 : 0));
    }

    @Test
    void aTargetIsForThoseWhomItNames() {
        AnsweringEngine engine = AnsweringEngine.well();
        TargetDirectory targets =
                of(target("open", engine), target("mine", engine, "ada"), target("ours", engine, "bob", "@lab"));
        assertThat(List.of("open", "mine", "ours")).allMatch(name -> targets.mayUse(name, ADA));
        assertThat(targets.mayUse("open", EVE)).isTrue();
        assertThat(targets.mayUse("mine", EVE)).isFalse();
        assertThat(targets.mayUse("ours", EVE)).isFalse();
        assertThat(targets.mayUse("ours", ROOT)).isTrue();
        assertThat(targets.mayUse("other", ROOT)).isFalse();
        assertThat(engine.asked()).isZero();
    }

    @Test
    void theyAreInTheOrderOfTheirNamesWithTheirJobs() {
        TargetDirectory targets = of(target("zoo", AnsweringEngine.well()), target("a", AnsweringEngine.well()));
        assertThat(targets.all()).extracting(target -> target.settings().name()).containsExactly("a", "zoo");
        assertThat(targets.find("a")).isPresent();
        assertThat(targets.find("b")).isEmpty();
        assertThat(targets.jobs("zoo", null)).isEqualTo(103);
        assertThat(targets.jobs("zoo", 1_000L)).isEqualTo(3);
        assertThat(TargetDirectory.NONE.all()).isEmpty();
        assertThat(TargetDirectory.NONE.mayUse("a", ROOT)).isFalse();
    }

    @Test
    void oneThatFailsKeepsNoOtherFromAnswering() throws InterruptedException {
        TargetDirectory targets = of(
                target("away", AnsweringEngine.failing(Kind.UNREACHABLE, "slurmctld does not answer")),
                target("well", AnsweringEngine.well()),
                target("worse", AnsweringEngine.failing(Kind.FAILING, "munge is down")));
        assertThat(targets.healths())
                .satisfiesExactly(
                        away -> assertThat(away).isEqualTo(new Answer.None(true, "slurmctld does not answer")),
                        well -> assertThat(well).isInstanceOf(Answer.Said.class),
                        broken -> assertThat(broken).isEqualTo(new Answer.None(false, "munge is down")));
    }

    @Test
    void theyAreAskedSideBySide() throws InterruptedException {
        CountDownLatch all = new CountDownLatch(2);
        AnsweringEngine one = waiting(all, all);
        AnsweringEngine other = waiting(all, all);
        assertThat(of(target("a", one), target("b", other)).healths())
                .hasSize(2)
                .allMatch(Answer.Said.class::isInstance);
    }

    /** Says that it was asked, and answers when it is let. */
    private static AnsweringEngine waiting(CountDownLatch asked, CountDownLatch let) {
        return new AnsweringEngine(
                "Slurm",
                () -> {
                    asked.countDown();
                    await(let);
                    return new Health(true, "well", "", "");
                },
                List::of);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void whoAsksWhileAnotherDoesGetsTheSameAnswer() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch let = new CountDownLatch(1);
        AnsweringEngine engine = waiting(asked, let);
        TargetDirectory targets = of(target("a", engine));
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<List<Answer>> first = threads.submit(targets::healths);
            asked.await();
            Thread second = Thread.ofVirtual().start(() -> {
                try {
                    targets.healths();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
            while (second.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
            let.countDown();
            assertThat(first.get()).hasSize(1);
            second.join();
        }
        assertThat(engine.asked()).isEqualTo(1);
        targets.healths();
        assertThat(engine.asked()).isEqualTo(2);
    }

    @Test
    void anExaminationTellsWhatItFoundOrWhyNot() throws InterruptedException {
        Target well = target("well", AnsweringEngine.well());
        Target away = target("away", AnsweringEngine.failing(Kind.UNREACHABLE, "no answer"));
        TargetDirectory targets = of(well, away);
        assertThat(targets.examine(well, trial(null), Instant.EPOCH)).hasSize(2).allMatch(TargetEngine.Finding::isWell);
        assertThatThrownBy(() -> targets.examine(away, trial(null), Instant.EPOCH))
                .isInstanceOfSatisfying(EngineException.class, failure -> {
                    assertThat(failure.kind()).isEqualTo(Kind.UNREACHABLE);
                    assertThat(failure.sentence()).isEqualTo("no answer");
                });
    }

    /** A cluster whose order is not that of its submits runs jobs all the same. */
    @Test
    void aJobIsTriedBesideAWarningAndNotBesideAFailure() throws InterruptedException {
        assertThat(examined(TargetEngine.Finding.warning("queue", "a later job may overtake", "kubectl patch")))
                .extracting(TargetEngine.Finding::name)
                .containsExactly("queue", TrialJob.NAME);
        assertThat(examined(TargetEngine.Finding.failure("namespace", "is not there", "kubectl create")))
                .extracting(TargetEngine.Finding::name)
                .containsExactly("namespace");
    }

    private static Trial trial(@Nullable String image) {
        return new Trial(ADA, image, GpuRequest.NONE);
    }

    private static List<TargetEngine.Finding> examined(TargetEngine.Finding first) throws InterruptedException {
        Target target =
                target("a", new AnsweringEngine("Kubernetes", AnsweringEngine.well()::health, () -> List.of(first)));
        return of(target).examine(target, trial(null), Instant.EPOCH);
    }

    @Test
    void whoAsksForAnotherImageGetsAnAnswerOfItsOwn() throws Exception {
        CountDownLatch both = new CountDownLatch(2);
        AnsweringEngine engine = new AnsweringEngine("Slurm", AnsweringEngine.well()::health, () -> {
            both.countDown();
            await(both);
            return List.of(TargetEngine.Finding.failure("sbatch", "not there", "apt install slurm-client"));
        });
        Target target = target("a", engine);
        TargetDirectory targets = of(target);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> one = threads.submit(() -> targets.examine(target, trial("lab/one:1"), Instant.EPOCH));
            Future<?> other = threads.submit(() -> targets.examine(target, trial("lab/other:1"), Instant.EPOCH));
            assertThat(one.get()).isEqualTo(other.get());
        }
    }

    @Test
    void aFaultOfOursIsNoAnswer() {
        AnsweringEngine faulty = new AnsweringEngine(
                "Slurm",
                () -> {
                    throw new IllegalStateException("ours");
                },
                List::of);
        assertThatThrownBy(() -> of(target("a", faulty)).healths()).isInstanceOf(IllegalStateException.class);
    }
}
