package dev.berth.server.runner.slurm;

import dev.berth.core.job.Submitter;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.slurm.UserPrograms.Bounds;
import dev.berth.server.runner.target.Handed;
import dev.berth.server.runner.target.Snapshot;
import dev.berth.server.runner.target.TargetEngine.Reading;
import dev.berth.server.runner.target.TargetEngine.Reading.Stream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The directories of jobs where the nodes see them. All that is done there is done by processes of the submitter's: the server's own
 * rights follow none of these paths. Safe for any thread.
 */
record SharedFiles(UserPrograms programs) {
    static final String OUTPUT = "output";
    static final String ERROR = "error";
    static final String TRACK = "track";

    /** For what takes as long as a snapshot is large. */
    private static final Duration TRANSFER = Duration.ofMinutes(10);

    /** The other side of ssh gets them all as one word (execve(2): 128 KiB). */
    private static final int READINGS_A_CALL = 200;

    /** For what a program may have left, however large. */
    private static final Duration OUTPUTS = Duration.ofHours(6);

    private static final int MAX_ANSWER = 64 << 10;
    private static final int MAX_OF_STREAM = 1 << 20;
    private static final int MAX_OF_LOOK = 8 << 20;
    private static final int HEADERS = 1 << 20;

    /** Slurm reads percent signs and backslashes in file names as its own. */
    private static final Pattern PATH = Pattern.compile("/[\\w/.+@~ -]*");

    private static final Pattern END = Pattern.compile("([a-z0-9-]+) (\\d{1,3}) (\\d{1,15})");

    /** What became of the wish for a job's directory. */
    record Prepared(State state, String path) {
        enum State {
            MADE,
            /** An earlier hand-over has made it, and it is made anew. */
            THERE,
            /** A node has begun the program in it; it is left as it is. */
            BEGUN
        }
    }

    /** The end of a program, as it was told by the script that had started it. */
    record ToldEnd(int code, Instant at) {}

    /** Makes the directory of a job with its program's file, and the snapshot. */
    Prepared prepare(Handed handed, String program, @Nullable Snapshot snapshot) {
        byte[] file = program.getBytes(StandardCharsets.UTF_8);
        Said said = run(
                handed.owner(),
                SharedScripts.PREPARE,
                List.of(handed.name(), Integer.toString(file.length), snapshot == null ? "none" : "archive"),
                to -> {
                    to.write(file);
                    if (snapshot != null) {
                        snapshot.writeTo(to);
                    }
                },
                new Bounds(longer(), MAX_ANSWER));
        List<String> lines = said.text().lines().toList();
        if (lines.size() != 2 || !PATH.matcher(lines.get(1)).matches()) {
            throw new EngineException(
                    Kind.REFUSED,
                    "the path of the shared directory has characters that Slurm reads as its own, or is none; set the"
                            + " target's directory to a path of letters, digits and / . _ + @ ~ -");
        }
        return new Prepared(Prepared.State.valueOf(lines.getFirst().toUpperCase(Locale.ROOT)), lines.get(1));
    }

    /** Where a user's jobs have their directories, once it is known that they can write there. */
    String tried(Submitter who) {
        return run(who, SharedScripts.TRY, List.of(), ProgramRun.NOTHING, usual(MAX_ANSWER))
                .text()
                .strip();
    }

    /** Brings what one user's programs have written; whether there is more. */
    boolean collect(Submitter who, List<Reading> readings) {
        boolean hasMore = false;
        for (int from = 0; from < readings.size(); from += READINGS_A_CALL) {
            hasMore |= part(who, readings.subList(from, Math.min(readings.size(), from + READINGS_A_CALL)));
        }
        return hasMore;
    }

    private boolean part(Submitter who, List<Reading> readings) {
        List<String> arguments =
                new ArrayList<>(List.of(Integer.toString(MAX_OF_STREAM), Integer.toString(MAX_OF_LOOK)));
        List<Part> parts = new ArrayList<>();
        for (Reading reading : readings) {
            for (Stream stream : Stream.values()) {
                parts.add(new Part(reading, stream));
                arguments.add(reading.handed().name() + "/" + file(stream));
                arguments.add(Long.toString(reading.known(stream)));
            }
        }
        Said said = run(who, SharedScripts.COLLECT, arguments, ProgramRun.NOTHING, usual(MAX_OF_LOOK + HEADERS));
        return new Frames(said.output()).handOut(parts);
    }

    /** A stream of a reading. */
    record Part(Reading reading, Stream stream) {
        void take(byte[] bytes) {
            try {
                reading.take(stream, bytes);
            } catch (IOException e) {
                throw new EngineException(Kind.FAILING, "what a job has written could not be kept: " + e, e);
            }
        }
    }

    private static String file(Stream stream) {
        return switch (stream) {
            case OUTPUT -> OUTPUT;
            case ERROR -> ERROR;
            case TRACK -> TRACK;
        };
    }

    /** The ends that programs of one user have told. */
    Map<String, ToldEnd> ends(Submitter who, List<String> names) {
        Map<String, ToldEnd> ends = new HashMap<>();
        run(who, SharedScripts.ENDS, names, ProgramRun.NOTHING, usual(MAX_ANSWER + names.size() * 100))
                .text()
                .lines()
                .map(END::matcher)
                .filter(Matcher::matches)
                .forEach(end -> ends.put(
                        end.group(1),
                        new ToldEnd(
                                Integer.parseInt(end.group(2)), Instant.ofEpochSecond(Long.parseLong(end.group(3))))));
        return ends;
    }

    /** Brings what a program has left in its output directory. */
    void fetch(Handed handed, Path into) {
        List<String> all = new ArrayList<>(place());
        all.add(handed.name());
        Said _ = checked(
                programs.unpack(handed.owner(), into, SharedScripts.PACK, all, new Bounds(OUTPUTS, MAX_ANSWER)));
    }

    void remove(Handed handed) {
        Said _ = run(
                handed.owner(),
                SharedScripts.REMOVE,
                List.of(handed.name()),
                ProgramRun.NOTHING,
                new Bounds(longer(), MAX_ANSWER));
    }

    private Said run(Submitter who, String script, List<String> arguments, ProgramRun.Input input, Bounds bounds) {
        List<String> all = new ArrayList<>(place());
        all.addAll(arguments);
        return checked(programs.shell(who, script, all, input, bounds));
    }

    private Said checked(Said said) {
        return switch (said.code()) {
            case 0 -> said;
            case SharedScripts.NOT_OWN ->
                throw new EngineException(
                        Kind.REFUSED,
                        "the shared directory: " + said.error().strip()
                                + ", so that others could read what comes there; remove it, or set the target's"
                                + " directory to another");
            case SharedScripts.NOT_DONE ->
                throw new EngineException(Kind.FAILING, SlurmSentences.ofFiles(programs.place(), said.error()));
            default -> throw SlurmSentences.of("the look at the shared directory " + programs.place(), said);
        };
    }

    private Bounds usual(int mostBytes) {
        return new Bounds(programs.settings().deadline(), mostBytes);
    }

    private Duration longer() {
        Duration usual = programs.settings().deadline();
        return usual.compareTo(TRANSFER) > 0 ? usual : TRANSFER;
    }

    private List<String> place() {
        String directory = programs.settings().directory();
        return directory.equals("~") || directory.startsWith("~/")
                ? List.of("home", directory.substring(Math.min(2, directory.length())))
                : List.of("shared", directory);
    }
}
