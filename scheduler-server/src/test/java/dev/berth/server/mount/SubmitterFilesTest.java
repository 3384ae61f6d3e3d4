package dev.berth.server.mount;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Submitter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SubmitterFilesTest {
    private static final Submitter ADA = new Submitter(1000, 1000, List.of(1000L), "ada");
    private static final Submitter BOB = new Submitter(1001, 1001, List.of(1001L), "bob");

    private final SubmitterFiles files = SubmitterFiles.own();

    /** One whose file system hangs has looks that never end. */
    @Test
    void oneUsersLooksLeaveRoomForOthers(@TempDir Path directory) throws InterruptedException {
        int hanging = 0;
        while (files.turns().take(ADA.uid(), Duration.ZERO).isPresent()) {
            hanging++;
        }
        assertThat(hanging).isLessThan(files.slots().availablePermits());
        try (SubmitterFiles.Opened found = files.open(directory.toString(), BOB)) {
            assertThat(found.real()).isEqualTo(directory);
        }
    }

    @Test
    void aLookGivesItsTurnBack(@TempDir Path directory) throws InterruptedException {
        int room = files.slots().availablePermits();
        for (int i = 0; i < room + 1; i++) {
            files.open(directory.toString(), ADA).close();
        }
        // The turn is given back right after the answer, by the thread that gave it.
        assertThat(files.turns().take(ADA.uid(), Duration.ofMinutes(1))).isPresent();
    }
}
