package dev.berth.chaos;

import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.Command;
import dev.berth.system.fixture.Ran;
import dev.berth.system.fixture.StandInEngine;
import dev.berth.system.fixture.TestFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The daemon of a stand-in engine: killed, stopped, frozen, and started again as it was. */
final class Daemon {
    /** A machine that is busy with other things may take its time. */
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final StandInEngine engine;
    private final List<String> words;

    private Daemon(StandInEngine engine, List<String> words) {
        this.engine = engine;
        this.words = words;
    }

    /** The daemon that runs. */
    static Daemon of(StandInEngine engine) {
        return new Daemon(
                engine, List.of(TestFiles.read(proc(pid(engine), "cmdline")).split("\0")));
    }

    private static Path proc(long pid, String file) {
        return Path.of("/proc", Long.toString(pid), file);
    }

    private static long pid(StandInEngine engine) {
        return Long.parseLong(TestFiles.read(engine.folder().resolve("pid")).strip());
    }

    /** Whether containers outlive the daemon ("live-restore"), from now on. */
    void keepContainers(boolean keep) {
        Path configuration = engine.folder().resolve("daemon.json");
        String without = TestFiles.read(configuration).replaceFirst("\\{\\s*\"live-restore\": \\w+,", "{");
        Path _ = TestFiles.write(configuration, without.replaceFirst("\\{", "{ \"live-restore\": " + keep + ","));
        signal("HUP");
        Await.that(
                "the engine keeps containers: " + keep,
                () -> engine.engine()
                        .docker("info", "--format", "{{.LiveRestoreEnabled}}")
                        .text()
                        .equals(Boolean.toString(keep)));
    }

    /** Ends it at once, and its containerd, which goes with it anyway but may take a moment. */
    void kill() {
        long daemon = pid(engine);
        signal("KILL");
        awaitEnd(daemon);
        Path containerd = engine.folder().resolve("exec/containerd/containerd.pid");
        long pid = Long.parseLong(TestFiles.read(containerd).strip());
        // It may be finished already.
        Ran _ = Command.of("kill", "-KILL", Long.toString(pid)).run();
        Await.that("the engine's containerd ends", () -> !isAlive(pid));
        TestFiles.delete(containerd);
    }

    /** Ends it in order. */
    void terminate() {
        long daemon = pid(engine);
        signal("TERM");
        awaitEnd(daemon);
    }

    void freeze() {
        signal("STOP");
    }

    void thaw() {
        signal("CONT");
    }

    private void signal(String name) {
        Command.of("kill", "-" + name, Long.toString(pid(engine))).run().expect(0);
    }

    private void awaitEnd(long pid) {
        Await.that("the engine's daemon ends", PATIENCE, () -> !isAlive(pid));
        // Its number may soon be another process's, or that of one whose parent takes no notice of its end: for either
        // the
        // next one would not start.
        TestFiles.delete(engine.folder().resolve("pid"));
    }

    /** One that has ended may still wait for its parent to take notice. */
    private static boolean isAlive(long pid) {
        try {
            String stat = Files.readString(proc(pid, "stat"));
            return "ZX".indexOf(stat.charAt(stat.lastIndexOf(')') + 2)) < 0;
        } catch (IOException _) {
            return false;
        }
    }

    /** Starts it again, and returns when it answers. */
    void start() {
        try {
            Process _ = new ProcessBuilder(words)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(
                            engine.folder().resolve("log").toFile()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Await.that(
                "the engine's daemon answers",
                () -> Command.of("docker", "version")
                                .with(engine.engine().variables())
                                .run()
                                .exitCode()
                        == 0);
    }
}
