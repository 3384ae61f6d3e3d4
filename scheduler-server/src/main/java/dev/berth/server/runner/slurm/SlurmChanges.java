package dev.berth.server.runner.slurm;

import dev.berth.core.job.Signal;
import dev.berth.core.job.Submitter;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.slurm.SlurmText.QueueLine;
import dev.berth.server.runner.target.Handed;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What people do to jobs that Slurm has: each of these does nothing to a job that is not there any more. Jobs of one user that are to
 * do the same at the same time are named in one call. Safe for any thread.
 */
final class SlurmChanges {
    /** What Slurm says to who wants to change a job that has just ended. */
    private static final List<String> TOO_LATE =
            List.of("already finished", "already completing", "Invalid job id", "not pending", "No error");

    private final JointCalls<Change, Handed, Map<Handed, EngineException>> calls =
            new JointCalls<>(SharedFiles.JOBS_A_CALL, this::make);
    private final UserPrograms programs;
    private final SlurmLook look;

    SlurmChanges(UserPrograms programs, SlurmLook look) {
        this.programs = programs;
        this.look = look;
    }

    /** The jobs that a change is for. */
    private enum Of {
        LIVING,
        RUNNING,
        HELD,
        NOT_HELD
    }

    /**
     * A change of jobs.
     *
     * @param words of the program, before the jobs' numbers
     * @param separator of the numbers; a space makes words of them
     */
    private record Change(Submitter owner, Of of, String separator, List<String> words) {
        List<String> words(List<String> ids) {
            List<String> all = new ArrayList<>(words);
            all.addAll(separator.isBlank() ? ids : List.of(String.join(separator, ids)));
            return all;
        }

        boolean concerns(QueueLine line) {
            return switch (of) {
                case LIVING -> SlurmEnds.isWaiting(line.state()) || SlurmEnds.isAlive(line.state());
                case RUNNING -> line.state().equals("RUNNING");
                case HELD -> isHeld(line);
                case NOT_HELD -> SlurmEnds.isWaiting(line.state()) && !isHeld(line);
            };
        }

        private static boolean isHeld(QueueLine line) {
            return SlurmEnds.isWaiting(line.state()) && SlurmReasons.isHeld(line.state(), line.reason());
        }
    }

    /** The time from TERM to KILL is Slurm's own (slurm.conf, "KillWait"): it alone keeps it where this server is away. */
    void cancel(Handed handed) {
        change(handed, Of.LIVING, " ", "scancel", "--me");
    }

    /**
     * By itself: what is done once more where one of several has just ended, must not be a signal. By its number: scancel(1) does not know
     * the names of all.
     *
     * @return whether its program runs, as far as Slurm knows before it is sent
     */
    boolean signal(Handed handed, Signal signal) {
        Change change = new Change(
                handed.owner(),
                Of.RUNNING,
                " ",
                List.of("scancel", "--me", "--state=RUNNING", "--full", "--signal=" + signal.number()));
        Map<Handed, List<String>> running = concerned(change, List.of(handed));
        if (running.isEmpty()) {
            return false;
        }
        Said said = said(change, running);
        if (!said.isWell() && !isTooLate(said.error())) {
            throw programs.failure(change.words().getFirst(), said);
        }
        return said.isWell();
    }

    /** To let one go on that nobody holds may cost it its place in the queue. */
    void hold(Handed handed, boolean isHeld) {
        if (isHeld) {
            change(handed, Of.NOT_HELD, ",", "scontrol", "hold");
        } else {
            change(handed, Of.HELD, ",", "scontrol", "release");
        }
    }

    private void change(Handed handed, Of of, String separator, String... words) {
        check(calls.of(new Change(handed.owner(), of, separator, List.of(words)), handed)
                .get(handed));
    }

    private static void check(@Nullable EngineException failure) {
        if (failure != null) {
            throw new EngineException(failure.kind(), failure.sentence(), failure);
        }
    }

    /** Changes those that are there; those that could not be changed. */
    private Map<Handed, EngineException> make(Change change, List<Handed> handed) {
        Map<Handed, List<String>> ids = concerned(change, handed);
        return ids.isEmpty() ? Map.of() : make(change, ids);
    }

    /** The numbers of those that a change is for, of each that has some. */
    private Map<Handed, List<String>> concerned(Change change, List<Handed> handed) {
        Map<Handed, List<String>> ids = new LinkedHashMap<>();
        look.lines(handed).forEach((one, lines) -> {
            List<String> mine =
                    lines.stream().filter(change::concerns).map(QueueLine::id).toList();
            if (!mine.isEmpty()) {
                ids.put(one, mine);
            }
        });
        return ids;
    }

    private Said said(Change change, Map<Handed, List<String>> ids) {
        return programs.slurm(
                change.owner(),
                change.words(ids.values().stream().flatMap(List::stream).toList()));
    }

    private Map<Handed, EngineException> make(Change change, Map<Handed, List<String>> ids) {
        Said said = said(change, ids);
        if (said.isWell()) {
            return Map.of();
        }
        EngineException failure = programs.failure(change.words().getFirst(), said);
        if (failure.kind() == Kind.UNREACHABLE) {
            throw failure;
        }
        if (ids.size() > 1) {
            return alone(change, failed(ids, said));
        }
        return isTooLate(said.error())
                ? Map.of()
                : Map.of(ids.keySet().iterator().next(), failure);
    }

    /** Those of several that may not be changed; all of them where it is not said of which something is said. */
    private static Map<Handed, List<String>> failed(Map<Handed, List<String>> ids, Said said) {
        Optional<Map<String, String>> words = Complaints.in(said.error());
        if (words.isEmpty()) {
            return ids;
        }
        Map<Handed, List<String>> failed = new LinkedHashMap<>(ids);
        failed.values()
                .removeIf(mine -> mine.stream()
                        .map(words.get()::get)
                        .filter(Objects::nonNull)
                        .allMatch(SlurmChanges::isTooLate));
        return failed;
    }

    /** Changes each by itself, so that what is said is said of it. */
    private Map<Handed, EngineException> alone(Change change, Map<Handed, List<String>> ids) {
        Map<Handed, EngineException> failures = new HashMap<>();
        ids.forEach((one, mine) -> failures.putAll(make(change, Map.of(one, mine))));
        return failures;
    }

    private static boolean isTooLate(String words) {
        return TOO_LATE.stream().anyMatch(words::contains);
    }
}
