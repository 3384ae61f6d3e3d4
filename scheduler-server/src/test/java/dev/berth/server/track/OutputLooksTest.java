package dev.berth.server.track;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.Submitter;
import dev.berth.core.machine.Attempt;
import dev.berth.server.code.SnapshotStore;
import dev.berth.server.code.UploadLimits;
import dev.berth.server.code.Workspaces;
import dev.berth.server.example.Jobs;
import dev.berth.server.store.track.Reading;
import dev.berth.server.track.source.EventFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The times at which outputs are looked at. */
class OutputLooksTest {
    private static final JobId ID = new JobId(7);
    private static final Attempt FIRST = new Attempt(ID, 1);

    @TempDir
    private Path directory;

    private Instant now = Jobs.STARTED;

    /** How long a look takes. */
    private Duration lasting = Duration.ZERO;

    private Optional<Job> job = Optional.empty();
    private Path output;
    private OutputLooks looks;
    private int files;

    @BeforeEach
    void open() throws IOException {
        Workspaces workspaces = new Workspaces(
                Files.createDirectories(directory.resolve("jobs")),
                new SnapshotStore(
                        Files.createDirectories(directory.resolve("snapshots")),
                        UploadLimits.DEFAULT,
                        InstantSource.fixed(Jobs.SUBMITTED)),
                true);
        Job running = Jobs.running(ID.value(), 0);
        job = Optional.of(Jobs.job(ID.value(), running.spec(), Jobs.ROOT, running.state()));
        output = Files.createDirectories(workspaces.output(job.get()));
        looks = new OutputLooks(
                workspaces,
                _ -> job,
                _ -> Map.of(),
                () -> {
                    Instant at = now;
                    now = now.plus(lasting);
                    return at;
                },
                Runnable::run);
    }

    /** Whether there was a look: it finds a file that was not there before. */
    private boolean isLooked(boolean isOver) throws IOException {
        files++;
        Files.write(
                output.resolve("events.out.tfevents." + files),
                new EventFile()
                        .record(EventFile.event(1, files, EventFile.scalar("loss", files)))
                        .bytes());
        List<Reading> readings = looks.look(FIRST, isOver);
        readings.forEach(looks::keep);
        return !readings.isEmpty();
    }

    private void pass(Duration time) {
        now = now.plus(time);
    }

    @Test
    void anOutputIsLookedAtEveryFewSecondsAndAtTheEndAtOnce() throws IOException {
        assertThat(isLooked(false)).isTrue();
        assertThat(isLooked(false)).isFalse();
        pass(OutputLooks.EVERY.minusMillis(1));
        assertThat(isLooked(false)).isFalse();
        pass(Duration.ofMillis(1));
        assertThat(isLooked(false)).isTrue();
        assertThat(looks.isRead(FIRST)).isFalse();
        assertThat(isLooked(true)).isTrue();
        assertThat(looks.isRead(FIRST)).isTrue();
        pass(OutputLooks.EVERY);
        assertThat(isLooked(true)).as("after the last look").isFalse();
        assertThat(looks.look(new Attempt(ID, 2), false))
                .as("of another attempt")
                .isNotEmpty();
    }

    @Test
    void aLookThatTakesLongIsFollowedByALongRest() throws IOException {
        lasting = Duration.ofSeconds(1);
        assertThat(isLooked(false)).isTrue();
        lasting = Duration.ZERO;
        pass(Duration.ofSeconds(48));
        assertThat(isLooked(false)).isFalse();
        pass(Duration.ofSeconds(2));
        assertThat(isLooked(false)).isTrue();
    }

    @Test
    void whatIsMoreIsReadAtOnceAndNotWithoutEnd() throws IOException {
        for (int file = 0; file < 20 * OutputWalk.MAX_OPEN; file++) {
            Files.createFile(output.resolve("events.out.tfevents.a" + file));
        }
        int looked = 0;
        for (List<Reading> found = looks.look(FIRST, true); !found.isEmpty(); found = looks.look(FIRST, true)) {
            found.forEach(looks::keep);
            looked++;
        }
        assertThat(looked).isEqualTo(16);
        assertThat(looks.isRead(FIRST)).isFalse();
        pass(OutputLooks.EVERY);
        assertThat(looks.look(FIRST, true)).isNotEmpty();
    }

