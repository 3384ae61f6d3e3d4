package dev.berth.server.runner.target;

import dev.berth.core.api.TargetView;
import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.Place.AtTarget;
import dev.berth.core.job.Submitter;
import dev.berth.core.machine.Attempt;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.target.TargetEngine.Ability;
import dev.berth.server.runner.target.TargetEngine.Finding;
import dev.berth.server.runner.target.TargetEngine.Finding.Verdict;
import dev.berth.server.runner.target.TargetEngine.Health;
import dev.berth.server.runner.target.Targets.Target;
import dev.berth.server.time.TimedWait;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiPredicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The targets of this server for those who ask for them: who may use which, and how each is. Engines are asked side by side, each
 * once at a time: who asks while another does gets the same answer. Safe for any thread.
 */
public final class TargetDirectory {
    private static final Duration HEALTH = Duration.ofSeconds(30);
    private static final Duration EXAMINATION = Duration.ofMinutes(5);

    /** No target but the machine's own queue. */
    public static final TargetDirectory NONE = new TargetDirectory("", Targets.NONE, (_, _) -> false, (_, _) -> 0);

    /** The number of a target's jobs that have not ended. */
    @FunctionalInterface
    public interface Counts {
        /**
         * Counts the jobs of a target.
         *
         * @param owner whose jobs; null for everybody's
         */
        long of(String target, @Nullable Long owner);
    }

    /** The answer of a target's engine, or why there is none. */
    public sealed interface Answer {
        record Said(Health health) implements Answer {}

        /** It did not answer, or failed. */
        record None(boolean isUnreachable, String sentence) implements Answer {}
    }

    /**
     * The job that an examination tries.
     *
     * @param who as whom it runs
     * @param image where the target has containers; null for the engine's own choice
     */
    public record Trial(Submitter who, @Nullable String image, GpuRequest gpus) {}

    /** An examination, as far as it is not the same as another one. */
    private record Examination(String target, Trial trial) {}

    private final String server;
    private final Targets targets;
    private final Map<String, CompletableFuture<Health>> healths = new ConcurrentHashMap<>();
    private final Map<Examination, CompletableFuture<List<Finding>>> examinations = new ConcurrentHashMap<>();
    private final AtomicInteger trials = new AtomicInteger();
    private final Executor executor = task -> Thread.ofVirtual().name("target").start(task);
    private final BiPredicate<Submitter, String> isMember;
    private final Counts counts;

    /**
     * Those of these targets.
     *
     * @param server the id of this server
     * @param isMember whether a user is in the group of a name
     * @param counts of their jobs
     */
    public TargetDirectory(String server, Targets targets, BiPredicate<Submitter, String> isMember, Counts counts) {
        this.server = server;
        this.targets = targets;
        this.isMember = isMember;
        this.counts = counts;
    }

    /** All of them, by their names. */
    public List<Target> all() {
        return List.copyOf(targets.all().values());
    }

    /** The names that a job may be submitted to, the machine's own queue first. */
    public List<String> names() {
        return Stream.concat(Stream.of(TargetView.SCHEDULER), targets.all().keySet().stream())
                .toList();
    }

    public Optional<Target> find(String name) {
        return Optional.ofNullable(targets.all().get(name));
    }

    /** How many jobs that have not ended a target has, of one user or, where that is null, of all. */
    public long jobs(String name, @Nullable Long owner) {
        return counts.of(name, owner);
    }

    /** Whether a user may submit to a target, which is there; who is in a group is asked each time. */
    public boolean mayUse(String name, Submitter user) {
        return find(name)
                .filter(target -> isFor(target.settings().users(), user))
                .isPresent();
    }

    private boolean isFor(List<String> users, Submitter user) {
        return users.isEmpty()
                || user.isRoot()
                || users.stream()
                        .anyMatch(name -> name.startsWith("@")
                                ? isMember.test(user, name.substring(1))
                                : name.equals(user.name()));
    }

    /** The health of each, in the order of {@link #all}. */
    public List<Answer> healths() throws InterruptedException {
        List<CompletableFuture<Health>> asked = new ArrayList<>();
        for (Target target : targets.all().values()) {
            asked.add(ask(healths, target.settings().name(), target.engine()::health));
        }
        List<Answer> answers = new ArrayList<>();
        for (CompletableFuture<Health> each : asked) {
            answers.add(answer(each));
        }
        return answers;
    }

    private static Answer answer(CompletableFuture<Health> asked) throws InterruptedException {
        try {
            return new Answer.Said(get(asked, HEALTH));
        } catch (EngineException e) {
            boolean isUnreachable = e.kind() == Kind.UNREACHABLE || e.kind() == Kind.LATE;
            return new Answer.None(isUnreachable, e.sentence());
        }
    }

    /**
     * What is to be told of a target, at last by a job of Berth's own.
     *
     * @throws EngineException where the engine could not be asked
     */
    public List<Finding> examine(Target target, Trial trial, Instant now) throws InterruptedException {
        Examination examination = new Examination(target.settings().name(), trial);
        return get(ask(examinations, examination, () -> examined(target, trial, now)), EXAMINATION);
    }

    /** A job is tried unless it is known that it could not run. */
    private List<Finding> examined(Target target, Trial trial, Instant now) {
        List<Finding> findings = new ArrayList<>(target.engine().examine(trial.who()));
        String image = !target.engine().abilities().has(Ability.CONTAINERS)
                ? AtTarget.NODE
                : trial.image() == null ? target.engine().trialImage().orElse(null) : trial.image();
        if (findings.stream().anyMatch(finding -> finding.verdict() == Verdict.FAILURE)) {
            return findings;
        }
        if (image == null) {
            findings.add(Finding.well(
                    TrialJob.NAME,
                    "no job was tried, for those of this target name their images: add --image IMAGE to try one"));
        } else {
            int number = trials.incrementAndGet();
            Handed handed = new Handed(
                    new Attempt(TrialJob.NUMBER, number),
                    "berth-" + server + "-trial-" + now.getEpochSecond() + "-" + number,
                    trial.who(),
                    now);
            TrialJob job = new TrialJob(
                    handed,
                    target.settings().name(),
                    target.engine(),
                    image,
                    trial.gpus(),
                    () -> TimedWait.whole(TrialJob.PAUSE));
            findings.add(job.run());
        }
        return findings;
    }

    private <K, T> CompletableFuture<T> ask(Map<K, CompletableFuture<T>> asked, K what, Supplier<T> question) {
        CompletableFuture<T> answer =
                asked.computeIfAbsent(what, _ -> CompletableFuture.supplyAsync(question, executor));
        var _ = answer.whenComplete((_, _) -> asked.remove(what, answer));
        return answer;
    }

    /** Who gives up leaves the question where it is: the engine's own deadline ends it. */
    private static <T> T get(CompletableFuture<T> asked, Duration within) throws InterruptedException {
        try {
            return asked.get(within.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new EngineException(Kind.LATE, "it has not answered within " + within.toSeconds() + " seconds", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof EngineException failure) {
                throw new EngineException(failure.kind(), failure.sentence(), failure);
            }
            throw new IllegalStateException(e.getCause());
        }
    }
}
