package dev.berth.cli.command;

import dev.berth.cli.client.ArchiveReader;
import dev.berth.cli.client.BerthClient;
import dev.berth.cli.client.WorkingDirectory;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.fetch.Unpacking;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import dev.berth.cli.output.Fetched;
import dev.berth.cli.output.Screen;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** {@code berth get}: fetches what a job wrote to its output directory. */
final class Get implements Verb {
    private static final String OUTPUT = "--output";
    private static final String FORCE = "--force";
    private static final String DIFF = "--diff";
    private static final String STANDARD_OUTPUT = "-";
    private static final int BUFFER_BYTES = 64 * 1024;

    @Override
    public Shape shape() {
        return Shape.of(
                        "get",
                        "<id> [<path>]",
                        "Fetch what a job wrote to its output directory, or one file or directory of it.",
                        "",
                        "It is unpacked into the directory job-ID. Nothing is written outside of it, and links that lead out"
                                + " of it are left out.",
                        "")
                .value("DIR", "Unpack into this directory; - writes a tar archive to standard output.", "-o", OUTPUT)
                .flag("Replace files that are there already.", FORCE)
                .flag("Print what the submitted directory differed from its git commit instead.", DIFF)
                .examples(
                        "berth get 17",
                        "berth get last model/best.pt",
                        "berth get 17 -o results",
                        "berth get 17 --diff",
                        "berth get 17 -o - | tar -tv");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        List<String> words = arguments.words();
        if (words.size() > 2) {
            throw Failure.usage("berth get takes one job id and one path, not '" + words.get(2) + "'");
        }
        BerthClient client = session.client();
        JobIds ids = new JobIds(client);
        String path = words.size() < 2 ? "" : words.get(1);
        String target = arguments.value(OUTPUT);
        boolean piped = STANDARD_OUTPUT.equals(target);
        if (piped && session.environment().screen().columns() > 0) {
            throw Failure.usage("-o -: standard output is a terminal, and the archive no text; send it to a file or a"
                    + " program, for example berth get 17 -o - | tar -tv");
        }
        long id = JobIds.only("get", ids.of("get", words.isEmpty() ? words : words.subList(0, 1)));
        boolean isUnpacked = !piped && !arguments.has(DIFF);
        Path directory = directory(target == null ? "job-" + id : target, isUnpacked);
        if (arguments.has(DIFF)) {
            try (ArchiveReader diff = client.diff(id)) {
                return copy(diff, session.environment().screen());
            }
        }
        try (ArchiveReader archive = client.output(id, path)) {
            return piped
                    ? copy(archive, session.environment().screen())
                    : unpack(
                            archive,
                            id,
                            new Unpacking(directory, target != null, arguments.has(FORCE)),
                            directory,
                            session);
        }
    }

    private static Path directory(String text, boolean isUnpacked) {
        try {
            return Path.of(isUnpacked ? WorkingDirectory.checked("berth get", text) : text);
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

    private static int unpack(ArchiveReader archive, long id, Unpacking unpacking, Path directory, Session session)
            throws IOException {
        unpacking.of(archive.bytes());
        session.output().fetched(new Fetched(id, directory.toString(), unpacking.files(), unpacking.bytes()));
        List<String> missing = new ArrayList<>();
        if (unpacking.leftOut() != null) {
            missing.add("because it leads out of the directory or cannot be made here: " + unpacking.leftOut()
                    + "; berth get " + id + " -o - gives the archive as it is");
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
