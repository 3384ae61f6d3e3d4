package dev.berth.server.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.server.example.Together;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DurableFilesTest {
    private static final int THREADS = 8;
    private static final int TRIES = 100;

    @TempDir
    private Path directory;

    @Test
    void severalMayMakeADirectoryAtOnce() throws Exception {
        for (int attempt = 0; attempt < TRIES; attempt++) {
            Path made = directory.resolve("made" + attempt);
            List<Path> all = Together.run(THREADS, () -> {
                DurableFiles.makeDirectory(made);
                return made;
            });
            assertThat(all).hasSize(THREADS).allSatisfy(one -> assertThat(one).isDirectory());
        }
    }

    @Test
    void aFileInItsPlaceIsNoDirectory() throws Exception {
        Path file = Files.createFile(directory.resolve("file"));
        assertThatThrownBy(() -> DurableFiles.makeDirectory(file)).isInstanceOf(FileAlreadyExistsException.class);
    }
}
