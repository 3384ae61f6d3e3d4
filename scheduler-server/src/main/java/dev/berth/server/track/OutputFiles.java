package dev.berth.server.track;

import dev.berth.core.job.Job;
import dev.berth.core.job.TrackSources;
import dev.berth.core.machine.Attempt;
import dev.berth.core.text.HarmlessText;
import dev.berth.server.code.Workspaces;
import dev.berth.server.store.track.Reading;
import dev.berth.server.store.track.Reading.Position;
import dev.berth.server.track.OutputSource.Kind;
import dev.berth.server.track.OutputWalk.Opened;
import dev.berth.server.track.OutputWalk.Stamp;
import dev.berth.server.track.source.Cw2Csv;
import dev.berth.server.track.source.Problem;
import dev.berth.server.track.source.SourceRead;
import dev.berth.server.track.source.TensorBoardEvents;
import java.io.IOException;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a job writes into its output for other tools: TensorBoard's event files and CW2's tables. The metrics of the first
 * directory that holds event files, and those of the first table, have the names that they have there; those of others are
 * preceded by where they stand. All is counted to the job's first attempt: an output is that of all its attempts. For one
 * thread.
 */
final class OutputFiles {
    /** Files of which a job's metrics may come. */
    static final int MAX_FILES = 1_000;

    /** What is read of one event file at a time. */
    private static final long MAX_BYTES = 4L << 20;

    /** What is read in one look, beyond which no further file is begun. */
    private static final long MAX_LOOK_BYTES = 64L << 20;

    private static final int MAX_LOOK_ENTRIES = 50_000;

    /** What is read of all event files of a job together. */
    private static final long MAX_ALL_BYTES = 4L << 30;

    /** What TensorBoard calls the directory that all is below. */
    private static final String OUTPUT = ".";

    private static final String TOLD = "told:";

    private final Attempt attempt;
    private final TrackSources sources;
    private final Map<String, Position> known;
    private final Map<String, Stamp> seen = new HashMap<>();
    private int fileCount;
    private long eventBytes;

    /** Those that the look finds, of which nothing is kept yet. */
    private int freshCount;

    private boolean isTooMany;
    private boolean isTooLarge;

    /**
     * What was read in a look.
     *
     * @param hasMore whether there is more to read at once
     */
    record Look(List<Reading> readings, boolean hasMore) {}

    /**
     * The output of a job.
     *
     * @param known how far its sources were read before, by name
     */
    OutputFiles(Job job, Map<String, Position> known) {
        this.attempt = new Attempt(job.id(), 1);
        this.sources = job.spec().sources();
        this.known = new HashMap<>(known);
        known.forEach(this::count);
    }

    private void count(String source, Position position) {
        if (OutputSource.isName(source)) {
            fileCount++;
            eventBytes += source.startsWith(Kind.EVENTS.mark()) ? position.bytes() : 0;
        }
    }

    /** Whether anything was found in it. */
    boolean isAny() {
        return !known.isEmpty();
    }

    /** Reads what is new; it counts as read once {@link #keep} is told of it. */
    Look look(Workspaces workspaces, Job job) throws IOException {
        OutputWalk.load();
        freshCount = 0;
        isTooMany = false;
        isTooLarge = false;
        List<Reading> readings = new ArrayList<>();
        try (OutputWalk walk = new OutputWalk(this::isWanted)) {
            Optional<OutputWalk> walked = workspaces.look(job, walk::through);
            boolean isAll = walked.isEmpty() || readAll(walk.opened(), readings);
            if (walk.isCut()) {
                tell(
                        readings,
                        "OUTPUT_TOO_LARGE",
                        "The output has more names than are looked at for files of TensorBoard and CW2 (20,000); others are not"
                                + " read.");
            }
            if (isTooMany) {
                tell(
                        readings,
                        "TOO_MANY_FILES",
                        "The output has more than 1,000 files of TensorBoard and CW2; others are not read.");
            }
            if (isTooLarge) {
                tell(
                        readings,
                        "EVENTS_TOO_LARGE",
                        "The files of TensorBoard's events are larger than 4 GiB together; they are read no further.");
            }
            return new Look(readings, walk.hasMore() || !isAll);
        }
    }

