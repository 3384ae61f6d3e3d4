package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.api.ServerView.StateCount;
import dev.berth.core.machine.Step.Reply;
import dev.berth.server.config.Settings;
import dev.berth.server.store.JobQueries.Filter;
import dev.berth.testclient.Answer;
import dev.berth.testclient.Following;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Many clients at once: each is answered once and in its order, or refused with when to ask again. */
@Timeout(120)
class TooMuchTest {
    private static final int CLIENTS = 50;
    private static final String WAITING_JOB = "{\"command\": [\"x\"], \"gpus\": 4}";

    @TempDir
    private Path directory;

    private @Nullable ServerFixture opened;

    private ServerFixture fixture() {
        return Objects.requireNonNull(opened);
    }

    private void open(long mostWaiting, int maxRequests) {
        opened = new ServerFixture(directory, Settings.of("jobs.max-queued-per-user=" + mostWaiting), maxRequests);
    }

    @AfterEach
    void close() {
        fixture().close();
    }

    private Answer submit() {
        // Ended by the server, so that none counts among its user's connections any more when the next one comes.
        return Wire.ask(
                UnixDomainSocketAddress.of(fixture().socket()),
                "POST",
                "/api/v1/jobs",
                WAITING_JOB.getBytes(StandardCharsets.UTF_8),
                "Connection: close");
    }

    /** Each client at the same time as the others. */
    private static void eachOf(int clients, Runnable client) throws InterruptedException, ExecutionException {
        try (ExecutorService threads = Executors.newFixedThreadPool(clients)) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                all.add(threads.submit(client));
            }
            for (Future<?> one : all) {
                one.get();
            }
        }
    }

    @Test
    void fiftyClientsAtOnceDoNotPassTheBoundOfAUsersQueue() throws Exception {
        open(60, 4_096);
        long _ = fixture().running(4);
        Queue<Answer> answers = new ConcurrentLinkedQueue<>();
        eachOf(CLIENTS, () -> {
            for (int i = 0; i < 4; i++) {
                answers.add(submit());
            }
        });
        assertThat(answers).filteredOn(answer -> answer.status() == 201).hasSize(60);
        assertThat(answers)
                .filteredOn(answer -> answer.status() != 201)
                .hasSize(140)
                .allSatisfy(refused -> {
                    assertThat(refused.status()).isEqualTo(429);
                    assertThat(refused.code()).isEqualTo("QUEUE_FULL");
                    assertThat(refused.headers()).containsEntry("retry-after", "60");
                    assertThat(refused.message())
                            .startsWith("not accepted: 60 jobs of ")
                            .contains("lets 60 of one user wait");
                });
        assertThat(fixture().queries().waiting(Filter.of(null), 0, 1_000).items())
                .hasSize(60);
    }

    /** Keeps the loop in one step until told, so that requests wait. */
    private CompletableFuture<Reply> stuck(CountDownLatch step) {
        return fixture().scheduling().write(_ -> {
            try {
                assertThat(step.await(60, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    @Test
    void whoIsRefusedAsTooManyWaitAndComesAgainIsTakenOnOnceAndInOrder() throws Exception {
        open(100_000, 4);
        long _ = fixture().running(4);
        CountDownLatch step = new CountDownLatch(1);
        CompletableFuture<Reply> stuck = stuck(step);
        Queue<Answer> refusals = new ConcurrentLinkedQueue<>();
        Queue<Long> accepted = new ConcurrentLinkedQueue<>();
        eachOf(CLIENTS, () -> {
            long last = 0;
            for (int i = 0; i < 20; i++) {
                Answer answer = submit();
                while (answer.status() == 429) {
                    refusals.add(answer);
                    step.countDown();
                    answer = submit();
                }
                assertThat(answer.status()).as(answer.text()).isEqualTo(201);
                long id = answer.json().path("id").asLong();
                assertThat(id).isGreaterThan(last);
                last = id;
                accepted.add(id);
            }
        });
        assertThat(stuck).isCompleted();
        // These clients come again at once: on a busy machine, connections that they have closed may still count.
        refusals.removeIf(refused -> refused.code().equals("TOO_MANY_CONNECTIONS"));
        assertThat(refusals).isNotEmpty().allSatisfy(refused -> {
            assertThat(refused.code()).isEqualTo("BUSY");
            assertThat(refused.headers()).containsEntry("retry-after", "1");
            assertThat(refused.message()).startsWith("4 requests wait already");
        });
        assertThat(accepted).hasSize(CLIENTS * 20).doesNotHaveDuplicates();
        assertThat(fixture().queries().counts(null)).contains(new StateCount("QUEUED", CLIENTS * 20));
    }

    @Test
    void aServerThatEndsSaysSoAndNotWhenToAskAgain() {
        open(100, 4_096);
        fixture().scheduling().end();
        Answer refused = submit();
        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.code()).isEqualTo("STOPPING");
        assertThat(refused.headers()).doesNotContainKey("retry-after");
        assertThat(refused.message()).isEqualTo("the server is stopping and takes nothing new");
    }

    /** What a reader may make the server hold: a few pieces of an answer, however much there is to read. */
    private static final long BYTES_A_READER = 1 << 19;

    @Test
    void readersWhoNeverReadHoldNobodyBackAndGrowNothing() throws IOException {
        open(100_000, 4_096);
        long job = fixture().running(4);
        for (int i = 0; i < 256; i++) {
            fixture().print(job, "x".repeat(1 << 17));
        }
        long before = memory();
        List<Following> readers = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            readers.add(Wire.open(fixture().socket(), "/api/v1/jobs/" + job + "/log?follow=true"));
            readers.add(Wire.open(fixture().socket(), "/api/v1/events?follow=true&after=0"));
        }
        for (int i = 0; i < 300; i++) {
            assertThat(submit().status()).isEqualTo(201);
        }
        assertThat(memory() - before).isLessThan(readers.size() * BYTES_A_READER);
        assertThat(readers).allSatisfy(reader -> assertThat(reader.status()).isEqualTo(200));
        for (Following reader : readers) {
            reader.close();
        }
    }

    /** What is in use of the heap and beside it. */
    private static long memory() {
        System.gc();
        long direct = 0;
        for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
            direct += pool.getName().equals("direct") ? pool.getMemoryUsed() : 0;
        }
        return direct + ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
