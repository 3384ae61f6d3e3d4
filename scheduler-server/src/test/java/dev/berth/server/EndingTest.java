package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.sun.security.auth.module.UnixSystem;
import dev.berth.server.config.Configuration;
import dev.berth.server.config.Keys;
import dev.berth.server.config.ProcessEnvironment;
import dev.berth.server.gpu.FoundGpus;
import dev.berth.server.runner.docker.FakeContainerEngine;
import dev.berth.server.upkeep.BackgroundWork;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The end by a signal, at whatever moment it comes. */
@Timeout(60)
class EndingTest {
    @TempDir
    private Path directory;

    private final Queue<String> words = new ConcurrentLinkedQueue<>();
    private final Queue<Throwable> fatal = new ConcurrentLinkedQueue<>();
    private final List<SocketChannel> abandoned = new ArrayList<>();
    private final StoppableClock clock = new StoppableClock();

    /** A real clock that can be made to hang, and with it anyone who looks at it. */
    private static final class StoppableClock implements InstantSource {
        private final CountDownLatch goesOn = new CountDownLatch(1);
        private volatile String stoppedFor = "";
        private final CountDownLatch hangs = new CountDownLatch(1);

        void stopFor(String thread) {
            stoppedFor = thread;
        }

        @Override
        public Instant instant() {
            if (Thread.currentThread().getName().equals(stoppedFor)) {
                hangs.countDown();
                try {
                    goesOn.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
            return InstantSource.system().instant();
        }
    }

    private BerthServer server() {
        Configuration configuration = Configuration.read(
                List.of("--port=0", "--data-dir=" + directory.resolve("data")),
                new ProcessEnvironment(
                        Map.of(),
                        directory,
                        directory.resolve("data"),
                        directory.resolve("none"),
                        new UnixSystem().getUid()));
        return BerthServer.start(new BerthServer.Parts(
                configuration.settings(),
                List.of(),
                DataDirectory.hold(configuration.settings().get(Keys.DATA_DIRECTORY)),
                false,
                new FakeContainerEngine(clock, (_, _) -> {}),
                FoundGpus.simulated(1, null),
                clock,
                System::nanoTime,
                BackgroundWork.onVirtualThreads(InstantSource.system()),
                words::add,
                fatal::add));
    }

    @Test
    void aServerThatRunsEndsInOrderAndTheNextFindsItsPlaceFree() {
        for (int i = 0; i < 2; i++) {
            Ending ending = new Ending(words::add);
            BerthServer server = server();
            ending.started(server);
            ending.run();
            server.awaitEnd();
        }
        assertThat(words).isEmpty();
        assertThat(fatal).isEmpty();
    }

    @Test
    void aStartIsInterruptedAndWaitedFor() throws InterruptedException {
        CompletableFuture<Ending> made = new CompletableFuture<>();
        CountDownLatch never = new CountDownLatch(1);
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        Thread starter = Thread.ofPlatform().start(() -> {
            Ending ending = new Ending(words::add);
            made.complete(ending);
            try {
                never.await();
            } catch (InterruptedException e) {
                interrupted.complete(ending.isAsked());
            }
            ending.notStarted();
        });
        Ending ending = made.join();
        assertThat(ending.isAsked()).isFalse();
        ending.run();
        assertThat(interrupted).isCompletedWithValue(true);
        assertThatExceptionOfType(StartException.class).isThrownBy(ending::goOn);
        assertThat(words).isEmpty();
        starter.join();
    }

    /** Nobody asked for the end: it is the process's own. */
    @Test
    void aStartThatFailedHasNothingToEnd() {
        Ending ending = new Ending(words::add);
        ending.notStarted();
        ending.run();
        assertThat(Thread.interrupted()).isFalse();
        assertThat(words).isEmpty();
    }

    /** Whatever comes in makes the loop look at the clock; nobody waits for the answer. */
    private void submitInVain() throws IOException {
        byte[] request = """
            POST /api/v1/server/pause HTTP/1.1\r
            Host: berth\r
            Content-Length: 0\r
            \r
            """.getBytes(StandardCharsets.US_ASCII);
        SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(directory.resolve("data/berth.sock")));
        channel.write(ByteBuffer.wrap(request));
        abandoned.add(channel);
    }

    /** As where the disk does not answer. */
    @Test
    void aLoopThatHangsIsLeftWithASentence() throws Exception {
        Ending ending = new Ending(words::add);
        BerthServer server = server();
        ending.started(server);
        clock.stopFor("loop");
        submitInVain();
        clock.hangs.await();
        ending.run();
        server.awaitEnd();
        assertThat(fatal)
                .singleElement()
                .satisfies(reason -> assertThat(reason)
                        .hasMessageStartingWith(
                                "it did not end in order: the step of the scheduling loop took longer than ")
                        .hasMessageEndingWith(" ms; what was acknowledged is on disk, jobs that run go on, and the next"
                                + " start takes them over"));
        clock.goesOn.countDown();
        for (SocketChannel channel : abandoned) {
            channel.close();
        }
    }
}
