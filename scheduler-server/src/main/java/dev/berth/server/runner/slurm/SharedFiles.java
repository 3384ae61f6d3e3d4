package dev.berth.server.runner.slurm;

import dev.berth.core.job.Submitter;
import dev.berth.core.text.Utf8;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.slurm.UserPrograms.Bounds;
import dev.berth.server.runner.target.ArrayRefusedException;
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
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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

    /** The most jobs in a call: the other side of ssh gets all arguments as one word (execve(2): 128 KiB). */
    static final int JOBS_A_CALL = 200;

    /** For what a program may have left, however large. */
    private static final Duration OUTPUTS = Duration.ofHours(6);

    /** For the copy of a snapshot, for each task. */
    private static final Duration COPY = Duration.ofSeconds(10);

    private static final int MAX_QUOTED = 200;
    private static final int MAX_ANSWER = 64 << 10;
    private static final int MAX_OF_STREAM = 1 << 20;
    private static final int MAX_OF_LOOK = 8 << 20;
    private static final int HEADERS = 1 << 20;

    private static final Pattern END = Pattern.compile("([a-z0-9/-]+) (\\d{1,3}) (\\d{1,15})(?: ([a-z]+))?");

    /** How far a hand-over has come. */
    enum Reached {
        /** Slurm has it. */
        HANDED,
        /** Slurm may have it: it was begun before, nobody knows how far that went, and nothing was done. */
        THERE
    }

    /**
     * The end of a program, as it was told by the script that was to start it.
     *
     * @param why the word for why it never began; null where it did
     */
    record ToldEnd(int code, Instant at, @Nullable String why) {}

    /**
     * Lays the files of a hand-over out and gives it to Slurm.
     *
     * @param isNotThere whether Slurm is known not to have it, and earlier runs of the same are over
     * @param turn more than that of any earlier run of the same hand-over, as far as is known
     * @throws ArrayRefusedException where {@code sbatch} does not take these tasks as an array, and has none of them
     */
    Reached handOver(BatchScript script, boolean isNotThere, long turn) {
        Said said = run(script, isNotThere, turn);
        if (said.code() == SharedScripts.LATER_TURN) {
            // The clock was set back: there is no other server of these jobs.
            said = run(script, isNotThere, later(said.text()));
        }
        return reached(script, said);
    }

    private static long later(String turn) {
        try {
            return Long.parseLong(turn.strip()) + 1;
        } catch (NumberFormatException e) {
            throw new EngineException(Kind.FAILING, "the file of turns in the job's directory has no number", e);
        }
    }

    /** One run of the script, of just this turn. */
    Said run(BatchScript script, boolean isNotThere, long turn) {
        Handed handed = script.tasks().getFirst().handed();
        Snapshot snapshot = script.tasks().getFirst().directory().orElse(null);
        byte[] text = script.text().getBytes(StandardCharsets.UTF_8);
        List<byte[]> files = script.tasks().stream()
                .map(task -> script.program(task).getBytes(StandardCharsets.UTF_8))
                .toList();
        List<String> arguments = new ArrayList<>(place());
        Duration deadline = programs.settings().deadline();
        arguments.addAll(List.of(
                handed.name(),
                Long.toString(turn),
                Long.toString(Math.max(1, deadline.toSeconds() / 2)),
                Long.toString(Math.max(1, deadline.toSeconds())),
                isNotThere ? "known" : "ask",
                snapshot == null ? "none" : "archive",
                script.isArray() ? "array" : "one",
                Integer.toString(text.length),
                IntStream.range(0, files.size())
                        .mapToObj(i -> directory(script.tasks().get(i).handed()) + ":" + files.get(i).length)
                        .collect(Collectors.joining(" "))));
        arguments.addAll(programs.named(script.command()));
        return programs.shell(
                handed.owner(),
                SharedScripts.HAND_OVER,
                arguments,
                to -> {
                    to.write(text);
                    for (byte[] file : files) {
                        to.write(file);
                    }
                    if (snapshot != null) {
                        snapshot.writeTo(to);
                    }
                },
                new Bounds(longer().plus(COPY.multipliedBy(files.size())), MAX_ANSWER));
    }

    private static String directory(Handed handed) {
        return handed.task() == null ? "." : handed.task().toString();
    }

    private Reached reached(BatchScript script, Said said) {
        String sbatch = "sbatch " + programs.place();
        switch (said.code()) {
            case SharedScripts.NOT_ITS_TURN ->
                throw new EngineException(
                        Kind.FAILING,
                        "an earlier hand-over of it has not ended yet " + programs.place() + "; it is tried again");
            case SharedScripts.NOT_PLAIN ->
                throw new EngineException(
                        Kind.REFUSED,
                        "the path of the shared directory has characters that Slurm reads as its own, or is none; set"
                                + " targets.NAME.slurm.directory to a path of letters, digits and / . _ + @ ~ -");
            case SharedScripts.LATE ->
                throw new EngineException(
                        Kind.UNREACHABLE,
                        SlurmSentences.late(sbatch, programs.settings().deadline(), said.error()));
            case 0, SharedScripts.NOT_OWN, SharedScripts.NOT_DONE -> {}
            default -> {
                EngineException failure = SlurmSentences.of(sbatch, said);
                if (script.isArray() && (failure.kind() == Kind.REFUSED || SlurmSentences.isOfLimit(said))) {
                    throw new ArrayRefusedException(failure, script.handed());
                }
                throw failure;
            }
        }
        String answer = checked(said).text().strip();
        if (answer.equals("there")) {
            return Reached.THERE;
        }
        if (!answer.equals("handed") && SlurmText.submitted(answer).isEmpty()) {
            throw new EngineException(
                    Kind.FAILING, sbatch + " said no number of a job: " + Utf8.cut(answer, MAX_QUOTED));
        }
        return Reached.HANDED;
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
        for (int from = 0; from < readings.size(); from += JOBS_A_CALL) {
            hasMore |= part(who, readings.subList(from, Math.min(readings.size(), from + JOBS_A_CALL)));
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
                arguments.add(reading.handed().path() + "/" + file(stream));
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
    Map<String, ToldEnd> ends(Submitter who, List<String> paths) {
        Map<String, ToldEnd> ends = new HashMap<>();
        run(who, SharedScripts.ENDS, paths, ProgramRun.NOTHING, usual(MAX_ANSWER + paths.size() * 100))
                .text()
                .lines()
                .map(END::matcher)
                .filter(Matcher::matches)
                .forEach(end -> ends.put(
                        end.group(1),
                        new ToldEnd(
                                Integer.parseInt(end.group(2)),
                                Instant.ofEpochSecond(Long.parseLong(end.group(3))),
                                end.group(4))));
        return ends;
    }

    /** Brings what a program has left in its output directory. */
    void fetch(Handed handed, Path into) {
        List<String> all = new ArrayList<>(place());
        all.add(handed.path());
        Said _ = checked(
                programs.unpack(handed.owner(), into, SharedScripts.PACK, all, new Bounds(OUTPUTS, MAX_ANSWER)));
    }

    /** The paths of those, of one user, whose programs have left something in their output directories. */
    Set<String> filled(Submitter who, List<Handed> handed) {
        return run(who, SharedScripts.FILLED, paths(handed), ProgramRun.NOTHING, usual(MAX_ANSWER))
                .text()
                .lines()
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Removes the directories of those, of one user. */
    Removal remove(Submitter who, List<Handed> handed) {
        List<String> all = new ArrayList<>(place());
        all.addAll(paths(handed));
        Said said =
                programs.shell(who, SharedScripts.REMOVE, all, ProgramRun.NOTHING, new Bounds(longer(), MAX_ANSWER));
        if (said.code() != SharedScripts.SOME_LEFT) {
            Said _ = checked(said);
        }
        return new Removal(
                said.text().lines().collect(Collectors.toUnmodifiableSet()),
                SlurmSentences.ofFiles(programs.place(), said.error()));
    }

    /**
     * What came of a removal.
     *
     * @param paths that are gone
     * @param failure the sentence of the others
     */
    record Removal(Set<String> paths, String failure) {
        /** Fails where one is still there. */
        void check(String path) {
            if (!paths.contains(path)) {
                throw new EngineException(Kind.FAILING, failure);
            }
        }
    }

    private static List<String> paths(List<Handed> handed) {
        return handed.stream().map(Handed::path).toList();
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
                                + ", so that others could read what comes there; remove it, or set"
                                + " targets.NAME.slurm.directory to another");
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
