package dev.berth.server.simulation;

import dev.berth.server.code.SnapshotStore;
import dev.berth.server.code.UploadLimits;
import dev.berth.server.example.Draft;
import dev.berth.server.example.Jobs;
import dev.berth.server.store.JobStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The files that worlds are played on. In memory where the machine has a place for that: what a world does must not wait
 * for a disk. What is the same in each world is made once.
 */
final class Stage implements AutoCloseable {
    private static final Path IN_MEMORY = Path.of("/dev/shm");

    /** Made once: uploads, an empty database of the newest schema, and one of the oldest. */
    record Scenery(Path directory, SnapshotStore snapshots, String snapshot, Path database, Path old)
            implements AutoCloseable {
        static Scenery build() {
            try {
                Path directory = newDirectory();
                SnapshotStore snapshots = new SnapshotStore(
                        Files.createDirectory(directory.resolve("snapshots")),
                        UploadLimits.DEFAULT,
                        InstantSource.fixed(Jobs.SUBMITTED));
                Draft draft = new Draft().file("main.py", "pass\n");
                String snapshot = draft.uploadTo(snapshots, Jobs.ADA.uid());
                String _ = draft.uploadTo(snapshots, Jobs.BOB.uid());
                Path database = directory.resolve("berth.db");
                new JobStore(database).close();
                Path old = directory.resolve("old.db");
                OldDatabase.write(old, snapshot);
                return new Scenery(directory, snapshots, snapshot, database, old);
            } catch (Exception e) {
                throw new IllegalStateException("the stage cannot be built", e);
            }
        }

        @Override
        public void close() {
            deleteTree(directory);
        }
    }

    private final Scenery scenery;
    private final Path directory;

    Stage(Scenery scenery) {
        this.scenery = scenery;
        try {
            directory = Files.createTempDirectory(scenery.directory(), "world");
            Files.createDirectory(jobs());
            Files.createDirectory(processes());
            Files.copy(scenery.database(), database());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path newDirectory() throws IOException {
        return Files.isWritable(IN_MEMORY)
                ? Files.createTempDirectory(IN_MEMORY, "berth-simulation-")
                : Files.createTempDirectory("berth-simulation-");
    }

    Path jobs() {
        return directory.resolve("jobs");
    }

    /** What is laid out for the containers of attempts. */
    Path runs() {
        return directory.resolve("runs");
    }

    Path database() {
        return directory.resolve("berth.db");
    }

    /** The database is one of the oldest schema. */
    void beginWithOldDatabase() {
        try {
            Files.copy(scenery.old(), database(), StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Path snapshotDirectory() {
        return scenery.snapshots().directory();
    }

    /** What the simulated kernel has instead of {@code /proc}. */
    Path processes() {
        return directory.resolve("proc");
    }

    String snapshot() {
        return scenery.snapshot();
    }

    @Override
    public void close() {
        deleteTree(directory);
    }

    private static void deleteTree(Path root) {
        try (Stream<Path> tree = Files.walk(root)) {
            List<Path> fromTheLeaves = tree.sorted(Comparator.reverseOrder()).toList();
            for (Path path : fromTheLeaves) {
                Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
