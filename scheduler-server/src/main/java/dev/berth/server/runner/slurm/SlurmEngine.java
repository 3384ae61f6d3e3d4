package dev.berth.server.runner.slurm;

import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Signal;
import dev.berth.core.job.Submitter;
import dev.berth.server.linux.Users;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.slurm.SharedFiles.Prepared;
import dev.berth.server.runner.target.Handed;
import dev.berth.server.runner.target.Handover;
import dev.berth.server.runner.target.Phase;
import dev.berth.server.runner.target.TargetEngine;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Slurm by its own programs, each run as the submitter. It keeps nothing: what it needs to know of a job is in the job's name, at
 * Slurm, and in the job's directory. Safe for any thread.
 */
public final class SlurmEngine implements TargetEngine {
    /** What Slurm says to who wants to change a job that has just ended. */
    private static final List<String> TOO_LATE =
            List.of("already finished", "already completing", "Invalid job id", "not pending", "No error");

    private final UserPrograms programs;
    private final SharedFiles files;
    private final SlurmAccounts accounts;
    private final SlurmLook look;
    private final SlurmHealth health;

    /** Whose keys open the login node: the last one who has come there. The server's own user may have none. */
    private volatile @Nullable Submitter visitor;

    /** The engine of a cluster, for a server that runs as a user. */
    public SlurmEngine(SlurmSettings settings, long serverUid, Users users) {
        this.programs = new UserPrograms(settings, serverUid, users);
        this.files = new SharedFiles(programs);
        this.accounts = new SlurmAccounts(programs);
        this.look = new SlurmLook(programs, files, accounts);
        this.health = new SlurmHealth(programs, files);
    }

    @Override
    public Abilities abilities() {
        return new Abilities(
                SlurmHealth.KIND,
                SlurmHealth.ORDER_UNKNOWN,
                true,
                true,
                programs.settings().launcher().hasContainer());
    }

    @Override
    public Health health() {
        return health.now(asker());
    }

    @Override
    public List<Finding> examine() {
        return new SlurmExamination(programs, files, health).findings(asker());
    }

    private Submitter asker() {
        Submitter last = visitor;
        return programs.areByUser() && last != null ? last : programs.self();
    }

    @Override
    public Optional<String> refusal(JobSpec spec) {
        return BatchScript.refusal(spec, programs.settings());
    }

    @Override
    public Optional<String> trialImage() {
        return Optional.empty();
    }

    @Override
    public void handOver(Handover handover) {
        BatchScript script = new BatchScript(programs.settings(), handover);
        script.check();
        Handed handed = handover.handed();
        visitor = handed.owner();
        if (handover.mayBeThere() && look.inQueue(handed).isPresent()) {
            return;
        }
        Prepared prepared =
                files.prepare(handed, script.program(), handover.directory().orElse(null));
        switch (prepared.state()) {
            case BEGUN -> {}
            case MADE -> submit(script, handed, prepared.path());
            case THERE -> {
                if (look.inQueue(handed).isEmpty() && !wasHandedOver(handed)) {
                    submit(script, handed, prepared.path());
                }
            }
        }
    }

    /** It may have been handed over so long ago that the queue has forgotten it. */
    private boolean wasHandedOver(Handed handed) {
        SlurmAccounts.Accounted accounted = accounts.of(handed.owner(), List.of(handed));
        if (accounted.isAway()) {
            throw new EngineException(
                    Kind.UNREACHABLE,
                    "Slurm's accounts do not answer, and they alone know whether it was handed over before; see"
                            + " slurmdbd: sacctmgr show cluster");
        }
        return accounted.knows(handed);
    }

    private void submit(BatchScript script, Handed handed, String directory) {
        List<String> words = script.command(directory);
        Said said = programs.slurm(handed.owner(), words, ProgramRun.Input.of(script.text(directory)));
        if (!said.isWell()) {
            throw programs.failure("sbatch", said);
        }
        if (SlurmText.submitted(said.text()).isEmpty()) {
            throw new EngineException(Kind.FAILING, "sbatch " + programs.place() + " said no number of a job");
        }
    }

    @Override
    public Map<Handed, Phase> look(Collection<Handed> handed) {
        if (!programs.areByUser()) {
            return handed.isEmpty() ? Map.of() : look.of(programs.self(), List.copyOf(handed));
        }
        Map<Handed, Phase> phases = new HashMap<>();
        handed.stream().collect(Collectors.groupingBy(Handed::owner)).forEach((owner, theirs) -> {
            visitor = owner;
            phases.putAll(look.of(owner, theirs));
        });
        return phases;
    }

    @Override
    public boolean collect(Collection<Reading> readings) {
        boolean[] more = {false};
        Map<Submitter, List<Reading>> byOwner = readings.stream()
                .collect(Collectors.groupingBy(reading -> reading.handed().owner()));
        byOwner.forEach((owner, theirs) -> more[0] |= files.collect(owner, theirs));
        return more[0];
    }

    /** The time from TERM to KILL is Slurm's own (slurm.conf, "KillWait"): it alone keeps it where this server is away. */
    @Override
    public void cancel(Handed handed, Duration grace) {
        change(handed, "scancel", "--me", "--name=" + handed.name());
    }

    @Override
    public void signal(Handed handed, Signal signal) {
        change(
                handed,
                "scancel",
                "--me",
                "--name=" + handed.name(),
                "--state=RUNNING",
                "--full",
                "--signal=" + signal.name());
    }

    @Override
    public void hold(Handed handed, boolean isHeld) {
        Optional<String> id = look.inQueue(handed);
        if (id.isPresent()) {
            change(handed, "scontrol", isHeld ? "hold" : "release", id.get());
        }
    }

    private void change(Handed handed, String... words) {
        Said said = programs.slurm(handed.owner(), List.of(words));
        if (!said.isWell() && TOO_LATE.stream().noneMatch(said.error()::contains)) {
            throw programs.failure(words[0], said);
        }
    }

    @Override
    public void fetch(Handed handed, Path into) {
        files.fetch(handed, into);
    }

    @Override
    public void discard(Handed handed) {
        files.remove(handed);
    }
}
