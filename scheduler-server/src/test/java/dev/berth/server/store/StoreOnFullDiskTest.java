package dev.berth.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.berth.core.job.Job;
import dev.berth.server.example.Jobs;
import dev.berth.server.store.database.Backup.Kind;
import dev.berth.server.store.database.BackupException;
import dev.berth.server.store.database.Backups;
import dev.berth.server.store.database.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store on a real file system that is full. Needs the right to mount one, which root has. */
class StoreOnFullDiskTest {
    private static final int MEBIBYTE = 1 << 20;
    private static final int SIZE = 4;

    @TempDir
    private Path directory;

    private Path disk = Path.of("");

    @BeforeEach
    void mount() throws Exception {
        disk = Files.createDirectory(directory.resolve("disk"));
        run("mount", "-t", "tmpfs", "-o", "size=" + SIZE + "m", "tmpfs", disk.toString());
    }

    @AfterEach
    void unmount() throws Exception {
        run("umount", disk.toString());
    }

    private static void run(String... command) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder(command).inheritIO().start().waitFor())
                .as("%s", String.join(" ", command))
                .isZero();
    }

    private static void add(JobStore store, long id) {
        Job job = Jobs.queued(id, 1);
        store.write(Jobs.upTo(job));
        store.commit();
    }

    @Test
    void whatWasAcknowledgedIsThereWhenThereIsRoomAgain() throws IOException {
        Path file = disk.resolve("berth.db");
        Path ballast = disk.resolve("ballast");
        long acknowledged = 0;
        try (JobStore store = new JobStore(file)) {
            add(store, ++acknowledged);
            Files.write(ballast, new byte[2 * MEBIBYTE]);
            StoreException full = null;
            while (full == null && acknowledged < 10_000) {
                try {
                    add(store, acknowledged + 1);
                    acknowledged++;
                } catch (StoreException e) {
                    full = e;
                }
            }
            assertThat(full)
                    .isNotNull()
                    .hasMessageContaining("there is no room left at " + file)
                    .hasMessageContaining("make some and start the server again, nothing that was accepted is lost");
        }
        assertThat(acknowledged).isGreaterThan(10);
        StoreException refused = catchThrowableOfType(StoreException.class, () -> {
            try (JobStore store = new JobStore(file)) {
                for (long id = store.lastId() + 1; id < 10_000; id++) {
                    add(store, id);
                }
            }
        });
        assertThat(refused).as("the next start on a full disk").hasMessageContaining(file.toString());
        Files.delete(ballast);
        try (JobStore store = new JobStore(file)) {
            assertThat(store.lastId()).isGreaterThanOrEqualTo(acknowledged);
            add(store, store.lastId() + 1);
        }
        assertThat(Tables.rows(file, "PRAGMA integrity_check")).containsExactly("ok");
    }

    @Test
    void aBackupLeavesRoomForTheServer() {
        Path file = disk.resolve("berth.db");
        try (JobStore store = new JobStore(file)) {
            add(store, 1);
            BackupException refused = catchThrowableOfType(
                    BackupException.class, () -> Backups.beside(file).make(Kind.ASKED, Instant.EPOCH));
            assertThat(refused.kind()).isEqualTo(BackupException.Kind.NO_SPACE);
            assertThat(refused.sentence()).contains("make room, or name another place");
            add(store, 2);
        }
    }

    @Test
    void aFirstStartOnAFullDiskLeavesNoHalfDatabase() throws IOException {
        Path ballast = Files.write(disk.resolve("ballast"), new byte[SIZE * MEBIBYTE - 64 * 1024]);
        Path file = disk.resolve("berth.db");
        StoreException refused = catchThrowableOfType(StoreException.class, () -> new JobStore(file));
        assertThat(refused).hasMessageContaining(file.toString());
        assertThat(file).doesNotExist();
        Files.delete(ballast);
        new JobStore(file).close();
    }
}
