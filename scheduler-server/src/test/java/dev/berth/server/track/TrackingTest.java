package dev.berth.server.track;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.Submitter;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Capacity;
import dev.berth.server.code.SnapshotStore;
import dev.berth.server.code.UploadLimits;
import dev.berth.server.code.Workspaces;
import dev.berth.server.example.Jobs;
import dev.berth.server.log.LogStore;
import dev.berth.server.loop.Scheduling;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.JobStore;
import dev.berth.server.store.track.Reading;
import dev.berth.server.store.track.Reading.Position;
import dev.berth.server.store.track.StoredPoint;
import dev.berth.server.store.track.TrackStore;
import dev.berth.server.time.Clocks;
import dev.berth.server.track.source.EventFile;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jobs whose outputs do not answer beside others, with real files and databases; the looks at those outputs are held. */
class TrackingTest {
    private static final Submitter HOSTILE = Jobs.ADA;
    private static final Submitter HONEST = Jobs.BOB;

    @TempDir
    private Path directory;

    private Instant now = Jobs.STARTED;
    private final Deque<Runnable> held = new ArrayDeque<>();

    /** So many of the next looks at outputs are held. */
    private int toHold;

    private Workspaces workspaces;
    private JobStore store;
    private JobQueries queries;
    private Tracking tracking;
    private LogStore logs;

    @BeforeEach
    void open() throws IOException {
        workspaces = new Workspaces(
                Files.createDirectories(directory.resolve("jobs")),
                new SnapshotStore(
                        Files.createDirectories(directory.resolve("snapshots")), UploadLimits.DEFAULT, () -> now),
                false);
        store = new JobStore(directory.resolve("berth.db"));
        queries = new JobQueries(directory.resolve("berth.db"));
        begin(1, HOSTILE);
        begin(2, HOSTILE);
        begin(3, HOSTILE);
        begin(4, HONEST);
        store.commit();
        logs = new LogStore(workspaces::of, Clocks.neverSet(() -> now));
        tracking = tracking();
    }

    /** As a server has it that begins now. */
    private Tracking tracking() {
        Scheduling scheduling = Scheduling.of(new Capacity(List.of(), 9, 0), store, Scheduling.MAX_REQUESTS);
        Clocks clocks = Clocks.neverSet(() -> now);
        return new Tracking(
                new Tracking.Parts(
                        directory.resolve("tracking.db"),
                        workspaces,
                        logs,
                        scheduling::machine,
                        queries,
                        _ -> true,
                        clocks),
                this::run);
    }

    private void begin(long id, Submitter owner) throws IOException {
        Job job = Jobs.job(id, Jobs.spec(0), owner, Jobs.runningOn());
        store.write(Jobs.upTo(job));
        workspaces.makeTrack(job);
        Files.createDirectories(workspaces.output(job));
        tell(job, 1);
    }

