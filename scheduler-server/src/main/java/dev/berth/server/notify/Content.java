package dev.berth.server.notify;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.Moment;
import dev.berth.core.job.Outcome;
import dev.berth.core.job.StateName;
import dev.berth.core.machine.Durations;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a notice tells of a job: nothing that it wrote, none of its variables, and not its command.
 *
 * @param number what people call the job
 * @param gpus how many it asks for, as in {@code 2} or {@code 0.5}
 * @param at when it came to this
 * @param seconds that it ran, null where it has not ended
 * @param tasks of an array, by their states; empty for another job
 */
record Content(
        long job,
        String number,
        String name,
        String project,
        String user,
        String moment,
        String state,
        @Nullable String reason,
        @Nullable String sentence,
        @Nullable Integer exitCode,
        @Nullable Long seconds,
        String gpus,
        int attempt,
        Map<String, Long> tasks,
        String at,
        String server) {
    private static final int MAX_SENTENCE = 500;
    private static final double WHOLE_GPU = 1_000;

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    Content {
        tasks = new LinkedHashMap<>(tasks);
    }

    /** One line of it, for people. */
    record Line(String label, String value) {}

    /**
     * The content of a notice of a job.
     *
     * @param state that it came to at that moment
     * @param tasks of an array that has ended
     */
    static Content of(
            Job job, Moment moment, StateName state, Instant at, SortedMap<StateName, Long> tasks, String server) {
        Finished end = job.state() instanceof Finished finished && state.isFinal() ? finished : null;
        Outcome outcome = end == null ? null : end.outcome();
        Map<String, Long> counts = new TreeMap<>();
        tasks.forEach((name, count) -> counts.put(name.name(), count));
        int milli = job.spec().gpus().milli();
        return new Content(
                job.id().value(),
                job.number(),
                job.spec().name(),
                job.spec().project(),
                job.owner().name(),
                moment.word(),
                state.name(),
                outcome == null ? null : outcome.reason().name(),
                outcome == null ? null : outcome.sentence(),
                outcome == null ? null : outcome.exitCode(),
                end == null ? null : end.ran().toSeconds(),
                milli % WHOLE_GPU == 0
                        ? Long.toString(Math.round(milli / WHOLE_GPU))
                        : Double.toString(milli / WHOLE_GPU),
                job.state().attempt(),
                counts,
                at.toString(),
                server);
    }

    /** What a receiver is told that its user tries out. */
    static Content test(String user, Instant at, String server) {
        String sentence = "This is a test of berth notify. It is about no job.";
        return new Content(
                0,
                "0",
                "test",
                "test",
                user,
                "test",
                "COMPLETED",
                null,
                sentence,
                null,
                null,
                "0",
                0,
                Map.of(),
                at.toString(),
                server);
    }

    static Content parse(String json) {
        try {
            return MAPPER.readValue(json, Content.class);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a notice of the database is no JSON", e);
        }
    }

    String json() {
        try {
            return MAPPER.writeValueAsString(this);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a notice is no JSON", e);
        }
    }

    /** One line that says it all. */
    String title() {
        String what = switch (moment) {
            case "start" -> "has started";
            case "test" -> "is a test";
            default -> "ended: " + state;
        };
        return (tasks.isEmpty() ? "Job " : "Array ") + number + " (" + OneLine.of(name, MAX_SENTENCE) + ") " + what;
    }

    /** The lines below it. */
    List<Line> lines() {
        List<Line> lines = new ArrayList<>();
        if (sentence != null && !sentence.isBlank()) {
            lines.add(new Line("Reason", OneLine.of(sentence, MAX_SENTENCE)));
        }
        if (exitCode != null) {
            lines.add(new Line("Exit code", exitCode.toString()));
        }
        if (!tasks.isEmpty()) {
            List<String> counts = new ArrayList<>();
            tasks.forEach((name, count) -> counts.add(count + " " + name));
            lines.add(new Line("Tasks", String.join(", ", counts)));
        }
        if (seconds != null) {
            lines.add(new Line("Ran for", Durations.inWords(Duration.ofSeconds(seconds))));
        }
        lines.add(new Line("GPUs", gpus));
        lines.add(new Line("Project", OneLine.of(project, MAX_SENTENCE)));
        lines.add(new Line("User", OneLine.of(user, MAX_SENTENCE)));
        lines.add(new Line("Server", OneLine.of(server, MAX_SENTENCE)));
        return lines;
    }
}
