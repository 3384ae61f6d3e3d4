package dev.berth.server.code;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.security.auth.module.UnixSystem;
import dev.berth.core.job.Submitter;
import dev.berth.server.example.Together;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OutputPlacesTest {
    private static final int JOBS = 8;
    private static final int TRIES = 100;

    @TempDir
    private Path directory;

    @Test
    void theFirstJobsOfAUserMayBeginTogether() throws Exception {
        UnixSystem self = new UnixSystem();
        Submitter owner = new Submitter(self.getUid(), self.getGid(), List.of(), self.getUsername());
        for (int attempt = 0; attempt < TRIES; attempt++) {
            OutputPlaces places = new OutputPlaces(directory.resolve("users" + attempt), false);
            List<Path> all = Together.run(JOBS, () -> {
                places.open(owner);
                return places.ofUser(owner.uid());
            });
            assertThat(all).hasSize(JOBS).allSatisfy(one -> assertThat(one).isDirectory());
        }
    }
}