    /** A point in the job's file, and one in its output. */
    private void tell(Job job, int step) throws IOException {
        Files.writeString(
                workspaces.track(job),
                "{\"metric\":\"told\",\"value\":1,\"step\":" + step + "}\n",
                StandardOpenOption.APPEND);
        Files.write(
                workspaces.output(job).resolve("events.out.tfevents.1"),
                new EventFile()
                        .record(EventFile.event(1, step, EventFile.scalar("found", step)))
                        .bytes(),
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }

    private void run(Runnable look) {
        if (toHold > 0) {
            toHold--;
            held.add(look);
        } else {
            look.run();
        }
    }

    @AfterEach
    void close() {
        tracking.close();
        queries.close();
        store.close();
    }

    private List<Long> steps(long job, String metric) {
        return tracking.queries().points(new JobId(job), metric, 0, 100).stream()
                .map(StoredPoint::step)
                .toList();
    }

    @Test
    void anOutputThatDoesNotAnswerDelaysNobodyElse() throws IOException {
        toHold = Integer.MAX_VALUE;
        tracking.look();
        // Of the hostile one's three jobs two hold a thread, and the honest one has one.
        assertThat(held).hasSize(OutputLooks.MAX_OF_OWNER + 1);
        assertThat(steps(1, "told")).as("what needs no output").containsExactly(1L);
        held.removeLast().run();
        for (int look = 0; look < 3; look++) {
            tracking.look();
        }
        assertThat(steps(4, "found")).containsExactly(1L);
        assertThat(steps(4, "told")).containsExactly(1L);
        tell(Jobs.job(4, Jobs.spec(0), HONEST, Jobs.runningOn()), 2);
        now = now.plus(OutputLooks.EVERY);
        toHold = 0;
        tracking.refresh(Set.of(new JobId(4)));
        assertThat(steps(4, "told")).containsExactly(1L, 2L);
        assertThat(steps(4, "found")).as("while the others hold").containsExactly(1L, 2L);
        assertThat(steps(3, "found")).as("of the same owner").isEmpty();
        assertThat(held).hasSize(OutputLooks.MAX_OF_OWNER);
        held.forEach(Runnable::run);
        tracking.look();
        tracking.look();
        assertThat(List.of(steps(1, "found"), steps(2, "found"), steps(3, "found")))
                .as("once they answer")
                .containsOnly(List.of(1L));
    }

    @Test
    void whatIsForgottenMeanwhileIsNotKept() throws IOException {
        toHold = 1;
        tracking.look();
        tracking.delete(List.of(new JobId(1)));
        Files.delete(workspaces.track(Jobs.job(1, Jobs.spec(0), HOSTILE, Jobs.runningOn())));
        held.forEach(Runnable::run);
        tracking.look();
        assertThat(steps(1, "found")).isEmpty();
    }

    /** It may have ended long before its target could be asked for that. */
    @Test
    void whatAJobToldAtATargetIsReadUntilAllOfItWasBrought() throws IOException {
        Job ended = Jobs.job(5, Jobs.at("cluster", Jobs.spec(0)), HONEST, Jobs.completed());
        store.write(Jobs.upTo(ended));
        store.commit();
        restart();
        logs.expect(ended.id());
        workspaces.makeTrack(ended);
        for (int step = 1; step <= 2; step++) {
            workspaces.appendTrack(
                    ended, ("{\"metric\":\"told\",\"value\":1,\"step\":" + step + "}\n").getBytes(UTF_8));
            tracking.look();
            tracking.look();
        }
        assertThat(steps(5, "told")).containsExactly(1L, 2L);
        assertThat(workspaces.track(ended)).exists();
        logs.finish(ended.id());
        for (int look = 0; look < 8; look++) {
            tracking.look();
        }
        assertThat(workspaces.track(ended)).doesNotExist();
    }

    private void restart() {
        tracking.close();
        tracking = tracking();
    }

    private Path file(long job) {
        return workspaces.track(Jobs.job(job, Jobs.spec(0), HOSTILE, Jobs.runningOn()));
    }

    @Test
    void whatAJobToldIsKeptWhereItsFileWasReplacedAndTheServerBeginsAgain() throws IOException {
        tracking.look();
        Files.delete(file(1));
        Files.createDirectory(file(1));
        tracking.look();
        restart();
        tracking.look();
        assertThat(steps(1, "told")).containsExactly(1L);
        end(1);
        restart();
        lookOften();
        assertThat(steps(1, "told")).containsExactly(1L);
        assertThat(file(1)).doesNotExist();
    }

    @Test
    void whatAJobToldIsKeptWhereItsFileIsTooLargeAndTheServerBeginsAgain() throws IOException {
        tracking.look();
        tracking.close();
        try (TrackStore told = new TrackStore(directory.resolve("tracking.db"))) {
            Reading most = new Reading(new Attempt(new JobId(1), 1), "", new Position(4L << 30, false, false));
            told.keep(List.of(most), 0);
        }
        try (RandomAccessFile sparse = new RandomAccessFile(file(1).toFile(), "rw")) {
            sparse.setLength((4L << 30) + 10);
            sparse.seek(4L << 30);
            sparse.writeBytes("{\"tag\":\"last\"}\n");
        }
        tracking = tracking();
        tracking.look();
        assertThat(omissions(1)).containsExactly("FILE_TOO_LARGE 1");
        restart();
        tracking.look();
        assertThat(steps(1, "told")).containsExactly(1L);
        assertThat(omissions(1)).as("it is said once").containsExactly("FILE_TOO_LARGE 1");
        end(1);
        restart();
        lookOften();
        assertThat(steps(1, "told")).containsExactly(1L);
        assertThat(file(1)).doesNotExist();
    }

    @Test
    void whatAForgottenJobOfThatNumberToldIsForgotten() throws IOException {
        end(1);
        restart();
        lookOften();
        assertThat(steps(1, "told")).containsExactly(1L);
        tracking.close();
        queries.close();
        store.close();
        Files.delete(directory.resolve("berth.db"));
        store = new JobStore(directory.resolve("berth.db"));
        queries = new JobQueries(directory.resolve("berth.db"));
        for (long id = 1; id <= 4; id++) {
            store.write(Jobs.upTo(Jobs.job(id, Jobs.spec(0), HOSTILE, Jobs.runningOn())));
        }
        store.commit();
        workspaces.makeTrack(Jobs.job(1, Jobs.spec(0), HOSTILE, Jobs.runningOn()));
        tracking = tracking();
        tracking.look();
        assertThat(steps(1, "told")).isEmpty();
    }

    private void end(long id) {
        store.write(List.of(Jobs.advance(Jobs.job(id, Jobs.spec(0), HOSTILE, Jobs.runningOn()), Jobs.completed())));
        store.commit();
    }

    /** Until all is read of what is over. */
    private void lookOften() throws IOException {
        for (int look = 0; look < 12; look++) {
            now = now.plus(OutputLooks.EVERY);
            tracking.look();
        }
    }

    private List<String> omissions(long job) {
        return tracking.queries().of(new JobId(job)).omissions().stream()
                .map(omission -> omission.kind() + " " + omission.times())
                .toList();
    }
}