    /** Called with the rights of the output's owner. */
    private boolean isWanted(OutputSource source, Stamp stamp) {
        if (!sources.has(source.kind().asked())) {
            return false;
        }
        Position before = known.get(source.name());
        if (before == null && fileCount + freshCount >= MAX_FILES) {
            isTooMany = true;
            return false;
        }
        freshCount += before == null ? 1 : 0;
        if (source.kind() == Kind.EVENTS && eventBytes > MAX_ALL_BYTES) {
            isTooLarge = true;
            return false;
        }
        return (before == null || !before.isDone()) && !stamp.equals(seen.get(source.name()));
    }

    /** False where a bound kept some of it from being read. */
    private boolean readAll(List<Opened> files, List<Reading> readings) throws IOException {
        long bytes = 0;
        int entries = 0;
        boolean isAll = true;
        for (Opened file : files) {
            if (bytes > MAX_LOOK_BYTES || entries > MAX_LOOK_ENTRIES) {
                return false;
            }
            Position from = known.getOrDefault(file.source().name(), Position.START);
            Reading reading = new Reading(attempt, file.source().name(), from);
            boolean hasMore = read(file, reading, runOf(file.source(), readings));
            if (hasMore) {
                isAll = false;
            } else {
                seen.put(file.source().name(), file.stamp());
            }
            // One in which nothing is yet counts among those that are kept, whose number has a bound.
            if (!reading.position().equals(from)
                    || !known.containsKey(file.source().name())) {
                readings.add(reading);
            }
            entries += reading.size();
            bytes += Math.min(
                    file.stamp().size(),
                    file.source().kind() == Kind.EVENTS
                            ? MAX_BYTES
                            : file.stamp().size());
        }
        return isAll;
    }

    /** What stands before the metrics of a file; which is the first of its kind is found here, and kept. */
    private String runOf(OutputSource source, List<Reading> readings) {
        String mark = source.kind().first();
        String first = null;
        for (String name : known.keySet()) {
            first = name.startsWith(mark) ? name.substring(mark.length()) : first;
        }
        for (Reading reading : readings) {
            first = reading.source().startsWith(mark) ? reading.source().substring(mark.length()) : first;
        }
        if (first == null) {
            first = source.run();
            readings.add(new Reading(attempt, mark + first, Position.START));
        }
        if (source.run().equals(first)) {
            return "";
        }
        return source.run().isEmpty() ? OUTPUT : source.run();
    }

    private static boolean read(Opened file, Reading reading, String run) throws IOException {
        long from = reading.position().bytes();
        SourceRead read = file.source().kind() == Kind.EVENTS
                ? TensorBoardEvents.read(
                        file.channel(), from, run, MAX_BYTES, reading::add, problem -> omit(reading, problem))
                : Cw2Csv.read(
                        file.channel(), from, run, ZoneOffset.UTC, reading::add, problem -> omit(reading, problem));
        Problem stop = read.stop();
        if (stop != null) {
            reading.omit(
                    stop.kind().name(),
                    HarmlessText.of(file.source().path()) + ": " + stop.kind().sentence());
        }
        reading.readTo(new Position(read.position(), false, stop != null));
        return read.hasMore();
    }

    /** Leaves out what is told once of a job, and kept as said. */
    void tell(List<Reading> readings, String kind, String sentence) {
        String name = TOLD + kind;
        boolean isToldNow =
                readings.stream().anyMatch(reading -> reading.source().equals(name));
        if (!known.containsKey(name) && !isToldNow) {
            Reading told = new Reading(attempt, name, Position.START);
            told.omit(kind, sentence);
            readings.add(told);
        }
    }

    static void omit(Reading reading, Problem problem) {
        reading.omit(
                problem.kind().name(),
                problem.kind().sentence() + (problem.sample().isEmpty() ? "" : " It begins: " + problem.sample()));
    }

    /** Something that was read is kept now. */
    void keep(Reading reading) {
        Position before = known.put(reading.source(), reading.position());
        if (OutputSource.isName(reading.source())) {
            fileCount += before == null ? 1 : 0;
            if (reading.source().startsWith(Kind.EVENTS.mark())) {
                eventBytes += reading.position().bytes() - (before == null ? 0 : before.bytes());
            }
        }
    }
}
