package dev.berth.server;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.berth.core.api.CheckView;
import dev.berth.server.store.JobStore;
import dev.berth.server.store.database.BackupException;
import dev.berth.server.store.database.Backups;
import dev.berth.server.store.database.Restoration;
import dev.berth.server.store.database.Restoration.Restored;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The database of a server that does not run, held meanwhile so that none starts.
 *
 * @param place the data directory
 * @param json whether the answer is for programs
 */
record OfflineDatabase(Path place, boolean json) {
    /** The output of {@code berth server restore --json}. */
    private record RestoredView(
            String file,
            String backup,
            @Nullable String setAside,
            long jobs,
            long newestJob,
            @Nullable String newestAt,
            List<String> passedOver) {}

    /** Looks through all of it. */
    List<String> check() {
        if (!Files.isDirectory(place)) {
            throw StartException.failed("there is no data directory " + place + "; name it by --data-dir");
        }
        try (DataDirectory data = DataDirectory.hold(place)) {
            if (JobStore.isMissing(data.database())) {
                throw StartException.failed("there is no database " + data.database() + ". "
                        + Backups.beside(data.database()).wayOut());
            }
            Backups backups = Backups.beside(data.database());
            List<String> problems = backups.problems();
            CheckView view =
                    new CheckView(data.database().toString(), problems.isEmpty(), problems, backups.verdict(problems));
            if (!problems.isEmpty()) {
                throw StartException.failed(json ? json(view) : view.sentence());
            }
            return List.of(json ? json(view) : view.sentence());
        }
    }

    /**
     * Brings a backup back.
     *
     * @param backup null for the newest good one
     */
    List<String> restore(@Nullable Path backup, Instant now) {
        try (DataDirectory data = DataDirectory.hold(place)) {
            Restored restored = new Restoration(data.database()).from(backup, now);
            return json ? List.of(json(view(data, restored))) : lines(data, restored);
        } catch (BackupException e) {
            throw StartException.failed(e.sentence());
        }
    }

    private static RestoredView view(DataDirectory data, Restored restored) {
        Path aside = restored.setAside();
        Instant newestAt = restored.newestAt();
        return new RestoredView(
                data.database().toString(),
                restored.backup().toString(),
                aside == null ? null : aside.toString(),
                restored.jobs(),
                restored.newestJob(),
                newestAt == null ? null : newestAt.toString(),
                restored.passedOver());
    }

    private static List<String> lines(DataDirectory data, Restored restored) {
        List<String> lines = new ArrayList<>();
        restored.passedOver().forEach(why -> lines.add("passed over: " + why));
        lines.add("the database is back, from " + restored.backup());
        lines.add(
                restored.jobs() == 0
                        ? "  it holds no jobs"
                        : "  it holds " + restored.jobs() + (restored.jobs() == 1 ? " job" : " jobs")
                                + ", the newest is job " + restored.newestJob() + ", submitted at "
                                + restored.newestAt());
        Path aside = restored.setAside();
        if (aside != null) {
            lines.add("  what was in its place is kept as " + aside);
        }
        lines.add("  not in it is whatever was accepted or changed after the backup was made"
                + later(data, restored.lastId()));
        lines.add("  berth server start goes on with it");
        return lines;
    }

    /** Directories of jobs that the database does not know tell which ones are missing. */
    private static String later(DataDirectory data, long lastId) {
        try (Stream<Path> jobs = Files.list(data.jobs())) {
            List<Long> unknown = jobs.map(job -> String.valueOf(job.getFileName()))
                    .filter(name -> name.matches("[0-9]{1,18}"))
                    .map(Long::valueOf)
                    .filter(id -> id > lastId)
                    .sorted()
                    .toList();
            return unknown.isEmpty()
                    ? ""
                    : "; of " + unknown.size() + " such jobs, " + unknown.getFirst() + " to " + unknown.getLast()
                            + ", the files are still in " + data.jobs() + " and " + data.users();
        } catch (IOException e) {
            throw StartException.failed("the database is back, but " + data.jobs() + " cannot be read: " + e);
        }
    }

    private static String json(Record view) {
        try {
            return new ObjectMapper().writeValueAsString(view);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a record is always JSON", e);
        }
    }
}
