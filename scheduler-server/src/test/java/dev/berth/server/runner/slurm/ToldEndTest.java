package dev.berth.server.runner.slurm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Submitter;
import dev.berth.server.linux.Users;
import dev.berth.server.runner.slurm.SharedFiles.ToldEnd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is believed of the files in which scripts tell the ends of programs, as the machine's own shell reads them. */
@Timeout(60)
class ToldEndTest {
    @TempDir
    private Path shared;

    private SharedFiles files;
    private Submitter self;

    @BeforeEach
    void findSelf() throws IOException {
        int uid = (Integer) Files.getAttribute(shared, "unix:uid");
        UserPrograms programs = new UserPrograms(SlurmJobs.settings(Map.of(), shared.toString()), uid, new Users());
        self = programs.self();
        files = new SharedFiles(programs);
    }

    private void write(String job, String end) throws IOException {
        Path directory = Files.createDirectories(shared.resolve(self.name()).resolve(job));
        Files.writeString(directory.resolve("end"), end);
        Files.setLastModifiedTime(directory.resolve("end"), FileTime.from(Instant.ofEpochSecond(1_000)));
    }

    private static ToldEnd end(int code, @Nullable String why) {
        return new ToldEnd(code, Instant.ofEpochSecond(1_000), why);
    }

    @Test
    void onlyFixedWordsAreBelieved() throws IOException {
        write("a", "7\n");
        write("b", "125 image\n");
        write("c", "125 file\n");
        write("d", "125 container\nand more\n");
        write("e", "125 image of my own\n");
        write("f", "125 $(id)\n");
        write("g", "none image\n");
        write("h", "");
        assertThat(files.ends(self, List.of("a", "b", "c", "d", "e", "f", "g", "h", "i")))
                .isEqualTo(Map.of(
                        "a", end(7, null),
                        "b", end(125, "image"),
                        "c", end(125, "file"),
                        "d", end(125, "container"),
                        "e", end(125, null),
                        "f", end(125, null)));
    }
}
