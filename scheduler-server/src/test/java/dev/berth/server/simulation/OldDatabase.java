package dev.berth.server.simulation;

import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Place.InContainer;
import dev.berth.server.example.Jobs;
import dev.berth.server.store.JobStore;
import dev.berth.server.store.Tables;
import dev.berth.server.store.database.Database;
import dev.berth.server.store.database.StoreException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** A database as the first Berth left it, in which jobs wait. */
final class OldDatabase {
    static final List<Long> JOBS = List.of(1L, 2L);

    private static final Pattern MADE =
            Pattern.compile("^CREATE (?:UNIQUE )?(?:TABLE|INDEX) +(\\w+)", Pattern.MULTILINE);

    private OldDatabase() {}

    static void write(Path file, String snapshot) throws IOException {
        try (InputStream in = Tables.class.getResourceAsStream("schema-001.db")) {
            Files.copy(Objects.requireNonNull(in), file);
        }
        Tables.run(
                file,
                "DELETE FROM allocation",
                "DELETE FROM job_event",
                "DELETE FROM job WHERE state <> 'QUEUED'",
                "UPDATE job SET attempt = 1, image = 'here', image_id = NULL, time_limit = NULL, snapshot = '"
                        + snapshot + "'");
    }

    /** That of each of its jobs. */
    static JobSpec spec(String snapshot) {
        return Jobs.with(Jobs.spec(1, null), InContainer.of(snapshot, "here"));
    }

    /**
     * A few servers are killed while they bring it up to date; the one after them must find a database that it can use. What
     * one of them has not committed goes with it, as with a statement that fails.
     */
    static void upgrade(Path database, SplittableRandom random, Tally tally) {
        for (int kills = random.nextInt(3); kills > 0; kills--) {
            List<String> left = leftToMake(database);
            String inTheWay = left.get(random.nextInt(left.size()));
            Tables.run(database, "CREATE TABLE " + inTheWay + " (in_the_way TEXT)");
            try {
                new JobStore(database).close();
            } catch (StoreException e) {
                tally.count("server killed in a migration");
            }
            Tables.run(database, "DROP TABLE " + inTheWay);
        }
        try {
            new JobStore(database).close();
        } catch (StoreException e) {
            throw new Violation(Law.STANDS, "a server after one that was killed in a migration", e);
        }
    }

    private static List<String> leftToMake(Path database) {
        int version = (int) Tables.number(database, "PRAGMA user_version");
        List<String> made = Tables.rows(database, "SELECT name FROM sqlite_master");
        return IntStream.rangeClosed(version + 1, Database.NEWEST_SCHEMA)
                .mapToObj(OldDatabase::schema)
                .flatMap(text -> MADE.matcher(text).results())
                .map((MatchResult match) -> match.group(1))
                .filter(name -> !made.contains(name))
                .toList();
    }

    private static String schema(int number) {
        try (InputStream in = Database.class.getResourceAsStream("schema/%03d.sql".formatted(number))) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