    /** Looks of eight jobs, each of another owner; none ends before the test lets it. */
    private OutputLooks held(Deque<Runnable> begun) throws IOException {
        Workspaces workspaces = new Workspaces(
                Files.createDirectories(directory.resolve("others")),
                new SnapshotStore(directory.resolve("snapshots"), UploadLimits.DEFAULT, () -> now),
                false);
        Job running = Jobs.running(1, 0);
        return new OutputLooks(
                workspaces,
                id -> Optional.of(Jobs.job(
                        id.value(),
                        running.spec(),
                        new Submitter(id.value(), 0, List.of(), "u" + id),
                        running.state())),
                _ -> Map.of(),
                () -> now,
                begun::add);
    }

    @Test
    void aFewAreLookedAtAtATimeInTheOrderInWhichTheyWereDue() throws IOException {
        Deque<Runnable> begun = new ArrayDeque<>();
        OutputLooks some = held(begun);
        for (long id = 8; id > 0; id--) {
            assertThat(some.look(new Attempt(new JobId(id), 1), true)).isEmpty();
        }
        assertThat(begun).hasSize(OutputLooks.MAX_AT_ONCE);
        begun.removeFirst().run();
        assertThat(some.look(new Attempt(new JobId(8), 1), true)).isEmpty();
        assertThat(some.isRead(new Attempt(new JobId(8), 1))).isTrue();
        // Asked first and due last.
        assertThat(some.look(new Attempt(new JobId(1), 1), true)).isEmpty();
        begun.removeLast().run();
        assertThat(some.look(new Attempt(new JobId(1), 1), true)).isEmpty();
        assertThat(some.look(new Attempt(new JobId(4), 1), true)).isEmpty();
        assertThat(some.isRead(new Attempt(new JobId(4), 1))).isTrue();
        assertThat(some.isRead(new Attempt(new JobId(1), 1))).isFalse();
    }

    @Test
    void looksThatLastLongTakeNoOthersPlace() throws IOException {
        Deque<Runnable> begun = new ArrayDeque<>();
        OutputLooks some = held(begun);
        for (long id = 1; id <= 5; id++) {
            assertThat(some.look(new Attempt(new JobId(id), 1), false)).isEmpty();
        }
        assertThat(begun).hasSize(OutputLooks.MAX_AT_ONCE);
        pass(OutputLooks.LONG.plusMillis(1));
        assertThat(some.look(new Attempt(new JobId(5), 1), false)).isEmpty();
        assertThat(begun).hasSize(OutputLooks.MAX_AT_ONCE + 1);
        assertThat(some.running(Set.of(new JobId(1), new JobId(5))))
                .as("those that are worth waiting for")
                .hasSize(1);
        assertThat(some.look(new Attempt(new JobId(1), 1), true))
                .as("one that goes on is not begun again")
                .isEmpty();
        assertThat(begun).hasSize(OutputLooks.MAX_AT_ONCE + 1);
    }

    @Test
    void aLookFromBeforeTheEndIsFollowedByAnother() throws IOException {
        Deque<Runnable> begun = new ArrayDeque<>();
        OutputLooks some = held(begun);
        assertThat(some.look(FIRST, false)).isEmpty();
        assertThat(some.look(FIRST, true)).isEmpty();
        begun.removeFirst().run();
        assertThat(some.look(FIRST, true)).isEmpty();
        assertThat(some.isRead(FIRST)).isFalse();
        begun.removeFirst().run();
        assertThat(some.look(FIRST, true)).isEmpty();
        assertThat(some.isRead(FIRST)).isTrue();
    }

    @Test
    void anOutputThatIsGoneIsRead() throws IOException {
        Files.delete(output);
        assertThat(looks.look(FIRST, true)).isEmpty();
        assertThat(looks.isRead(FIRST)).isTrue();
        looks.retain(Set.of());
        job = Optional.empty();
        assertThat(looks.look(FIRST, true)).isEmpty();
        assertThat(looks.isRead(FIRST)).as("of a job that is deleted").isTrue();
    }

    @Test
    void anOutputThatCannotBeReadIsToldAtTheEnd() throws IOException {
        // More groups than any kernel lets a thread have (limits.h, NGROUPS_MAX).
        Submitter nobody = new Submitter(0, 0, Collections.nCopies((1 << 16) + 1, 1L), "nobody");
        job = job.map(of -> Jobs.job(ID.value(), of.spec(), nobody, of.state()));
        assertThat(looks.look(FIRST, false)).isEmpty();
        List<Reading> last = looks.look(FIRST, true);
        assertThat(last).extracting(Reading::hasOmissions).containsExactly(true);
        assertThat(looks.isRead(FIRST)).isTrue();
    }
}
