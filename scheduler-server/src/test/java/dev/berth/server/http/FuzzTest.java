package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.berth.core.job.StateName;
import dev.berth.server.fuzz.AnswerCounts;
import dev.berth.server.fuzz.ApiDescription;
import dev.berth.server.fuzz.ResourceUse;
import dev.berth.server.fuzz.Sender;
import dev.berth.server.fuzz.SenderThread;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/**
 * More than 100,000 hostile requests, at every route, from everybody: no failure, no trace in the log, nothing that
 * grows, and a queue that is as it was but for what was accepted. {@code -Dberth.fuzz.seed=N} tries a seed again,
 * {@code -Dberth.fuzz.requests=N} more or fewer.
 */
@Timeout(1_200)
class FuzzTest {
    private static final long FIXED_SEED = 11;
    private static final int LANES = 4;
    private static final Duration SILENCE = Duration.ofMinutes(1);
    private static final long MAX_HEAP_GROWTH = 24L << 20;
    private static final int MAX_LOOKS = 5;
    private static final int MAX_THREAD_GROWTH = 12;
    private static final int MAX_DESCRIPTOR_GROWTH = 12;
    private static final int MAX_ROWS_EACH = 40;
    private static final String DIGEST = "%064d".formatted(0);

    private final ApiDescription api = ApiDescription.read();
    private final Logged logged = new Logged();

    @TempDir
    private Path directory;

    /** What a server's log would hold of failures. */
    private static final class Logged extends AppenderBase<ILoggingEvent> {
        private final Queue<String> failures = new ConcurrentLinkedQueue<>();

        @Override
        protected void append(ILoggingEvent event) {
            if (event.getThrowableProxy() != null) {
                failures.add(event + " " + event.getThrowableProxy().getClassName() + ": "
                        + event.getThrowableProxy().getMessage());
            }
        }
    }

