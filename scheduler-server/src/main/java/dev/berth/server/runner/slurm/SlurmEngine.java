package dev.berth.server.runner.slurm;

import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Program;
import dev.berth.core.job.Signal;
import dev.berth.core.job.Submitter;
import dev.berth.server.linux.Users;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.slurm.SharedFiles.Reached;
import dev.berth.server.runner.slurm.SharedFiles.Removal;
import dev.berth.server.runner.target.Handed;
import dev.berth.server.runner.target.Handover;
import dev.berth.server.runner.target.Handover.Needed;
import dev.berth.server.runner.target.Phase;
import dev.berth.server.runner.target.Phase.Used;
import dev.berth.server.runner.target.Snapshot;
import dev.berth.server.runner.target.TargetEngine;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Slurm by its own programs, each run as the submitter. It keeps nothing: what it needs to know of a job is in the job's name, at
 * Slurm, and in the job's directory. Safe for any thread.
 */
public final class SlurmEngine implements TargetEngine {
    private static final Logger LOG = LoggerFactory.getLogger(SlurmEngine.class);

    private final UserPrograms programs;
    private final SharedFiles files;
    private final SlurmAccounts accounts;
    private final SlurmLook look;
    private final SlurmHealth health;
    private final SlurmChanges changes;
    private final JointCalls<Submitter, Handed, Set<String>> fillings;
    private final JointCalls<Submitter, Handed, Removal> removals;
    private final InstantSource clock;

    /** Whose directories have held up a hand-over at last. */
    private final Set<Submitter> late = ConcurrentHashMap.newKeySet();

    /** Whose keys open the login node: the last one who has come there. The server's own user may have none. */
    private volatile @Nullable Submitter visitor;

    /**
     * The engine of a cluster.
     *
     * @param serverUid whom the server runs as
     * @param clock by which hand-overs follow each other
     */
    public SlurmEngine(SlurmSettings settings, long serverUid, Users users, InstantSource clock) {
        this.clock = clock;
        this.programs = new UserPrograms(settings, serverUid, users);
        this.files = new SharedFiles(programs);
        this.accounts = new SlurmAccounts(programs);
        this.look = new SlurmLook(programs, files, accounts);
        this.health = new SlurmHealth(programs, files);
        this.changes = new SlurmChanges(programs, look);
        this.fillings = new JointCalls<>(SharedFiles.JOBS_A_CALL, files::filled);
        this.removals = new JointCalls<>(SharedFiles.JOBS_A_CALL, files::remove);
    }

    @Override
    public Abilities abilities() {
        Set<Ability> all = EnumSet.of(Ability.HOLDS, Ability.SIGNALS, Ability.ARRAYS, Ability.OUTPUTS);
        if (programs.settings().launcher().hasContainer()) {
            all.add(Ability.CONTAINERS);
        }
        return new Abilities(SlurmHealth.KIND, SlurmHealth.ORDER_UNKNOWN, all);
    }

    @Override
    public Health health() {
        if (!programs.areByUser()) {
            return health.now(programs.self());
        }
        Submitter last = visitor;
        return last == null ? health.unknown() : health.now(last);
    }

    @Override
    public List<Finding> examine(Submitter who) {
        return new SlurmExamination(programs, files, health).findings(programs.areByUser() ? who : programs.self());
    }

    @Override
    public Optional<String> refusal(JobSpec spec, Program program, Submitter owner, Optional<Snapshot> directory) {
        return BatchScript.refusal(spec, programs.settings());
    }

    @Override
    public String inspection(Handed handed, String id) {
        String there = programs.areByUser() ? "ssh " + programs.settings().host() + " " : "";
        return there + "scontrol show job " + id
                + " says more, such as its node and where it wrote; after some minutes " + there + "sacct -j " + id;
    }

    @Override
    public Optional<String> trialImage() {
        return Optional.empty();
    }

    @Override
    public void handOver(Handover handover) {
        handOver(List.of(handover));
    }

    @Override
    public void handOver(List<Handover> tasks) {
        Handed first = tasks.getFirst().handed();
        BatchScript script = new BatchScript(
                programs.settings(), tasks, needed(tasks.getFirst().needed()));
        script.check();
        long turn = clock.millis();
        requireInTime(first.owner());
        try {
            handOver(tasks, script, turn);
        } catch (EngineException e) {
            if (e.kind() == Kind.LATE) {
                late.add(first.owner());
            }
            throw e;
        }
        visitor = first.owner();
    }

    /** Whose directory has held up a hand-over, which may take minutes, shows first that it answers: others wait meanwhile. */
    private void requireInTime(Submitter owner) {
        if (late.contains(owner)) {
            String _ = files.tried(owner);
            late.remove(owner);
        }
    }

    private void handOver(List<Handover> tasks, BatchScript script, long turn) {
        if (files.handOver(script, false, turn) == Reached.THERE) {
            List<Handed> missing = missing(script.handed());
            if (!missing.isEmpty()) {
                List<Handover> left = tasks.stream()
                        .filter(task -> missing.contains(task.handed()))
                        .toList();
                Reached _ = files.handOver(new BatchScript(script.settings(), left, script.needed()), true, turn);
            }
        }
    }

