package dev.berth.core.machine;

import dev.berth.core.job.Outcome;
import dev.berth.core.job.StateName;
import dev.berth.core.machine.Expectation.Ends;
import dev.berth.core.machine.Expectation.Ignores;
import dev.berth.core.machine.Expectation.Impossible;
import dev.berth.core.machine.Expectation.Moves;
import dev.berth.core.machine.Expectation.Owed;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** {@code docs/job-states.md}: the table of {@link JobTable} for people. */
final class JobStatesPage {
    static final String HOW_TO_RENEW = "mvn -pl scheduler-core test -Dtest=JobMachineTest -Dberth.write.docs=true";

    private static final Path FILE = Path.of("docs", "job-states.md");

    private static final String BEGIN = """
            # Job states

            <!-- Written by JobMachineTest from the table that it holds the code against. Do not edit; renew it:
                 {command} -->

            A job waits, runs and ends. What it holds, and what can still happen to it, follows from its state alone.

            ```mermaid
            """;

    private static final String STATES = """
            ```

            | state | what it means | what it holds |
            |---|---|---|
            | `QUEUED` | it waits for its turn; first in, first out | nothing |
            | `STARTING` | its turn has come, its container is being made | a worker and its GPUs |
            | `RUNNING` | its program runs | a worker and its GPUs |
            | `STOPPING` | its program is being stopped: it was cancelled, or it reached its time limit | a worker and its GPUs, until the program is gone |
            | `COMPLETED` | the program ended with exit code 0 | nothing |
            | `FAILED` | the program ended with another code, or could not be started | nothing |
            | `TIMEOUT` | the program was stopped at its time limit | nothing |
            | `OUT_OF_MEMORY` | the kernel ended the program for want of memory | nothing |
            | `LOST` | its container disappeared; nobody knows how the program ended | nothing |
            | `CANCELLED` | its owner or root cancelled it | nothing |

            The last six are final: nothing leads out of them. A task in a pack holds nothing itself, in whatever state it is: its
            pack, which is a job too, holds a worker and GPUs for all of its tasks. Nor does a job at a target beyond this machine hold
            anything here: it is `QUEUED` or `HELD` as long as it waits in the queue of the target's engine.

            ## How a job ends

            The reason is for programs and stays as it is; the sentence is for people. In these, somebody called grace
            cancelled the job, its time limit was an hour, and the sentences of the image, of the engine and of
            the target are examples.

            | state | reason | sentence |
            |---|---|---|
            """;

    private static final String ANSWERS = """

            ## What every event does

            An event about a container carries its attempt. News of another attempt than the job's own is ignored in every
            state. So is what comes late, twice or out of order. What cannot happen without a defect in the scheduler itself
            ends the server, and its next start recovers from what is stored.
            """;

    private JobStatesPage() {}

    static void writeIfAsked() {
        if (Boolean.getBoolean("berth.write.docs")) {
            try {
                Files.createDirectories(file().getParent());
                Files.writeString(file(), fromTable());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** The page as it is, empty where there is none. */
    static String written() {
        try {
            return Files.exists(file()) ? Files.readString(file()) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String fromTable() {
        return BEGIN.replace("{command}", HOW_TO_RENEW) + diagram() + STATES + outcomes() + ANSWERS + answers();
    }

    private static Path file() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(folder.resolve("scheduler-core"))) {
            Path parent = folder.getParent();
            if (parent == null) {
                throw new IllegalStateException(
                        "no scheduler-core above " + Path.of("").toAbsolutePath());
            }
            folder = parent;
        }
        return folder.resolve(FILE);
    }

    private record Arrow(StateName from, StateName to) implements Comparable<Arrow> {
        @Override
        public int compareTo(Arrow other) {
            int byFrom = from.compareTo(other.from);
            return byFrom == 0 ? to.compareTo(other.to) : byFrom;
        }
    }

    private static String diagram() {
        Map<Arrow, Set<String>> arrows = new TreeMap<>();
        for (JobTable.Line line : JobTable.LINES) {
            for (Situation situation : line.situations()) {
                StateName from = situation.state().name();
                switch (line.expectation()) {
                    case Moves moves -> draw(arrows, from, moves.next().state().name(), line.news());
                    case Ends ends -> draw(arrows, from, ends.outcome().state(), line.news());
                    case Ignores _, Impossible _ -> {}
                }
            }
        }
        StringBuilder lines = new StringBuilder("stateDiagram-v2\n    [*] --> QUEUED: SubmitJob\n");
        arrows.forEach((arrow, events) ->
                lines.append("    %s --> %s: %s\n".formatted(arrow.from, arrow.to, String.join(", ", events))));
        Arrays.stream(StateName.values())
                .filter(StateName::isFinal)
                .forEach(state -> lines.append("    %s --> [*]\n".formatted(state)));
        return lines.toString();
    }

    private static void draw(Map<Arrow, Set<String>> arrows, StateName from, StateName to, News news) {
        arrows.computeIfAbsent(new Arrow(from, to), _ -> new TreeSet<>())
                .add(news.about(1).name());
    }

    private static String outcomes() {
        return JobTable.LINES.stream()
                .filter(line -> line.expectation() instanceof Ends)
                .map(line -> ((Ends) line.expectation()).outcome())
                .map(JobStatesPage::row)
                .sorted()
                .distinct()
                .collect(Collectors.joining());
    }

    private static String row(Outcome outcome) {
        return "| `%s` | `%s` | %s |\n".formatted(outcome.state(), outcome.reason(), outcome.sentence());
    }

    private static String answers() {
        Map<String, List<String>> sections = new LinkedHashMap<>();
        for (Situation situation : Situation.values()) {
            sections.computeIfAbsent(answers(situation), _ -> new ArrayList<>()).add(situation.label());
        }
        StringBuilder page = new StringBuilder();
        sections.forEach((answers, labels) -> page.append("\n### ")
                .append(String.join(", ", labels))
                .append("\n\n")
                .append(answers));
        return page.toString();
    }

    private static String answers(Situation situation) {
        Map<String, List<String>> events = new LinkedHashMap<>();
        for (News news : News.values()) {
            JobTable.lines(situation, news)
                    .forEach(line -> events.computeIfAbsent(answer(line.expectation()), _ -> new ArrayList<>())
                            .add(news.label()));
        }
        StringBuilder rows = new StringBuilder("| event | what happens | what Berth then does |\n|---|---|---|\n");
        events.forEach((answer, labels) -> rows.append("| %s | %s |\n".formatted(String.join("; ", labels), answer)));
        return rows.toString();
    }

    private static String answer(Expectation expectation) {
        return switch (expectation) {
            case Moves(Situation next, int further, List<Owed> owes) ->
                "becomes %s%s | %s".formatted(next.label(), further == 0 ? "" : ", one attempt further", words(owes));
            case Ends ends ->
                "ends `%s`, `%s` | %s"
                        .formatted(ends.outcome().state(), ends.outcome().reason(), words(ends.owes()));
            case Ignores(String reason) -> "nothing: " + reason + " |";
            case Impossible _ -> "cannot happen |";
        };
    }

    private static String words(List<Owed> owes) {
        return owes.stream().map(Owed::words).collect(Collectors.joining("; "));
    }
}
