package dev.berth.server.runner.docker;

import dev.berth.core.api.LogFrame;
import dev.berth.core.job.Allocation;
import dev.berth.core.job.JobId;
import dev.berth.core.job.Submitter;
import dev.berth.core.machine.Attempt;
import dev.berth.server.code.SnapshotStore;
import dev.berth.server.code.UploadLimits;
import dev.berth.server.code.Workspaces;
import dev.berth.server.config.Settings;
import dev.berth.server.example.Jobs;
import dev.berth.server.gpu.occupy.GpuGate;
import dev.berth.server.log.LogReader;
import dev.berth.server.log.LogStore;
import dev.berth.server.mount.MountRules;
import dev.berth.server.mount.Mounts;
import dev.berth.server.time.Clocks;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A container on an engine, and one server after the other that keeps its log. */
final class LoggedProgram {
    static final Attempt ATTEMPT = new Attempt(new JobId(1), 1);

    private final ContainerNames names;
    private final ContainerEngine engine;
    private final Path directory;
    private final Clocks clocks;
    private final long maxBytes;
    private LogStore store;
    private ContainerLogs logs;

    /**
     * A program that does not run yet.
     *
     * @param maxBytes how much of its log is kept
     */
    LoggedProgram(String server, ContainerEngine engine, Path directory, Clocks clocks, long maxBytes) {
        this.names = new ContainerNames(server);
        this.engine = engine;
        this.directory = directory;
        this.clocks = clocks;
        this.maxBytes = maxBytes;
        try {
            Files.createDirectories(directory.resolve("jobs"));
            Files.createDirectories(directory.resolve("snapshots"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        startServer();
    }

    String name() {
        return names.of(ATTEMPT);
    }

    /** It is attached to before it starts, as each one is. */
    void start(String image, List<String> command, List<ContainerPlan.Mount> mounts) {
        engine.create(new ContainerPlan(
                name(),
                engine.findImage(image).orElseThrow(),
                command,
                new Submitter(65_534, 65_534, List.of(), "nobody"),
                Map.of("PATH", "/usr/bin:/bin"),
                List.of(),
                new GpuAccess.None(),
                mounts,
                "/tmp",
                "none",
                new ContainerPlan.Limits(0, 0, List.of(), 0, 1L << 26, 256, 1L << 30),
                names.labels(ATTEMPT, Allocation.NONE)));
        logs.listen(ATTEMPT, name(), false);
        engine.start(name());
    }

    /** Starts the next server; the readers of the last one are gone. */
    void startServer() {
        Workspaces workspaces = new Workspaces(
                directory.resolve("jobs"),
                new SnapshotStore(directory.resolve("snapshots"), UploadLimits.DEFAULT, InstantSource.system()),
                false);
        store = new LogStore(workspaces::of, clocks, maxBytes);
        store.expect(ATTEMPT.job());
        ContainerParts parts = new ContainerParts(
                new ContainerPlans(names, workspaces, GpuHandover.SIMULATED, 1 << 26),
                workspaces,
                Mounts.asUser(new MountRules(Settings.of(), Path.of("/run/engine"), List.of())),
                store,
                _ -> Optional.of(Jobs.PROGRAM),
                _ -> List.of(),
                GpuGate.OPEN,
                StartCheck.NONE,
                Duration.ofSeconds(1),
                clocks);
        logs = new ContainerLogs(engine, parts, (_, _) -> {}, new Packs(parts, (_, _) -> {}, (_, _) -> {}));
    }

    /** Its server reads on, from the engine's copy. */
    void listenAgain() {
        logs.listen(ATTEMPT, name(), true);
    }

    /** Nothing more is read for its server, which was killed. */
    void leave() {
        logs.close(ATTEMPT.job());
    }

    /** It has ended, and its log is complete. */
    void finish() {
        logs.keepTheRest(ATTEMPT, name(), engine.inspect(name()).orElseThrow());
        logs.close(ATTEMPT.job());
        store.finish(ATTEMPT.job());
        engine.remove(name());
    }

    /** Whether its log has its beginning still. */
    boolean isWhole() {
        try (LogReader reader = store.reader(ATTEMPT.job())) {
            return reader.start() == 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What is kept of one stream, as a log's frames number it. */
    byte[] kept(int stream) {
        ByteArrayOutputStream kept = new ByteArrayOutputStream();
        ByteBuffer room = ByteBuffer.allocate(1 << 16);
        try (LogReader reader = store.reader(ATTEMPT.job())) {
            reader.seek(0);
            Optional<LogFrame> frame = reader.piece(room);
            while (frame.isPresent()) {
                if (frame.get().stream() == stream) {
                    kept.write(room.array(), 0, frame.get().length());
                }
                frame = reader.piece(room.clear());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return kept.toByteArray();
    }
}
