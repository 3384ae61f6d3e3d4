package dev.berth.server.runner.slurm;

import dev.berth.core.job.Submitter;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.slurm.SharedFiles.ToldEnd;
import dev.berth.server.runner.slurm.SlurmAccounts.Accounted;
import dev.berth.server.runner.slurm.SlurmText.EndLine;
import dev.berth.server.runner.slurm.SlurmText.QueueLine;
import dev.berth.server.runner.target.Handed;
import dev.berth.server.runner.target.Phase;
import dev.berth.server.runner.target.Phase.Alive;
import dev.berth.server.runner.target.Phase.End.Exited;
import dev.berth.server.runner.target.Phase.Over;
import dev.berth.server.runner.target.Phase.Unknown;
import dev.berth.server.runner.target.Phase.Waiting;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at jobs by their names: in the queue, which knows the living and for some minutes the dead; then in the accounts; then in what
 * programs told of their own ends. Only jobs of the user who handed them over count: another may give theirs the same name.
 */
record SlurmLook(UserPrograms programs, SharedFiles files, SlurmAccounts accounts) {
    private static final Logger LOG = LoggerFactory.getLogger(SlurmLook.class);

    /** A command line holds that many names easily (execve(2): 128 KiB a word). */
    static final int NAMES_A_CALL = 1_000;

    /**
     * How far these are. One is left out where nothing can be said now: it is not in the queue any more, and the accounts do not
     * answer.
     */
    Map<Handed, Phase> of(Submitter asker, List<Handed> handed) {
        Map<Handed, Phase> phases = new HashMap<>();
        for (int from = 0; from < handed.size(); from += NAMES_A_CALL) {
            phases.putAll(part(asker, handed.subList(from, Math.min(handed.size(), from + NAMES_A_CALL))));
        }
        return phases;
    }

    private Map<Handed, Phase> part(Submitter asker, List<Handed> handed) {
        Map<String, List<QueueLine>> queue = queue(asker, handed);
        Map<Handed, Phase> phases = new HashMap<>();
        Map<Handed, QueueLine> ended = new HashMap<>();
        List<Handed> gone = new ArrayList<>();
        for (Handed one : handed) {
            Optional<QueueLine> line = first(queue.getOrDefault(one.name(), List.of()), one);
            if (line.isEmpty()) {
                gone.add(one);
            } else if (SlurmEnds.isWaiting(line.get().state())) {
                phases.put(one, waiting(line.get()));
            } else if (SlurmEnds.isAlive(line.get().state())) {
                phases.put(one, alive(one, line.get()));
            } else if (SlurmEnds.isOver(line.get().state())) {
                ended.put(one, line.get());
            }
            // Of a state that Berth does not know nothing is said: once the queue has forgotten it, the accounts tell
            // its end.
        }
        if (!ended.isEmpty() || !gone.isEmpty()) {
            List<Handed> over = new ArrayList<>(gone);
            over.addAll(ended.keySet());
            Accounted accounted = accounts.of(asker, over);
            phases.putAll(over(asker, ended, accounted));
            phases.putAll(gone(gone, accounted, queue));
            phases.replaceAll(told(phases)::getOrDefault);
        }
        return phases;
    }

    /**
     * Those that ended with another code than 0, with the end that the script has told: {@code sacct} takes 128 from codes above
     * (Slurm, src/sacct/print.c), so that 137 and 9 look the same, and Slurm does not know a program that never began.
     */
    private Map<Handed, Phase> told(Map<Handed, Phase> phases) {
        Map<Submitter, List<Handed>> failed = phases.entrySet().stream()
                .filter(one -> one.getValue() instanceof Over over
                        && over.end() instanceof Exited exited
                        && exited.exitCode() != 0
                        && !exited.outOfMemory()
                        && !over.id().isEmpty())
                .map(Map.Entry::getKey)
                .collect(Collectors.groupingBy(Handed::owner));
        Map<Handed, Phase> told = new HashMap<>();
        failed.forEach((owner, theirs) -> {
            Map<String, ToldEnd> ends = ends(owner, theirs).orElse(Map.of());
            for (Handed one : theirs) {
                ToldEnd end = ends.get(one.path());
                if (end != null && phases.get(one) instanceof Over over) {
                    told.put(one, over.endedWith(SlurmEnds.told(over.id(), end)));
                }
            }
        });
        return told;
    }

    private Map<String, List<QueueLine>> queue(Submitter asker, List<Handed> handed) {
        return SlurmText.queue(listed(asker, handed, "--format=" + SlurmText.QUEUE_FORMAT)).stream()
                .collect(Collectors.groupingBy(QueueLine::name));
    }

    private String listed(Submitter asker, Collection<Handed> handed, String format) {
        List<String> words = new ArrayList<>(List.of("squeue", "--noheader", "--array", "--states=all"));
        if (programs.areByUser()) {
            words.add("--me");
        }
        words.add("--name=" + SlurmText.names(handed));
        words.add(format);
        return programs.answer(asker, words);
    }

    /**
     * The numbers of jobs of one user that the queue has; of several of its name that of the one that runs, else of the first. Without
     * those that the queue has not.
     */
    Map<Handed, String> inQueue(List<Handed> handed) {
        Map<Handed, String> ids = new HashMap<>();
        Map<String, List<QueueLine>> queue = byName(handed);
        for (Handed one : handed) {
            first(queue.getOrDefault(one.name(), List.of()), one).ifPresent(line -> ids.put(one, line.id()));
        }
        return ids;
    }

