package dev.berth.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A run in a table. */
record Report(
        long seed,
        Duration took,
        List<Struck> struck,
        List<Case> cases,
        LogLaws logs,
        long cuts,
        Violations violations) {

    String text() {
        List<String> rows = new ArrayList<>(List.of("| what | how often |", "|---|---|"));
        row(rows, "seed", seed);
        row(rows, "minutes", took.toMinutes());
        row(
                rows,
                "**kills of the server (-9)**",
                struck.stream().mapToInt(one -> one.fault().serverKills()).sum());
        Map<Fault, Long> counts = new EnumMap<>(Fault.class);
        struck.forEach(one -> counts.merge(one.fault(), 1L, Long::sum));
        counts.forEach((fault, count) -> row(rows, fault.title(), count));
        row(rows, "connections cut", cuts);
        row(rows, "jobs", cases.size());
        row(
                rows,
                "of them, jobs that waited for another",
                cases.stream().filter(job -> job.entry().awaited().isPresent()).count());
        row(
                rows,
                "of them, tasks of arrays",
                cases.stream().filter(Case::isTask).count());
        row(
                rows,
                "arrays",
                cases.stream().filter(Case::isTask).map(Case::array).distinct().count());
        row(
                rows,
                "packs of tasks that ran",
                starts().filter(Notes::isPacked)
                        .map(start -> start.container().job())
                        .distinct()
                        .count());
        row(rows, "programs that ran in them", starts().filter(Notes::isPacked).count());
        row(
                rows,
                "tasks that ran alone, as their packs ended before them",
                cases.stream()
                        .filter(job -> job.entry().wish().tasks().isPacked())
                        .filter(job -> !job.starts().isEmpty()
                                && !job.starts().getFirst().isPacked())
                        .count());
        row(
                rows,
                "retries",
                cases.stream().mapToInt(job -> job.retried().size()).sum());
        row(
                rows,
                "programs started",
                cases.stream().mapToInt(job -> job.starts().size()).sum());
        row(
                rows,
                "of them, attempts after the first",
                starts().filter(start -> start.attempt() > 1).count());
        row(
                rows,
                "GPUs held, summed over all programs",
                starts().mapToInt(start -> start.opened().size()).sum());
        cases.stream()
                .collect(Collectors.groupingBy(Case::state, TreeMap::new, Collectors.counting()))
                .forEach((state, count) -> row(rows, "jobs that ended " + state, count));
        row(rows, "log lines", logs.lines());
        row(rows, "log lines that a killed dockerd had in hand and took with it", logs.lostByEngine());
        row(rows, "last log lines of programs that ended while dockerd was away", logs.unseenByEngine());
        row(
                rows,
                "log lines of starts that were lost, and of containers removed as dockerd came back",
                logs.neverRead());
        for (ChaosLaw law : ChaosLaw.values()) {
            row(rows, "**" + law.title() + "**", violations.count(law));
        }
        return String.join("\n", rows) + "\n";
    }

    private Stream<Notes> starts() {
        return cases.stream().flatMap(job -> job.starts().stream());
    }

    private static void row(List<String> rows, String what, long count) {
        rows.add("| " + what + " | " + count + " |");
    }
}
