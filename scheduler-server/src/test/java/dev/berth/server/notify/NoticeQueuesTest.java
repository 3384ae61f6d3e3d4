package dev.berth.server.notify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.server.config.Keys;
import dev.berth.server.config.MailSecurity;
import dev.berth.server.config.Settings;
import dev.berth.server.example.Jobs;
import dev.berth.server.loop.BusyException;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.JobStore;
import dev.berth.server.store.JobWarning;
import dev.berth.server.store.Notice;
import dev.berth.server.store.NoticeEnd;
import dev.berth.server.time.Clocks;
import dev.berth.server.upkeep.Tasks;
import dev.berth.server.upkeep.VirtualThreadTasks;
import dev.berth.testclient.HookServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Notices from a real outbox to real receivers, good ones and bad ones. */
@Timeout(300)
class NoticeQueuesTest {
    private static final long ADA = Jobs.ADA.uid();
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int FASTER = 20;

    @TempDir
    private Path directory;

    private JobStore store;
    private JobQueries queries;
    private ExecutorService loop;
    private volatile Instant now = Jobs.ENDED;
    private final AtomicInteger keys = new AtomicInteger();
    private final DatabaseUse database = new DatabaseUse();
    private volatile Instant mailTime = Instant.EPOCH;
    private @Nullable MailSender mails;

    /** Pauses that pass faster than they say. */
    private static final Tasks HASTE = new Tasks() {
        private final VirtualThreadTasks real = new VirtualThreadTasks();

        @Override
        public void run(Runnable work) {
            real.run(work);
        }

        @Override
        public void runAfter(Duration delay, Runnable work) {
            real.runAfter(delay.dividedBy(FASTER), work);
        }
    };

    @BeforeEach
    void open() {
        store = new JobStore(directory.resolve("berth.db"));
        queries = new JobQueries(directory.resolve("berth.db"));
        loop = Executors.newSingleThreadExecutor();
        Job job = Jobs.running(1, 0);
        write(it -> it.write(Jobs.upTo(job)));
    }

    @AfterEach
    void close() throws InterruptedException {
        database.close();
        loop.shutdown();
        queries.close();
        store.close();
    }

