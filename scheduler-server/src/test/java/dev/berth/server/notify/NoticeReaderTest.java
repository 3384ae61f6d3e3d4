package dev.berth.server.notify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState;
import dev.berth.core.job.JobState.Dispatched;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.Notification;
import dev.berth.core.job.Tasks;
import dev.berth.core.machine.Change;
import dev.berth.core.machine.JobEvent.RunExited;
import dev.berth.server.example.Jobs;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.JobStore;
import dev.berth.server.store.JobWarning;
import dev.berth.server.store.Notice;
import dev.berth.server.store.Subscription;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which notices come of what happened, on a real database. */
class NoticeReaderTest {
    private static final Queued READY = new Queued(1, new ImageState.Ready(Jobs.IMAGE_ID));
    private static final String HOOK = "https://example.org/hook";

    @TempDir
    private Path directory;

    private JobStore store;
    private JobQueries queries;
    private final AtomicInteger keys = new AtomicInteger();
    private final List<JobWarning> warnings = new ArrayList<>();

    @BeforeEach
    void open() {
        store = new JobStore(directory.resolve("berth.db"));
        queries = new JobQueries(directory.resolve("berth.db"));
    }

    @AfterEach
    void close() {
        queries.close();
        store.close();
    }

    private NoticeReader reader(String... ofServer) {
        return new NoticeReader(
                queries,
                this::keep,
                Arrays.stream(ofServer).map(Notification::parse).toList(),
                "harbour1",
                () -> "key" + keys.incrementAndGet());
    }

    private void keep(List<Notice> notices, List<JobWarning> told, long upTo) {
        store.keepNotices(notices, told, upTo);
        warnings.addAll(told);
        store.commit();
    }

    private void write(Change... changes) {
        store.write(List.of(changes));
        store.commit();
    }

    private void write(Job job) {
        store.write(Jobs.upTo(job));
        store.commit();
    }

    private static Job job(long id, JobState state, String... wishes) {
        JobSpec spec = Jobs.spec(1)
                .telling(Arrays.stream(wishes).map(Notification::parse).toList());
        return Jobs.job(id, spec, Jobs.ADA, state);
    }

    private void subscribe(String moments) {
        assertThat(store.keepSubscription(
                        new Subscription(0, Jobs.ADA.uid(), "ada", moments, HOOK, Instant.EPOCH, 0, null, null), 20))
                .isPresent();
        store.commit();
    }

    /** The notices that wait for a receiver, as moment and state. */
    private List<String> waiting(long uid, String receiver) {
        return queries.notices(uid, receiver, 1_000).stream()
                .map(notice -> notice.job() + " " + notice.moment() + " "
                        + Content.parse(notice.content()).state())
                .toList();
    }

    private List<String> waiting() {
        return waiting(Jobs.ADA.uid(), HOOK);
    }

    @Test
    void ofAJobTheMomentsAreToldThatWereAskedFor() throws InterruptedException {
        Job running = job(1, Jobs.runningOn(0), "start,end:" + HOOK, "fail:https://example.org/other");
        write(running);
        write(Jobs.advance(running, Jobs.failed()));
        write(job(2, Jobs.runningOn(1)));
        assertThat(reader().read()).isFalse();
        assertThat(waiting()).containsExactly("1 start RUNNING", "1 end FAILED");
        assertThat(waiting(Jobs.ADA.uid(), "https://example.org/other")).containsExactly("1 fail FAILED");
    }

    @Test
    void whatWasReadIsNotToldAgain() throws InterruptedException {
        write(job(1, Jobs.runningOn(0), "start:" + HOOK));
        assertThat(reader().read()).isFalse();
        assertThat(reader().read()).isFalse();
        assertThat(waiting()).hasSize(1);
    }

