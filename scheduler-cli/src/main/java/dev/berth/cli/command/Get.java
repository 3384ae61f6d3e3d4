package dev.berth.cli.command;

import dev.berth.cli.client.ArchiveReader;
import dev.berth.cli.client.BerthClient;
import dev.berth.cli.client.JobQuery;
import dev.berth.cli.client.WorkingDirectory;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.fetch.Unpacking;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import dev.berth.cli.output.Fetched;
import dev.berth.cli.output.Screen;
import dev.berth.cli.output.text.TasksText;
import dev.berth.core.api.JobView;
import dev.berth.core.option.TaskForms;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** {@code berth get}: fetches what a job wrote to its output directory. */
final class Get implements Verb {
    private static final String OUTPUT = "--output";
    private static final String FORCE = "--force";
    private static final String DIFF = "--diff";
    private static final String SNAPSHOT = "--snapshot";
    private static final String STANDARD_OUTPUT = "-";
    private static final String NO_OUTPUT = "NO_OUTPUT";
    private static final int BUFFER_BYTES = 64 * 1024;

    /**
     * The output that a line asks for.
     *
     * @param number what people call the job
     * @param path the part of its output, empty for all
     * @param target where it goes, null for a directory of the job's name
     * @param force whether files that are there are replaced
     * @param isSnapshot whether it is the submitted directory that is asked for
     */
    private record Wanted(
            long id, String number, String path, @Nullable String target, boolean force, boolean isSnapshot) {
        String directory() {
            return target != null ? target : "job-" + number + (isSnapshot ? "-snapshot" : "");
        }

        ArchiveReader archive(BerthClient client) throws IOException {
            return isSnapshot ? client.snapshot(id) : client.output(id, path);
        }
    }

    @Override
    public Shape shape() {
        return Shape.of(
                        "get",
                        "<id> [<path>]",
                        "Fetch what a job wrote to its output directory, or one file or directory of it.",
                        "",
                        "It is unpacked into the directory job-ID, and with -o DIR into DIR; of an array, each task's"
                                + " into its own, job-42_7 or DIR/42_7. Nothing is written outside of it, and links that lead out"
                                + " of it are left out.",
                        "")
                .value("DIR", "Unpack into this directory; - writes a tar archive to standard output.", "-o", OUTPUT)
                .flag("Replace files that are there already.", FORCE)
                .flag("Print what the submitted directory differed from its git commit instead.", DIFF)
                .flag("Fetch the directory that it was submitted with instead, into job-ID-snapshot.", SNAPSHOT)
                .examples(
                        "berth get 17",
                        "berth get last model/best.pt",
                        "berth get 17 -o results",
                        "berth get 42_7",
                        "berth get 17 --diff",
                        "berth get 17 --snapshot",
                        "berth get 17 -o - | tar -tv");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        List<String> words = arguments.words();
        if (words.size() > 2) {
            throw Failure.usage("berth get takes one job id and one path, not '" + words.get(2) + "'");
        }
        if (arguments.has(SNAPSHOT) && (arguments.has(DIFF) || words.size() > 1)) {
            throw Failure.usage(
                    SNAPSHOT + " fetches the whole submitted directory; it goes with neither " + DIFF + " nor a path");
        }
        BerthClient client = session.client();
        String target = arguments.value(OUTPUT);
        if (STANDARD_OUTPUT.equals(target) && session.environment().screen().columns() > 0) {
            throw Failure.usage("-o -: standard output is a terminal, and the archive no text; send it to a file or a"
                    + " program, for example berth get 17 -o - | tar -tv");
        }
        long id = JobIds.only("get", new JobIds(client).of("get", words.isEmpty() ? words : words.subList(0, 1)));
        if (arguments.has(DIFF)) {
            try (ArchiveReader diff = client.diff(id)) {
                return copy(diff, session.environment().screen());
            }
        }
        Wanted wanted = new Wanted(
                id,
                JobIds.number(words.getFirst(), id),
                words.size() < 2 ? "" : words.get(1),
                target,
                arguments.has(FORCE),
                arguments.has(SNAPSHOT));
        try {
            return fetch(wanted, client, session);
        } catch (Failure refused) {
            if (!refused.error().code().equals(NO_OUTPUT)) {
                throw refused;
            }
            JobView job = client.job(id);
            if (job.tasks() == null) {
                throw refused;
            }
            return fetchTasks(job, wanted, client, session);
        }
    }

