package dev.berth.chaos;

import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Command;
import dev.berth.system.fixture.Running;
import dev.berth.system.fixture.TestFiles;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The server under test, one process after the other. It stays in the foreground, so that it can be killed at any time. */
final class Server implements AutoCloseable {
    private static final int TRIES = 3;

    /** A machine that is busy with other things may take its time. */
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final List<String> complaints = new ArrayList<>();
    private final Berth berth;
    private final Path log;
    private Optional<Running> process = Optional.empty();

    Server(Berth berth) {
        this.berth = berth;
        this.log = berth.home().resolve("server.log");
    }

    /** What all its processes said. */
    Path log() {
        return log;
    }

    /** Starts that failed. */
    List<String> complaints() {
        return List.copyOf(complaints);
    }

    /** Starts a process, and does not wait for it. */
    void begin() {
        Command start = berth.startCommand("-g", "--foreground");
        List<String> words = new ArrayList<>(List.of("sh", "-c", "exec \"$@\" >>\"$0\" 2>&1", log.toString()));
        words.addAll(start.words());
        process = Optional.of(new Command(words, start.variables()).start());
    }

    /** Starts it, and returns when it answers. */
    void start() {
        for (int tries = 0; tries < TRIES; tries++) {
            begin();
            try {
                Await.that("the server answers or ends; see " + log, PATIENCE, () -> answers() || !isAlive());
            } catch (AssertionError stuck) {
                keepThreads();
                throw stuck;
            }
            if (isAlive()) {
                return;
            }
            complaints.add("a start failed: " + TestFiles.lines(log).getLast());
        }
        throw new AssertionError("the server does not start: " + complaints);
    }

    /** What its threads are at, beside its log: nobody can ask it later. */
    private void keepThreads() {
        String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        String pid = Long.toString(process.orElseThrow().pid());
        Path threads = log.resolveSibling("server.log.threads");
        Command.of(jcmd, pid, "Thread.dump_to_file", "-overwrite", threads.toString())
                .run();
        Path _ = TestFiles.write(
                log.resolveSibling("server.log.locks"),
                Command.of(jcmd, pid, "Thread.print", "-l").run().text());
    }

    boolean answers() {
        try {
            return berth.api().get("/server").status() == 200;
        } catch (UncheckedIOException _) {
            // There is no socket yet, or nobody at it.
            return false;
        }
    }

    private boolean isAlive() {
        return process.isPresent()
                && ProcessHandle.of(process.orElseThrow().pid())
                        .map(ProcessHandle::isAlive)
                        .orElse(false);
    }

    void kill() {
        process.ifPresent(Running::close);
        process = Optional.empty();
    }

    /** Ends it in order; how long that took. */
    Duration stop() {
        Running running = process.orElseThrow();
        long begin = System.nanoTime();
        running.terminate();
        Await.that("the server ends after a SIGTERM; see " + log, PATIENCE, () -> !isAlive());
        Duration took = Duration.ofNanos(System.nanoTime() - begin);
        kill();
        return took;
    }

    @Override
    public void close() {
        kill();
    }
}
