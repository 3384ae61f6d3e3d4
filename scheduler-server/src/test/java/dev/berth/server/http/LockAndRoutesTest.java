package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.gpu.lock.Python;
import dev.berth.server.gpu.lock.SafeGpuLock;
import dev.berth.server.gpu.process.RunningProcesses;
import dev.berth.server.http.exchange.Router;
import dev.berth.server.upkeep.BackgroundWork;
import dev.berth.testclient.Answer;
import dev.berth.testclient.Following;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process loses its POSIX locks of a file when it closes any descriptor of it, and is not told: so each route is asked
 * while safe-gpu's lock is held, and after each a process from outside looks whether it still is.
 */
class LockAndRoutesTest {
    private static final String NAME = "gpu-lock-magic-RaNdOM-This_Name-NEED_BE-THE_SAME-Across_Users";

    /** For each line that it reads, whether it could have the lock of either file. */
    private static final String PROBE = """
        import fcntl, os, sys
        print("ready", flush=True)
        for _ in sys.stdin:
            answers = []
            for path in sys.argv[1:]:
                fd = os.open(path, os.O_WRONLY)
                try:
                    fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    answers.append("free")
                except OSError:
                    answers.append("busy")
                os.close(fd)
            print(" ".join(answers), flush=True)
        """;

    @TempDir
    private Path directory;

    @TempDir
    private Path root;

    @Test
    void theLockSurvivesEveryRoute() throws IOException {
        try (ServerFixture fixture = new ServerFixture(directory);
                SafeGpuLock lock = SafeGpuLock.in(
                        root,
                        RunningProcesses.ofThisMachine(),
                        () -> {},
                        Duration.ofSeconds(1),
                        BackgroundWork.onVirtualThreads(InstantSource.system()))) {
            String id = Long.toString(fixture.submitted(1));
            SafeGpuLock.Answer answer = lock.tryTake(Duration.ZERO);
            assertThat(answer).isInstanceOf(SafeGpuLock.Answer.Taken.class);
            try (SafeGpuLock.Hold _ = ((SafeGpuLock.Answer.Taken) answer).hold();
                    Python probe = Python.script(
                                    root,
                                    "probe.py",
                                    PROBE,
                                    root.resolve(NAME).toString(),
                                    root.resolve("safe_gpu").resolve(NAME).toString())
                            .says("ready")) {
                assertThat(fixture.routes()).hasSizeGreaterThan(20);
                for (Router.Route route : fixture.routes()) {
                    ask(fixture, route, id);
                    probe.hears("now");
                    assertThat(probe.line())
                            .as("the lock after %s %s", route.method(), route.pattern())
                            .isEqualTo("busy busy");
                }
            }
        }
    }

    /** Whatever comes of it; what goes on is not read to an end that it does not have. */
    private static void ask(ServerFixture fixture, Router.Route route, String id) throws IOException {
        String target = "/api/v1" + route.pattern().replace("{id}", id).replaceAll("\\{\\w+}", "x");
        if (route.method().equals("GET")) {
            try (Following wire = Wire.open(fixture.socket(), target)) {
                assertThat(wire.status()).as(target).isBetween(200, 499);
            }
        } else {
            Answer answer = Wire.ask(
                    UnixDomainSocketAddress.of(fixture.socket()),
                    route.method(),
                    target,
                    "{}".getBytes(StandardCharsets.UTF_8));
            assertThat(answer.status()).as(target).isBetween(200, 499);
        }
    }
}