    private static int fetch(Wanted wanted, BerthClient client, Session session) throws IOException {
        if (STANDARD_OUTPUT.equals(wanted.target())) {
            try (ArchiveReader archive = wanted.archive(client)) {
                return copy(archive, session.environment().screen());
            }
        }
        Path directory = directory(wanted.directory());
        try (ArchiveReader archive = wanted.archive(client)) {
            return unpack(
                    archive,
                    wanted,
                    new Unpacking(directory, wanted.target() != null, wanted.force()),
                    directory,
                    session);
        }
    }

    /** An array has no output of its own: that of each task goes into a directory of its own. */
    private static int fetchTasks(JobView array, Wanted wanted, BerthClient client, Session session)
            throws IOException {
        String target = wanted.target();
        if (STANDARD_OUTPUT.equals(target)) {
            throw Failure.usage("-o -: array " + array.number() + " has an output for each task; fetch one of them, as"
                    + " by berth get " + TasksText.firstTask(array) + " -o -");
        }
        Map<Long, String> numbers = new LinkedHashMap<>();
        JobQuery tasks = JobQuery.of(JobQuery.ALL, TaskForms.MAX_TASKS).ofArray(array.id());
        client.jobs(tasks).jobs().reversed().forEach(task -> numbers.put(task.id(), task.number()));
        if (numbers.isEmpty()) {
            throw Failure.of(
                    ExitCode.REFUSED,
                    NO_OUTPUT,
                    "array " + array.number() + " has no output: none of its tasks has had its turn");
        }
        return EachJob.of(List.copyOf(numbers.keySet()), session, id -> {
            String number = Objects.requireNonNull(numbers.get(id));
            String own = target == null ? null : target + "/" + number;
            return fetch(new Wanted(id, number, wanted.path(), own, wanted.force(), false), client, session);
        });
    }

    private static Path directory(String text) {
        try {
            return Path.of(WorkingDirectory.checked("berth get", text));
        } catch (InvalidPathException impossible) {
            throw Failure.usage("-o: '" + text + "' is no path: " + impossible.getReason());
        }
    }

    private static int copy(ArchiveReader archive, Screen screen) throws IOException {
        byte[] buffer = new byte[BUFFER_BYTES];
        for (int count = archive.bytes().read(buffer);
                count >= 0;
                count = archive.bytes().read(buffer)) {
            screen.bytes(buffer, count);
        }
        return ExitCode.OK;
    }

    private static int unpack(
            ArchiveReader archive, Wanted wanted, Unpacking unpacking, Path directory, Session session)
            throws IOException {
        unpacking.of(archive.bytes());
        session.output()
                .fetched(new Fetched(
                        wanted.id(), wanted.number(), directory.toString(), unpacking.files(), unpacking.bytes()));
        List<String> missing = new ArrayList<>();
        if (unpacking.leftOut() != null) {
            missing.add("because it leads out of the directory or cannot be made here: " + unpacking.leftOut()
                    + "; berth get " + wanted.number() + " -o - gives the archive as it is");
        }
        if (unpacking.unread() != null) {
            missing.add("because the job's owner may not read it: " + unpacking.unread());
        }
        if (!missing.isEmpty()) {
            throw Failure.of(ExitCode.REFUSED, "LEFT_OUT", "left out, " + String.join("; and ", missing));
        }
        return ExitCode.OK;
    }
}
