package dev.berth.server;

import dev.berth.server.runner.docker.ContainerEngine;
import dev.berth.server.runner.docker.ContainerNames;
import dev.berth.server.store.JobStore;
import dev.berth.server.store.database.BackupException;
import dev.berth.server.store.database.Backups;
import dev.berth.server.store.database.Restoration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** An empty queue is right at the very first start; later it means that a database is missing. */
final class FirstStart {
    private FirstStart() {}

    /**
     * Refuses to begin with an empty queue in the place of a queue that is lost.
     *
     * @param anew whether the operator wants just that
     */
    static void require(DataDirectory data, boolean anew, Instant now) {
        Path database = data.database();
        if (!JobStore.isMissing(database)) {
            if (anew) {
                throw StartException.usage("--new-database: there is a database, " + database
                        + "; leave the option out, or move the database away first");
            }
            return;
        }
        List<String> traces = traces(data);
        if (!traces.isEmpty() && !anew) {
            throw StartException.failed("the database " + database + (Files.exists(database) ? " is empty" : " is gone")
                    + ", but this is no first start: there is " + String.join(" and ", traces) + ". "
                    + Backups.beside(database).wayOut()
                    + "; or begin with an empty queue: berth server start --new-database");
        }
        try {
            var _ = new Restoration(database).clear(now);
        } catch (BackupException e) {
            throw StartException.failed(e.sentence());
        }
    }

    /**
     * Refuses an empty queue where jobs run that were started from another data directory in this place: it knows nothing of
     * them, nor of the GPUs that they have.
     *
     * @param anew whether the operator wants just that
     * @return what is to be said where it goes on all the same
     */
    static Optional<String> requireNoContainers(DataDirectory data, boolean anew, ContainerEngine engine) {
        if (!JobStore.isMissing(data.database())) {
            return Optional.empty();
        }
        String place = ContainerNames.directory(data.path());
        List<String> left = engine.running(ContainerNames.DIRECTORY_LABEL, place);
        if (left.isEmpty()) {
            return Optional.empty();
        }
        String first = left.getFirst();
        String had = " of a server that had its data in " + place + " before still run";
        String run = left.size() == 1
                ? "the container " + first + had + "s"
                : left.size() + " containers, of which " + first + " is the first," + had;
        if (anew) {
            return Optional.of(run + "; Berth knows nothing of what is in there, and neither stops nor removes it");
        }
        throw StartException.failed("the data directory " + place + " is new, but " + run + ". Put the former directory"
                + " back, or wait until they have ended (docker ps --filter label="
                + ContainerNames.DIRECTORY_LABEL + "=" + place
                + "), or begin with an empty queue beside them: berth server start --new-database");
    }

    private static List<String> traces(DataDirectory data) {
        List<String> traces = new ArrayList<>();
        Path log = data.database().resolveSibling(data.database().getFileName() + "-wal");
        try {
            for (Path directory : List.of(data.jobs(), data.snapshots())) {
                if (holdsSomething(directory)) {
                    traces.add("something in " + directory);
                }
            }
            Path backups = Backups.beside(data.database()).directory();
            if (Files.exists(backups)) {
                traces.add("a directory " + backups);
            }
            if (Files.exists(log) && Files.size(log) > 0) {
                traces.add("a log " + log);
            }
            return traces;
        } catch (IOException e) {
            throw StartException.failed("the data directory " + data.path() + " cannot be read: " + e);
        }
    }

    private static boolean holdsSomething(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.findAny().isPresent();
        }
    }
}
