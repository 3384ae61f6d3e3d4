package dev.berth.server.runner.target;

import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Program;
import dev.berth.core.job.Signal;
import dev.berth.core.job.Submitter;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.target.TargetEngine.Ability;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Engine of a target that answers what a test says, and runs nothing. */
public final class AnsweringEngine implements TargetEngine {
    private final String kind;
    private final Supplier<Health> health;
    private final Supplier<List<Finding>> findings;
    private final AtomicInteger asked = new AtomicInteger();

    public AnsweringEngine(String kind, Supplier<Health> health, Supplier<List<Finding>> findings) {
        this.kind = kind;
        this.health = health;
        this.findings = findings;
    }

    /** One that is well, holds two nodes, and of which all is as it should be. */
    public static AnsweringEngine well() {
        return new AnsweringEngine(
                "Slurm",
                () -> new Health(
                        true, "Slurm 24.11 answers", "2 nodes, 4 GPUs", "strict first in, first out (sched/builtin)"),
                () -> List.of(Finding.well("sbatch", "a job ran and ended")));
    }

    /** One that fails in this way. */
    public static AnsweringEngine failing(EngineException.Kind kind, String sentence) {
        return new AnsweringEngine(
                "Slurm",
                () -> {
                    throw new EngineException(kind, sentence);
                },
                () -> {
                    throw new EngineException(kind, sentence);
                });
    }

    /** How often it was asked how it is. */
    public int asked() {
        return asked.get();
    }

    @Override
    public Abilities abilities() {
        return new Abilities(
                kind,
                "as " + kind + " orders them",
                Set.of(Ability.HOLDS, Ability.SIGNALS, Ability.CONTAINERS, Ability.OUTPUTS));
    }

    @Override
    public Health health() {
        asked.incrementAndGet();
        return health.get();
    }

    @Override
    public List<Finding> examine(Submitter who) {
        return findings.get();
    }

    @Override
    public Optional<String> refusal(JobSpec spec, Program program, Submitter owner, Optional<Snapshot> directory) {
        return Optional.empty();
    }

    @Override
    public String inspection(Handed handed, String id) {
        throw unplayed();
    }

    @Override
    public Optional<String> trialImage() {
        return Optional.empty();
    }

    @Override
    public void handOver(Handover handover) {
        throw unplayed();
    }

    @Override
    public Map<Handed, Phase> look(Collection<Handed> handed) {
        throw unplayed();
    }

    @Override
    public boolean collect(Collection<Reading> readings) {
        throw unplayed();
    }

    @Override
    public void cancel(Handed handed, Duration grace) {
        throw unplayed();
    }

    @Override
    public boolean signal(Handed handed, Signal signal) {
        throw unplayed();
    }

    @Override
    public void hold(Handed handed, boolean isHeld) {
        throw unplayed();
    }

    @Override
    public void fetch(Handed handed, Path into) {
        throw unplayed();
    }

    @Override
    public void discard(Handed handed) {
        throw unplayed();
    }

    private static AssertionError unplayed() {
        return new AssertionError("nothing is handed over to this engine");
    }
}