    private void write(Consumer<JobStore> work) {
        try {
            loop.submit(() -> {
                        work.accept(store);
                        store.commit();
                    })
                    .get();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Notices of the one job that there is. */
    private List<Notice> keep(long uid, String receiver, int count) {
        List<Notice> notices = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String content = Content.test("ada", Jobs.ENDED, "harbour1").json();
            notices.add(new Notice(
                    0, "k" + keys.incrementAndGet(), uid, new JobId(1), 1, "end", receiver, content, Jobs.ENDED, 0, 0));
        }
        write(it -> it.keepNotices(notices, List.of(), 0));
        return notices;
    }

    private NoticeQueues queues(Consumer<List<NoticeEnd>> beforeEnd) {
        WebhookSender webhooks = new WebhookSender(
                Destinations.of(Settings.of("notify.allow=127.0.0.1").get(Keys.NOTIFY_ALLOW)),
                () -> (SSLSocketFactory) SSLSocketFactory.getDefault(),
                Duration.ofSeconds(3),
                new VirtualThreadTasks());
        InstantSource clock = () -> now;
        NoticeQueues.Outbox outbox = new NoticeQueues.Outbox() {
            @Override
            public void begin(List<Notice> notices) {
                write(it -> it.beginNotices(notices));
            }

            @Override
            public void end(List<NoticeEnd> ends) {
                beforeEnd.accept(ends);
                write(it -> it.endNotices(ends));
            }
        };
        return new NoticeQueues(new NoticeQueues.Parts(
                queries,
                outbox,
                database,
                new Senders(webhooks, mails, new CommandSender(CommandRules.none("a test"), Duration.ofSeconds(3))),
                new UserRate(5, Duration.ofSeconds(100), () -> mailTime),
                HASTE,
                Clocks.neverSet(clock)));
    }

    private NoticeQueues queues() {
        return queues(_ -> {});
    }

    private static void await(BooleanSupplier isThere) {
        Instant end = InstantSource.system().instant().plus(PATIENCE);
        while (!isThere.getAsBoolean()) {
            assertThat(InstantSource.system().instant()).isBefore(end);
            LockSupport.parkNanos(5_000_000);
        }
    }

    /** As a thread of a process that is gone. */
    private static void hang() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private List<JobWarning> warnings() {
        return queries.warnings(new JobId(1), 1);
    }

    /** At each receiver every notice is there, and what is there twice said so the second time. */
    private static void assertEachArrived(List<Notice> notices, List<HookServer.Received> received) {
        Map<String, Integer> times = new HashMap<>();
        for (HookServer.Received one : received) {
            boolean isFirst = times.merge(one.id(), 1, Integer::sum) == 1;
            assertThat(isFirst || one.repeated())
                    .as("a repetition of %s is marked", one.id())
                    .isTrue();
        }
        Set<String> expected = new HashSet<>();
        notices.forEach(notice -> expected.add(notice.key()));
        assertThat(times.keySet()).isEqualTo(expected);
    }

    /** A mail server that takes everything; counts it. */
    private void takeMails(ServerSocket socket, AtomicInteger taken) {
        mails = new MailSender(
                new MailServer("127.0.0.1", socket.getLocalPort(), MailSecurity.NONE, "berth@lab.example", null, null),
                () -> (SSLSocketFactory) SSLSocketFactory.getDefault(),
                Duration.ofSeconds(3),
                new VirtualThreadTasks());
        Thread _ = Thread.startVirtualThread(() -> {
            while (true) {
                try (Socket one = socket.accept();
                        BufferedReader lines = new BufferedReader(
                                new InputStreamReader(one.getInputStream(), StandardCharsets.US_ASCII))) {
                    takeMail(one, lines, taken);
                } catch (IOException e) {
                    return;
                }
            }
        });
    }

    private static void takeMail(Socket one, BufferedReader lines, AtomicInteger taken) throws IOException {
        String line = "";
        boolean isText = false;
        while (line != null && !line.equals("QUIT")) {
            isText = isText ? !line.equals(".") : line.equals("DATA");
            String answer = line.isEmpty() ? "220 here" : line.equals("DATA") ? "354 go on" : "250 yes";
            taken.addAndGet(line.equals(".") ? 1 : 0);
            if (!isText || line.equals("DATA")) {
                one.getOutputStream().write((answer + "\r\n").getBytes(StandardCharsets.US_ASCII));
            }
            line = lines.readLine();
        }
    }

    @Test
    void mailBeyondAUsersRateWaits() throws IOException, InterruptedException {
        AtomicInteger taken = new AtomicInteger();
        try (ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            takeMails(socket, taken);
            keep(ADA, "mail:ada@example.org", 8);
            keep(Notice.SERVER, "mail:root@example.org", 7);
            queues().resume();
            // What has arrived is struck out after it was taken.
            await(() -> queries.waitingNotices().equals(Map.of(ADA, 3L))
                    && queries.notices(ADA, "mail:ada@example.org", 9).stream()
                            .allMatch(notice -> notice.sendings() == 0));
            assertThat(taken).hasValue(12);
            mailTime = mailTime.plusSeconds(60);
            await(() -> queries.waitingNotices().isEmpty());
            assertThat(taken).hasValue(15);
            assertThat(warnings()).isEmpty();
        } finally {
            database.close();
        }
    }

    @Test
    void tenThousandArriveAtAReceiverThatWasAway() throws IOException {
        Map<String, Boolean> taken = new ConcurrentHashMap<>();
        AtomicBoolean isAway = new AtomicBoolean(true);
        AtomicInteger seen = new AtomicInteger();
        try (HookServer server = new HookServer(request -> {
            // Away first, and later for each thousandth again, which it has taken in all the same.
            boolean fails = isAway.get() || seen.incrementAndGet() % 1_000 == 0;
            if (!isAway.get()) {
                taken.put(request.id(), true);
            }
            return fails ? 503 : 200;
        })) {
            List<Notice> notices = keep(ADA, server.url(), 10_000);
            queues().resume();
            await(() -> server.received().size() >= 4);
            isAway.set(false);
            await(() -> queries.waitingNotices().isEmpty());
            assertThat(taken).hasSize(10_000);
            assertEachArrived(notices, server.received());
        }
    }

    @Test
    void whatWasSentBeforeTheServerWasKilledIsSentAgainWithAMark() throws InterruptedException {
        CountDownLatch killed = new CountDownLatch(1);
        try (HookServer server = new HookServer(_ -> 200)) {
            List<Notice> notices = keep(ADA, server.url(), 40);
            NoticeQueues first = queues(_ -> {
                killed.countDown();
                hang();
            });
            first.resume();
            killed.await();
            int before = server.received().size();
            assertThat(before).isEqualTo(16);
            queues().resume();
            await(() -> queries.waitingNotices().isEmpty());
            assertThat(server.received()).hasSize(40 + before);
            assertThat(server.received().subList(before, 2 * before)).allMatch(HookServer.Received::repeated);
            assertThat(server.received().subList(2 * before, 40 + before)).noneMatch(HookServer.Received::repeated);
            assertEachArrived(notices, server.received());
        }
    }

    @Test
    void badReceiversDelayNoOther() throws IOException {
        try (HookServer good = new HookServer(_ -> 200);
                HookServer broken = new HookServer(_ -> 500);
                HookServer leading = new HookServer(_ -> 302);
                ServerSocket hanging = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"))) {
            for (int i = 0; i < 8; i++) {
                keep(ADA, "http://127.0.0.1:" + hanging.getLocalPort() + "/" + i, 3);
                keep(ADA, broken.url() + i, 3);
                keep(ADA, leading.url() + i, 3);
            }
            List<Notice> own = keep(ADA, good.url() + "own", 20);
            List<Notice> others = keep(4_711, good.url() + "others", 20);
            queues().resume();
            Instant begun = InstantSource.system().instant();
            await(() -> good.received().size() == own.size() + others.size());
            assertThat(Duration.between(begun, InstantSource.system().instant()))
                    .isLessThan(Duration.ofSeconds(20));
            await(() -> queries.waitingNotices(ADA, good.url() + "own") == 0);
        }
    }

    @Test
    void aReceiverGetsItsNoticesInOrder() {
        try (HookServer server = new HookServer(_ -> 200)) {
            List<Notice> notices = keep(ADA, server.url(), 100);
            queues().resume();
            await(() -> queries.waitingNotices().isEmpty());
            assertThat(server.received())
                    .extracting(HookServer.Received::id)
                    .isEqualTo(notices.stream().map(Notice::key).toList());
        }
    }

    @Test
    void whatAReceiverRefusesIsGivenUpAndTheRestArrives() {
        try (HookServer server = new HookServer(request -> request.id().equals("k2") ? 400 : 200)) {
            keep(ADA, server.url() + "secret-path-42", 3);
            queues().resume();
            await(() -> queries.waitingNotices().isEmpty());
            assertThat(server.received()).hasSize(3);
            assertThat(warnings()).singleElement().satisfies(warning -> {
                assertThat(warning.code()).isEqualTo("NOTICE_FAILED");
                assertThat(warning.sentence())
                        .startsWith("the notice of its end did not arrive at http://127.0.0.1:")
                        .endsWith(": it answered 400")
                        .doesNotContain("secret");
            });
        }
    }

    @Test
    void aJobIsWarnedWhileItsNoticeDoesNotArriveAndNoLonger() {
        AtomicBoolean isBroken = new AtomicBoolean(true);
        try (HookServer server = new HookServer(_ -> isBroken.get() ? 500 : 200)) {
            keep(ADA, server.url(), 1);
            queues().resume();
            await(() -> !warnings().isEmpty());
            assertThat(warnings().getFirst().sentence()).contains("has not arrived", "it answered 500");
            assertThat(warnings().getFirst().endedAt()).isNull();
            isBroken.set(false);
            await(() -> queries.waitingNotices().isEmpty());
            assertThat(warnings())
                    .singleElement()
                    .satisfies(warning -> assertThat(warning.endedAt()).isNotNull());
        }
    }

    /** As many receivers as there are places, each with more than goes at once. */
    @Test
    void whoHasMuchKeepsNobodyWaiting() {
        Set<String> seen = ConcurrentHashMap.newKeySet();
        try (HookServer server = new HookServer(request -> {
            seen.add(request.path());
            return 200;
        })) {
            for (int i = 0; i < 16; i++) {
                keep(ADA, server.url() + i, 200);
            }
            keep(ADA, server.url() + "other", 1);
            queues().resume();
            await(() -> seen.contains("/other"));
            assertThat(server.received().size()).isLessThan(16 * 100);
            await(() -> queries.waitingNotices().isEmpty());
        }
    }

    @Test
    void whatHasArrivedIsNotSentAgainForWantOfACommit() {
        AtomicInteger refused = new AtomicInteger();
        try (HookServer server = new HookServer(_ -> 200)) {
            keep(ADA, server.url(), 20);
            queues(_ -> {
                        if (refused.incrementAndGet() <= 2) {
                            throw BusyException.full(1);
                        }
                    })
                    .resume();
            await(() -> queries.waitingNotices().isEmpty());
            assertThat(refused).hasValue(4);
            assertThat(server.received()).hasSize(20).noneMatch(HookServer.Received::repeated);
        }
    }

    @Test
    void afterALongDowntimeAReceiverIsTriedOnce() {
        now = Jobs.ENDED.plus(NoticeQueues.MAX_AGE).plusSeconds(1);
        try (HookServer well = new HookServer(_ -> 200);
                HookServer away = new HookServer(_ -> 500)) {
            keep(ADA, well.url(), 20);
            keep(ADA, away.url(), 20);
            queues().resume();
            await(() -> queries.waitingNotices().isEmpty());
            assertThat(well.received()).hasSize(20);
            assertThat(away.received()).hasSize(1);
            assertThat(warnings())
                    .hasSize(20)
                    .allMatch(warning -> warning.sentence().endsWith(": it answered 500"));
        }
    }

    @Test
    void afterADayNoticesAreGivenUp() {
        AtomicInteger asked = new AtomicInteger();
        try (HookServer server = new HookServer(_ -> {
            asked.incrementAndGet();
            return 500;
        })) {
            keep(ADA, server.url(), 40);
            queues().resume();
            await(() -> asked.get() >= 2);
            now = Jobs.ENDED.plus(NoticeQueues.MAX_AGE).plusSeconds(1);
            await(() -> queries.waitingNotices().isEmpty());
            assertThat(warnings()).hasSize(40);
        }
    }

    @Test
    void whatIsToldLaterIsSentToo() {
        try (HookServer server = new HookServer(_ -> 200)) {
            NoticeQueues queues = queues();
            for (int i = 0; i < 50; i++) {
                keep(ADA, server.url(), 1);
                queues.tell(ADA, server.url());
            }
            await(() -> server.received().size() == 50);
            await(() -> queries.waitingNotices().isEmpty());
        }
    }
}
