package dev.berth.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.system.fixture.JsonReading;
import dev.berth.system.fixture.TestFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.StreamSupport;

/**
 * What one start of a program noted about itself.
 *
 * @param job the number that its environment names
 * @param begin in nanoseconds of the machine's monotonic clock
 * @param lastWall when it took its last note, in nanoseconds since 1970
 * @param granted the GPUs that its environment names
 * @param opened the GPUs that it could open
 * @param contended what it should have had for itself alone, and another had at that instant
 * @param points how far it had come when
 * @param code the exit code that it was about to end with; empty where something ended it
 * @param told whether it got a SIGTERM
 * @param begins how often this attempt began
 * @param container that in which it ran
 */
record Notes(
        String job,
        int attempt,
        long begin,
        long lastWall,
        Set<Integer> granted,
        Set<Integer> opened,
        List<String> contended,
        List<Point> points,
        OptionalInt code,
        boolean told,
        int begins,
        Container container) {

    /**
     * The container of a program.
     *
     * @param job the number of the job that it was made for: the program's own, or that of its pack
     * @param id the kernel's number of it, which no two have that run at the same time
     */
    record Container(String job, long id) {}

    /**
     * How many lines it had written to each stream by the time of a note.
     *
     * @param at as {@link Notes#begin}
     */
    record Point(long at, int out, int err) {
        int lines(String stream) {
            return stream.equals("out") ? out : err;
        }
    }

    /** Whether it ran in the container of a pack. */
    boolean isPacked() {
        return !container.job().equals(job);
    }

    /** Whether it ran when another began. */
    boolean isAliveAt(Notes other) {
        return begin <= other.begin() && other.begin() <= last();
    }

    /** The time of its last note; it lived at least that long. */
    long last() {
        return points.getLast().at();
    }

    /** How many lines it had written to a stream by its last note. */
    int lines(String stream) {
        return points.getLast().lines(stream);
    }

    /** Whether it may have written this line, or a part of it, at that time: the first one on standard error may be slow. */
    boolean mayHaveWritten(String stream, int line, long from, long to) {
        long before = begin;
        for (Point point : points) {
            if (point.lines(stream) >= line) {
                return before <= to && from <= point.at();
            }
            before = line == 1 && stream.equals("err") ? begin : point.at();
        }
        // After its last note.
        return from <= to && before <= to;
    }

    /** All starts of one program, in the order of their attempts; by the name of its notes. */
    static List<Notes> read(Path records, String name) {
        Path file = records.resolve(name);
        if (!Files.exists(file)) {
            return List.of();
        }
        TreeMap<Integer, List<JsonNode>> attempts = new TreeMap<>();
        for (String line : TestFiles.lines(file)) {
            JsonNode note = JsonReading.of(line);
            attempts.computeIfAbsent(note.path("attempt").asInt(), _ -> new ArrayList<>())
                    .add(note);
        }
        return attempts.values().stream().map(Notes::of).toList();
    }

    private static Notes of(List<JsonNode> notes) {
        List<JsonNode> begins = notes.stream().filter(note -> is(note, "begin")).toList();
        JsonNode begin = begins.getFirst();
        JsonNode last = notes.getLast();
        // A SIGTERM may come between the note of the end and the end.
        Optional<JsonNode> end =
                notes.reversed().stream().filter(note -> is(note, "end")).findFirst();
        long told = notes.stream()
                .filter(note -> is(note, "told"))
                .mapToLong(note -> note.path("at").asLong())
                .min()
                .orElse(Long.MAX_VALUE);
        return new Notes(
                begin.path("job").asText(),
                begin.path("attempt").asInt(),
                begin.path("at").asLong(),
                last.path("wall").asLong(),
                numbers(begin.path("granted")),
                numbers(begin.path("opened")),
                JsonReading.strings(begin.path("contended")),
                notes.stream()
                        .map(note -> new Point(
                                note.path("at").asLong(),
                                note.path("out").asInt(),
                                note.path("err").asInt()))
                        .toList(),
                end.map(note -> OptionalInt.of(note.path("code").asInt())).orElse(OptionalInt.empty()),
                told < end.map(note -> note.path("at").asLong()).orElse(Long.MAX_VALUE),
                begins.size(),
                new Container(
                        begin.path("container").path("job").asText(),
                        begin.path("container").path("id").asLong()));
    }

    private static boolean is(JsonNode note, String event) {
        return note.path("event").asText().equals(event);
    }

    private static Set<Integer> numbers(JsonNode array) {
        return new TreeSet<>(StreamSupport.stream(array.spliterator(), false)
                .map(JsonNode::asInt)
                .toList());
    }
}