    /** Slurm takes numbers alone, and forgets those of jobs that ended long ago. */
    private List<String> needed(List<Needed> others) {
        Map<Handed, String> ids =
                look.inQueue(others.stream().map(Needed::other).toList());
        return others.stream()
                .map(needed -> needed.kind().word() + ":"
                        + Optional.ofNullable(ids.get(needed.other()))
                                .orElseThrow(() -> new EngineException(
                                        Kind.FAILING,
                                        "Slurm does not know job "
                                                + needed.other().attempt().job() + " any more, which it waits for")))
                .toList();
    }

    /** Those that Slurm never had. They may have been handed over so long ago that the queue has forgotten them. */
    private List<Handed> missing(List<Handed> tasks) {
        Set<Handed> there = look.inQueue(tasks).keySet();
        List<Handed> gone = tasks.stream().filter(task -> !there.contains(task)).toList();
        if (gone.isEmpty()) {
            return gone;
        }
        SlurmAccounts.Accounted accounted = accounts.of(gone.getFirst().owner(), gone);
        if (accounted.isAway()) {
            throw new EngineException(
                    Kind.UNREACHABLE,
                    "Slurm's accounts do not answer, and they alone know whether it was handed over before; see"
                            + " slurmdbd: sacctmgr show cluster");
        }
        return gone.stream().filter(task -> !accounted.knows(task)).toList();
    }

    @Override
    public Map<Handed, Phase> look(Collection<Handed> handed) {
        if (!programs.areByUser()) {
            return handed.isEmpty() ? Map.of() : look.of(programs.self(), List.copyOf(handed));
        }
        Map<Handed, Phase> phases = new HashMap<>();
        ofEachOwner(
                handed.stream().collect(Collectors.groupingBy(Handed::owner)), "the state of jobs", (owner, theirs) -> {
                    phases.putAll(look.of(owner, theirs));
                    visitor = owner;
                });
        return phases;
    }

    /** One user's trouble, such as a key that opens nothing, keeps nothing of others back; the first failure where all have it. */
    private static <T> boolean ofEachOwner(
            Map<Submitter, List<T>> byOwner, String what, BiConsumer<Submitter, List<T>> work) {
        List<EngineException> failures = new ArrayList<>();
        byOwner.forEach((owner, theirs) -> {
            try {
                work.accept(owner, theirs);
            } catch (EngineException e) {
                if (e.kind() == Kind.INTERRUPTED) {
                    throw e;
                }
                LOG.warn("{} of {} cannot be asked now: {}", what, owner.name(), e.sentence());
                failures.add(e);
            }
        });
        if (!failures.isEmpty() && failures.size() == byOwner.size()) {
            throw failures.getFirst();
        }
        return failures.isEmpty();
    }

    /** The accounts are behind the queue by seconds, and more where they were away. */
    @Override
    public Map<Handed, Used> used(Collection<Handed> handed) {
        Map<Handed, Used> used = new HashMap<>();
        handed.stream()
                .collect(Collectors.groupingBy(one -> programs.areByUser() ? one.owner() : programs.self()))
                .forEach((asker, theirs) -> {
                    for (int from = 0; from < theirs.size(); from += SlurmLook.NAMES_A_CALL) {
                        List<Handed> part =
                                theirs.subList(from, Math.min(theirs.size(), from + SlurmLook.NAMES_A_CALL));
                        SlurmAccounts.Accounted accounted = accounts.of(asker, part);
                        part.forEach(one -> accounted.used(one).ifPresent(known -> used.put(one, known)));
                    }
                });
        return used;
    }

    @Override
    public boolean collect(Collection<Reading> readings) {
        boolean[] more = {false};
        boolean isAll = ofEachOwner(
                readings.stream()
                        .collect(Collectors.groupingBy(
                                reading -> reading.handed().owner())),
                "the output of jobs",
                (owner, theirs) -> more[0] |= files.collect(owner, theirs));
        if (!isAll) {
            // Who believed that there is no more would remove what was not read.
            throw new EngineException(Kind.FAILING, "the output of some users' jobs could not be read");
        }
        return more[0];
    }

    @Override
    public void cancel(Handed handed, Duration grace) {
        changes.cancel(handed);
    }

    @Override
    public boolean signal(Handed handed, Signal signal) {
        return changes.signal(handed, signal);
    }

    @Override
    public void hold(Handed handed, boolean isHeld) {
        changes.hold(handed, isHeld);
    }

    @Override
    public void fetch(Handed handed, Path into) {
        // Many programs leave nothing, and many may end at the same time.
        if (fillings.of(handed.owner(), handed).contains(handed.path())) {
            files.fetch(handed, into);
        }
    }

    @Override
    public void discard(Handed handed) {
        removals.of(handed.owner(), handed).check(handed.path());
    }
}