    /** All that the queue has of each of these, which are one user's. */
    Map<Handed, List<QueueLine>> lines(List<Handed> handed) {
        Map<String, List<QueueLine>> queue = byName(handed);
        return handed.stream()
                .distinct()
                .collect(Collectors.toMap(
                        one -> one,
                        one -> of(queue.getOrDefault(one.name(), List.of()), one)
                                .toList()));
    }

    private Map<String, List<QueueLine>> byName(List<Handed> handed) {
        return handed.isEmpty() ? Map.of() : queue(handed.getFirst().owner(), handed);
    }

    /** On another machine a user may have another number; there, one asks for one's own jobs only. */
    private Stream<QueueLine> of(List<QueueLine> lines, Handed handed) {
        return lines.stream().filter(line -> isOwn(line, handed)).filter(line -> SlurmText.isOf(line.id(), handed));
    }

    private boolean isOwn(QueueLine line, Handed handed) {
        return programs.areByUser() || line.uid() == handed.owner().uid();
    }

    private Optional<QueueLine> first(List<QueueLine> lines, Handed handed) {
        return of(lines, handed)
                .min(Comparator.comparingInt(SlurmLook::rank)
                        .thenComparingInt(line -> line.id().length())
                        .thenComparing(QueueLine::id));
    }

    /** Of two jobs of a name one runs the program; the other ends at once, whichever came first (SharedScripts, "begun"). */
    private static int rank(QueueLine line) {
        return SlurmEnds.isAlive(line.state()) ? 0 : SlurmEnds.isWaiting(line.state()) ? 2 : 1;
    }

    private static Phase waiting(QueueLine line) {
        return new Waiting(
                line.id(),
                SlurmReasons.isHeld(line.state(), line.reason()),
                SlurmReasons.words(line.state(), line.reason(), line.id()));
    }

    private static Phase alive(Handed handed, QueueLine line) {
        return new Alive(line.id(), Objects.requireNonNullElse(line.startedAt(), handed.since()), line.nodes());
    }

    /** The accounts may be behind the queue, or there may be none: then the queue is asked for more of these. */
    private Map<Handed, Phase> over(Submitter asker, Map<Handed, QueueLine> ended, Accounted accounted) {
        Map<Handed, Phase> phases = new HashMap<>();
        Map<Handed, QueueLine> untold = new HashMap<>();
        ended.forEach((one, line) -> {
            if (SlurmEnds.isNeverStarted(line.state(), line.reason())) {
                Instant endedAt = Objects.requireNonNullElse(line.startedAt(), one.since());
                phases.put(one, new Over(line.id(), SlurmEnds.neverStarted(line.id()), null, endedAt, null));
            } else {
                accounted.end(one, line.id()).ifPresentOrElse(end -> phases.put(one, end), () -> untold.put(one, line));
            }
        });
        if (!untold.isEmpty()) {
            Map<String, EndLine> ends =
                    SlurmText.ends(listed(asker, untold.keySet(), "--Format=" + SlurmText.END_FORMAT)).stream()
                            .collect(Collectors.toMap(EndLine::id, line -> line, (one, _) -> one));
            untold.forEach((one, line) -> {
                EndLine end = ends.get(line.id());
                if (end != null) {
                    // Else the queue has forgotten it since; the next look does not find it there.
                    phases.put(one, over(one, line, end));
                }
            });
        }
        return phases;
    }

    private static Phase over(Handed handed, QueueLine line, EndLine end) {
        boolean hasRun = !line.nodes().isBlank();
        Instant startedAt = hasRun ? line.startedAt() : null;
        Instant endedAt = end.endedAt() == null ? startedAt : end.endedAt();
        return new Over(
                line.id(),
                SlurmEnds.of(line.id(), line.state(), end.exit(), hasRun),
                startedAt,
                Objects.requireNonNullElse(endedAt, handed.since()),
                null);
    }

    private Map<Handed, Phase> gone(List<Handed> gone, Accounted accounted, Map<String, List<QueueLine>> queue) {
        Map<Handed, Phase> phases = new HashMap<>();
        Map<Submitter, List<Handed>> untold = new HashMap<>();
        for (Handed one : gone) {
            accounted
                    .end(one)
                    .ifPresentOrElse(
                            end -> phases.put(one, end),
                            () -> untold.computeIfAbsent(one.owner(), _ -> new ArrayList<>())
                                    .add(one));
        }
        untold.forEach((owner, theirs) -> ends(owner, theirs).ifPresent(ends -> {
            for (Handed one : theirs) {
                ToldEnd end = ends.get(one.path());
                if (end != null) {
                    phases.put(one, new Over("", SlurmEnds.told("", end), null, end.at(), null));
                } else if (!accounted.isAway()) {
                    boolean isInQueue =
                            queue.getOrDefault(one.name(), List.of()).stream().anyMatch(line -> isOwn(line, one));
                    phases.put(
                            one, new Unknown(accounted.unstarted(one, isInQueue).orElse(null)));
                }
            }
        }));
        return phases;
    }

    /** What programs of one user have told of their ends. Where their directory cannot be read, the others' jobs go on. */
    private Optional<Map<String, ToldEnd>> ends(Submitter owner, List<Handed> theirs) {
        try {
            return Optional.of(
                    files.ends(owner, theirs.stream().map(Handed::path).toList()));
        } catch (EngineException e) {
            if (programs.areByUser() || e.kind() == EngineException.Kind.INTERRUPTED) {
                throw e;
            }
            LOG.warn("how jobs of {} ended cannot be read: {}", owner.name(), e.sentence());
            return Optional.empty();
        }
    }
}