    private static LongStream seeds() {
        Long given = Long.getLong("berth.fuzz.seed");
        return given == null ? LongStream.of(FIXED_SEED, new SecureRandom().nextInt(1 << 30)) : LongStream.of(given);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void whateverIsSentTheServerGoesOnAsItWas(long seed) throws Exception {
        int requests = Integer.getInteger("berth.fuzz.requests", 20_000);
        logged.start();
        Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.addAppender(logged);
        try (ServerFixture fixture = new ServerFixture(directory, FuzzTest::withRoom)) {
            stage(fixture);
            Senders senders = Senders.of(fixture);
            SplittableRandom random = new SplittableRandom(seed);
            send(random.split(), senders.powerless(), requests / 20);
            ResourceUse before = ResourceUse.now(directory);
            List<String> rows = rows();
            send(random.split(), senders.powerless(), requests * 4 / 10);
            assertThat(rows()).as("what is refused changes nothing").isEqualTo(rows);
            AnswerCounts tally = send(random.split(), senders.all(), requests * 55 / 100);
            System.out.println("seed " + seed + ": " + tally);
            assertThat(tally.reached().keySet())
                    .as("routes that were asked")
                    .containsExactlyInAnyOrderElementsOf(fixture.routes().stream()
                            .map(route -> route.method() + " " + route.pattern())
                            .toList());
            assertThat(fixture.stopped()).as("nobody stopped it").isNotDone();
            assertJobs(rows, tally);
            assertThat(rows().size() - rows.size())
                    .as("rows of all tables")
                    .isLessThan(MAX_ROWS_EACH * (1 + tally.allAccepted()));
            assertNoGrowth(fixture, before);
            assertThat(logged.failures).as("failures in the log").isEmpty();
        } catch (AssertionError | Exception e) {
            throw new AssertionError("seed " + seed + " (-Dberth.fuzz.seed=" + seed + "): " + e.getMessage(), e);
        } finally {
            root.detachAppender(logged);
        }
    }

    /** One job in each state that a request can do something about. */
    private static void stage(ServerFixture fixture) {
        for (int i = 0; i < 4; i++) {
            fixture.print(fixture.running(1), "a line\n");
        }
        fixture.submitted(1);
        fixture.post("/api/v1/jobs/" + fixture.submitted(2) + "/hold", "");
        fixture.post("/api/v1/jobs/" + fixture.submitted(1) + "/cancel", "");
        fixture.end(1, 0);
        fixture.await(1, StateName.COMPLETED);
        fixture.await(5, StateName.RUNNING);
        // Opens the database of what jobs tell, which is open from its first use on.
        fixture.get("/api/v1/jobs/1/tracking").expect(200);
    }

    private AnswerCounts send(SplittableRandom random, List<Sender> senders, int requests) throws Exception {
        Map<String, List<String>> known = Map.of(
                "job", List.of("1", "2", "3", "4", "5", "6", "7", "8", "99"),
                "token", List.of("0000000000000000", "abc"),
                "gpu", List.of("0", "1", "2", "3", "GPU-0", "9"),
                "snapshot", List.of(DIGEST),
                "sha256", List.of(DIGEST),
                "image", List.of(ServerFixture.IMAGE),
                "path", List.of("a", "b/c", "b", "../x", "/etc"),
                "network", List.of("bridge", "host"),
                "volumes", List.of("/etc:/m", "/:/m", "/proc/self/cwd:/m", "/tmp:/m:ro"));
        List<SenderThread> lanes = new ArrayList<>();
        for (int i = 0; i < LANES; i++) {
            lanes.add(new SenderThread(api, random.split(), known, senders, requests / LANES + 1));
        }
        AnswerCounts all = new AnswerCounts();
        ExecutorService threads = Executors.newFixedThreadPool(LANES);
        try {
            List<Future<AnswerCounts>> running =
                    lanes.stream().map(threads::submit).toList();
            for (int i = 0; i < LANES; i++) {
                all.add(end(lanes.get(i), running.get(i)));
            }
        } catch (ExecutionException e) {
            throw new AssertionError("a sender failed: " + e.getCause(), e);
        } finally {
            // Ends the connections of those that still wait, too.
            threads.shutdownNow();
        }
        assertThat(all.failures()).as("answers that may not be").isEmpty();
        return all;
    }

    /** However slow the machine is: only a lane in which nothing moves is given up. */
    private static AnswerCounts end(SenderThread lane, Future<AnswerCounts> running)
            throws InterruptedException, ExecutionException {
        int before;
        do {
            before = lane.answered();
            try {
                return running.get(SILENCE.toSeconds(), TimeUnit.SECONDS);
            } catch (TimeoutException e) {
                // It may have much to do.
            }
        } while (lane.answered() > before);
        throw new AssertionError("no answer to one of: " + lane.underWay());
    }

    /**
     * Followers that are left without a word stay for a while; a bound on them would hide what else is wrong, as would an
     * answer that waits.
     */
    private static HttpSettings withRoom(HttpSettings settings) {
        return new HttpSettings(
                settings.socket(),
                settings.address(),
                settings.hosts(),
                settings.tls(),
                settings.allowInsecureBind(),
                settings.roles(),
                new HttpLimits(4_000, 4_000, 4_000, HttpLimits.Times.DEFAULT, Duration.ZERO, HttpLimits.STOP));
    }

    /** All that Berth keeps, row by row. */
    private List<String> rows() {
        List<String> rows = new ArrayList<>();
        for (String table : query("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1")) {
            query("SELECT * FROM " + table + " ORDER BY 1").forEach(row -> rows.add(table + ": " + row));
        }
        return rows;
    }

    private List<String> query(String sql) {
        List<String> rows = new ArrayList<>();
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("berth.db"));
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            while (row.next()) {
                StringBuilder columns = new StringBuilder();
                for (int column = 1; column <= row.getMetaData().getColumnCount(); column++) {
                    columns.append(column > 1 ? "|" : "").append(row.getString(column));
                }
                rows.add(columns.toString());
            }
            return rows;
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** Those before, those that were accepted, less those that were deleted, and no other. */
    private void assertJobs(List<String> before, AnswerCounts tally) {
        Set<Long> expected = new TreeSet<>(tally.made());
        before.stream()
                .filter(row -> row.startsWith("job: "))
                .forEach(row -> expected.add(Long.valueOf(row.substring("job: ".length(), row.indexOf('|')))));
        expected.removeAll(tally.deleted());
        List<String> jobs = query("SELECT id FROM job ORDER BY id");
        assertThat(expected.stream().map(String::valueOf))
                .as("jobs that are known to be there, or were deleted with their project")
                .containsAll(jobs)
                .hasSize(Math.toIntExact(jobs.size() + tally.deletedWithProjects()));
    }

    private void assertNoGrowth(ServerFixture fixture, ResourceUse before) {
        Instant end = InstantSource.system().instant().plus(ServerFixture.PATIENCE);
        while (ResourceUse.openDescriptors() > before.descriptors() + MAX_DESCRIPTOR_GROWTH
                && InstantSource.system().instant().isBefore(end)) {
            // A follower looks whether anybody listens when something has happened.
            fixture.scheduling().changes().raise();
            Thread.onSpinWait();
        }
        ResourceUse after = ResourceUse.now(directory);
        // A collection may pass over garbage while others use the heap; what is still there after some is kept.
        for (int look = 0; look < MAX_LOOKS && after.heapBytes() - before.heapBytes() >= MAX_HEAP_GROWTH; look++) {
            after = ResourceUse.now(directory);
        }
        System.out.println("before " + before + ", after " + after);
        assertThat(after.descriptors() - before.descriptors())
                .as("open files and connections")
                .isLessThanOrEqualTo(MAX_DESCRIPTOR_GROWTH);
        assertThat(after.threads() - before.threads()).as("threads").isLessThanOrEqualTo(MAX_THREAD_GROWTH);
        assertThat(after.heapBytes() - before.heapBytes()).as("heap").isLessThan(MAX_HEAP_GROWTH);
    }
}
