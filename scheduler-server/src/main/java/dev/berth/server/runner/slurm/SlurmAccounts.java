package dev.berth.server.runner.slurm;

import dev.berth.core.job.Outcome;
import dev.berth.core.job.Submitter;
import dev.berth.server.runner.slurm.SlurmText.AccountLine;
import dev.berth.server.runner.slurm.SlurmText.UseLine;
import dev.berth.server.runner.target.Handed;
import dev.berth.server.runner.target.Phase;
import dev.berth.server.runner.target.Phase.End.ByEngine;
import dev.berth.server.runner.target.Phase.Over;
import dev.berth.server.runner.target.Phase.Used;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Slurm's accounts of jobs, which it keeps for long, by {@code sacct}. A cluster may have none, and they may be behind the queue. */
record SlurmAccounts(UserPrograms programs) {
    /** Clocks of machines differ. */
    private static final Duration SLACK = Duration.ofHours(1);

    private static final DateTimeFormatter SINCE =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss").withZone(ZoneOffset.UTC);

    private static final String NONE = "accounting storage is disabled";
    private static final String NO_NODE = "None assigned";

    /**
     * The accounts of some jobs.
     *
     * @param isAway whether there are accounts that do not answer
     * @param lines by the jobs' names
     * @param used by the jobs' own numbers
     */
    record Accounted(boolean isAway, boolean areByUser, Map<String, List<AccountLine>> lines, Map<String, Used> used) {
        /** How the job of that number ended, where the accounts know that. */
        Optional<Phase> end(Handed handed, String id) {
            return own(handed).filter(line -> line.id().equals(id)).findFirst().flatMap(this::end);
        }

        /** How the job ended that was handed over first. */
        Optional<Phase> end(Handed handed) {
            return own(handed)
                    .min(Comparator.comparingInt((AccountLine line) -> line.id().length())
                            .thenComparing(AccountLine::id))
                    .flatMap(this::end);
        }

        /** What a job has used that is over. */
        Optional<Used> used(Handed handed) {
            return end(handed).map(end -> end instanceof Over over ? over.used() : null);
        }

        boolean knows(Handed handed) {
            return own(handed).findAny().isPresent();
        }

        /**
         * How a task ended that has no line of its own, and so never started, where the accounts have its array: as the rest of the array
         * did, or before it, by a cancel. Empty where nobody knows that.
         *
         * @param isInQueue whether the queue has other tasks of the array
         */
        Optional<Outcome> unstarted(Handed handed, boolean isInQueue) {
            List<AccountLine> array = named(handed)
                    .filter(line -> SlurmText.array(line.id()).isPresent())
                    .toList();
            if (handed.task() == null || knows(handed) || array.isEmpty()) {
                return Optional.empty();
            }
            List<AccountLine> rest =
                    array.stream().filter(line -> SlurmText.isRest(line.id())).toList();
            Optional<Phase> ended =
                    rest.stream().map(this::end).flatMap(Optional::stream).findFirst();
            if (ended.isPresent()) {
                return ended.get() instanceof Over over && over.end() instanceof ByEngine end
                        ? Optional.of(end.outcome())
                        : Optional.empty();
            }
            // A rest that waits for ever in the accounts, and in no queue, was lost by the controller.
            return rest.isEmpty() || isInQueue
                    ? SlurmText.array(array.getFirst().id()).map(SlurmEnds::cancelledUnstarted)
                    : Optional.empty();
        }

        private Stream<AccountLine> own(Handed handed) {
            return named(handed).filter(line -> SlurmText.isOf(line.id(), handed));
        }

        private Stream<AccountLine> named(Handed handed) {
            return lines.getOrDefault(handed.name(), List.of()).stream()
                    .filter(line -> areByUser || line.uid() == handed.owner().uid());
        }

        private Optional<Phase> end(AccountLine line) {
            if (line.endedAt() == null || SlurmEnds.isWaiting(line.state()) || SlurmEnds.isAlive(line.state())) {
                return Optional.empty();
            }
            boolean hasRun = hasRun(line);
            return Optional.of(new Over(
                    line.id(),
                    SlurmEnds.of(line.id(), line.state(), line.exit(), hasRun),
                    hasRun ? line.startedAt() : null,
                    line.endedAt(),
                    used.get(line.id())));
        }

        private static boolean hasRun(AccountLine line) {
            return !line.nodes().isBlank() && !line.nodes().equals(NO_NODE);
        }
    }

    /** What the accounts say of these. */
    Accounted of(Submitter asker, List<Handed> handed) {
        List<String> words = new ArrayList<>(command(since(handed)));
        words.addAll(
                List.of("--allocations", "--name=" + SlurmText.names(handed), "--format=" + SlurmText.ACCOUNT_FORMAT));
        if (!programs.areByUser()) {
            words.add("--allusers");
        }
        Said said = programs.slurm(asker, words);
        if (!said.isWell()) {
            boolean hasNone = (said.error() + said.text()).contains(NONE);
            return new Accounted(!hasNone, programs.areByUser(), Map.of(), Map.of());
        }
        List<AccountLine> lines = SlurmText.accounts(said.text());
        return new Accounted(
                false,
                programs.areByUser(),
                lines.stream().collect(Collectors.groupingBy(AccountLine::name)),
                used(asker, since(handed), lines));
    }

    private static List<String> command(Instant since) {
        return List.of("sacct", "--noheader", "--parsable2", "--starttime=" + SINCE.format(since));
    }

    private static Instant since(List<Handed> handed) {
        return handed.stream()
                .map(Handed::since)
                .min(Comparator.naturalOrder())
                .orElseThrow()
                .minus(SLACK);
    }

    /** Without it, a job is not the worse: where the second call fails, nothing is known of it. */
    private Map<String, Used> used(Submitter asker, Instant since, List<AccountLine> lines) {
        List<String> ids = lines.stream()
                .filter(line -> line.endedAt() != null && Accounted.hasRun(line))
                .map(AccountLine::id)
                .toList();
        if (ids.isEmpty()) {
            return Map.of();
        }
        List<String> words = new ArrayList<>(command(since));
        words.addAll(List.of("--jobs=" + String.join(",", ids), "--format=" + SlurmText.USE_FORMAT));
        Said said = programs.slurm(asker, words);
        Map<String, Used> used = new HashMap<>();
        if (said.isWell()) {
            for (UseLine line : SlurmText.uses(said.text())) {
                used.merge(job(line.id()), new Used(line.cpuTime(), line.maxMemoryBytes()), SlurmAccounts::more);
            }
        }
        return used;
    }

    /** The number of the job that a step such as {@code 12.batch} is of. */
    private static String job(String id) {
        int end = id.indexOf('.');
        return end < 0 ? id : id.substring(0, end);
    }

    /** A job's own line has the time of all its steps, and each step its memory. */
    private static Used more(Used one, Used other) {
        return new Used(
                one.cpuTime().compareTo(other.cpuTime()) > 0 ? one.cpuTime() : other.cpuTime(),
                Math.max(one.maxMemoryBytes(), other.maxMemoryBytes()));
    }
}