    @Test
    void whatWasNotKeptIsToldByTheNextServer() {
        write(job(1, Jobs.runningOn(0), "start:" + HOOK));
        NoticeReader killed = new NoticeReader(
                queries,
                (_, _, _) -> {
                    throw new IllegalStateException("killed");
                },
                List.of(),
                "harbour1",
                () -> "key");
        try {
            killed.read();
        } catch (IllegalStateException | InterruptedException e) {
            assertThat(e).hasMessage("killed");
        }
        assertThat(waiting()).isEmpty();
        try {
            reader().read();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        assertThat(waiting()).hasSize(1);
    }

    @Test
    void aReceiverIsToldOfWhatHappensAfterItWasAdded() throws InterruptedException {
        Job running = job(1, Jobs.runningOn(0));
        write(running);
        subscribe("start,fail");
        write(Jobs.advance(running, Jobs.completed()));
        Job second = job(2, Jobs.runningOn(1));
        write(second);
        write(Jobs.advance(second, Jobs.failed()));
        reader().read();
        assertThat(waiting()).containsExactly("2 start RUNNING", "2 fail FAILED");
    }

    @Test
    void whoIsNamedTwiceIsToldOnce() throws InterruptedException {
        subscribe("end");
        Job running = job(1, Jobs.runningOn(0), "end:" + HOOK);
        write(running);
        write(Jobs.advance(running, Jobs.failed()));
        reader("end,fail:" + HOOK).read();
        assertThat(waiting()).containsExactly("1 end FAILED");
        assertThat(waiting(Notice.SERVER, HOOK)).containsExactly("1 fail FAILED");
    }

    @Test
    void anArrayIsToldOfOnceWithItsSums() throws InterruptedException {
        Job array = Jobs.job(
                1,
                Jobs.spec(1)
                        .telling(List.of(Notification.parse("start,end:" + HOOK)))
                        .with(Tasks.parse("0-2")),
                Jobs.ADA,
                READY);
        write(array);
        NoticeReader reader = reader();
        Job rest = array;
        for (int index = 0; index < 3; index++) {
            Job without = rest.without(index);
            Job left = index == 2 ? without.with(new Dispatched(1, null)) : without;
            write(new Change.Singled(Jobs.STARTED, rest, left, rest.task(index)));
            Job task = rest.task(index);
            write(Jobs.advance(task, Jobs.runningOn(index)));
            reader.read();
            write(Jobs.advance(task.with(Jobs.runningOn(index)), index == 1 ? Jobs.failed() : Jobs.completed()));
            reader.read();
            rest = left;
        }
        write(Jobs.advance(rest, Jobs.failed()));
        reader.read();
        assertThat(waiting()).containsExactly("1 start RUNNING", "1 end FAILED");
        assertThat(Content.parse(queries.notices(Jobs.ADA.uid(), HOOK, 2)
                                .getLast()
                                .content())
                        .tasks())
                .containsEntry("COMPLETED", 2L)
                .containsEntry("FAILED", 1L);
    }

    /** As where a server that was away finds a program that has ended. */
    private static Change ended(Job starting, JobState after) {
        return new Change.Advanced(
                Jobs.ENDED, starting, starting.with(after), new RunExited(1, 0, false, null, Jobs.ENDED));
    }

    @Test
    void ofAProgramThatRanWhileNoServerDidTheStartIsToldBeforeTheEnd() throws InterruptedException {
        Job first = job(1, Jobs.startingOn(0), "start,end:" + HOOK, "start:https://example.org/other");
        write(first);
        write(ended(first, Jobs.completed()));
        Job never = job(2, Jobs.startingOn(1), "start,end:" + HOOK);
        write(never);
        write(Jobs.advance(never, Jobs.failed()));
        reader().read();
        assertThat(waiting()).containsExactly("1 start RUNNING", "1 end COMPLETED", "2 end FAILED");
        assertThat(waiting(Jobs.ADA.uid(), "https://example.org/other")).containsExactly("1 start RUNNING");
    }

    @Test
    void ofAnAttemptThatIsTriedAgainTheStartAloneIsTold() throws InterruptedException {
        Job first = job(1, Jobs.startingOn(0), "start,end,fail:" + HOOK);
        write(first);
        write(ended(first, new Queued(2, new ImageState.Pending())));
        reader().read();
        assertThat(waiting()).containsExactly("1 start RUNNING");
    }

    @Test
    void ofAnArrayOneStartIsToldWhoeverSawIt() throws InterruptedException {
        Job array = Jobs.job(
                1,
                Jobs.spec(1)
                        .telling(List.of(Notification.parse("start,end:" + HOOK)))
                        .with(Tasks.parse("0-2")),
                Jobs.ADA,
                READY);
        write(array);
        Job rest = array;
        for (int index = 0; index < 3; index++) {
            Job without = rest.without(index);
            Job left = index == 2 ? without.with(new Dispatched(1, null)) : without;
            write(new Change.Singled(Jobs.STARTED, rest, left, rest.task(index)));
            Job task = rest.task(index).with(Jobs.startingOn(index));
            write(Jobs.advance(rest.task(index), task.state()));
            write(index == 2 ? Jobs.advance(task, Jobs.runningOn(index)) : ended(task, Jobs.completed()));
            reader().read();
            rest = left;
        }
        assertThat(waiting()).containsExactly("1 start RUNNING");
    }

    /** Notices of a job that is there, so many at each of these receivers. */
    private void fill(long uid, int count, String... receivers) {
        List<Notice> notices = new ArrayList<>();
        for (String receiver : receivers) {
            for (int i = 0; i < count; i++) {
                notices.add(new Notice(0, "f" + i, uid, new JobId(1), 1, "end", receiver, "{}", Jobs.ENDED, 0, 0));
            }
        }
        store.keepNotices(notices, List.of(), 0);
        store.commit();
    }

    @Test
    void aFullOutboxWarnsTheJob() throws InterruptedException {
        Job running = job(1, Jobs.runningOn(0), "end:" + HOOK);
        write(running);
        fill(Jobs.ADA.uid(), OutboxLimits.MAX_A_USER - 1, "https://example.org/full");
        write(Jobs.advance(running, Jobs.failed()));
        reader("end:" + HOOK).read();
        assertThat(waiting()).containsExactly("1 end FAILED");
        assertThat(warnings).isEmpty();

        Job second = job(2, Jobs.runningOn(1), "end:" + HOOK);
        write(second);
        write(Jobs.advance(second, Jobs.failed()));
        reader("end:" + HOOK).read();
        assertThat(waiting()).containsExactly("1 end FAILED");
        assertThat(waiting(Notice.SERVER, HOOK)).containsExactly("1 end FAILED", "2 end FAILED");
        assertThat(warnings).singleElement().satisfies(warning -> {
            assertThat(warning.job()).isEqualTo(new JobId(2));
            assertThat(warning.sentence())
                    .contains("not everybody is told of its end", "too many notices for its user");
        });
    }

    @Test
    void thereIsALimitOfReceiversToo() throws InterruptedException {
        Job running = job(1, Jobs.runningOn(0), "end:" + HOOK, "end:https://example.org/3");
        write(running);
        fill(
                Jobs.ADA.uid(),
                1,
                IntStream.range(0, OutboxLimits.MAX_RECEIVERS_A_USER)
                        .mapToObj(i -> "https://example.org/" + i)
                        .toArray(String[]::new));
        write(Jobs.advance(running, Jobs.failed()));
        reader().read();
        assertThat(waiting()).isEmpty();
        assertThat(queries.waitingNotices(Jobs.ADA.uid(), "https://example.org/3"))
                .isEqualTo(2);
        assertThat(warnings).hasSize(1);
    }

    @Test
    void theNoticesOfAReceiverAreRemovedInPieces() {
        write(job(1, Jobs.runningOn(0)));
        subscribe("end");
        Subscription first = queries.subscriptions(Jobs.ADA.uid()).getFirst();
        fill(Jobs.ADA.uid(), 300, HOOK);
        assertThat(store.deleteNotices(first, 250)).isEqualTo(250);
        subscribe("fail");
        assertThat(store.deleteNotices(first, 250))
                .as("somebody waits for them")
                .isZero();
        store.deleteSubscription(first);
        store.commit();
        assertThat(queries.waitingNotices(Jobs.ADA.uid(), HOOK)).isEqualTo(50);
        store.deleteSubscription(queries.subscriptions(Jobs.ADA.uid()).getFirst());
        store.commit();
        assertThat(queries.waitingNotices()).isEmpty();
    }

    @Test
    void aCommitHasABoundedNumberOfNotices() throws InterruptedException {
        String[] wishes = IntStream.range(0, 10)
                .mapToObj(i -> "start:https://example.org/" + i)
                .toArray(String[]::new);
        for (int id = 1; id <= 40; id++) {
            write(job(id, Jobs.runningOn(0), wishes));
        }
        List<Integer> sizes = new ArrayList<>();
        NoticeReader reader = new NoticeReader(
                queries,
                (notices, told, upTo) -> {
                    sizes.add(notices.size());
                    keep(notices, told, upTo);
                },
                List.of(),
                "harbour1",
                () -> "key" + keys.incrementAndGet());
        assertThat(reader.read()).isTrue();
        assertThat(reader.read()).isFalse();
        assertThat(sizes).containsExactly(250, 150);
        assertThat(queries.waitingNotices()).containsEntry(Jobs.ADA.uid(), 400L);
    }
}
