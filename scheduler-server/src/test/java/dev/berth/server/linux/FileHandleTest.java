package dev.berth.server.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileHandleTest {
    @TempDir
    private Path directory;

    /** As rename(2) does, of an empty directory of anybody's. */
    @Test
    void whatIsThereIsNotReplacedByAnotherName() throws IOException {
        Files.createDirectories(directory.resolve("made/inner"));
        Path there = Files.createDirectory(directory.resolve("there"));
        try (FileHandle above = FileHandle.of(directory)) {
            assertThatThrownBy(() -> above.rename("made", "there")).isInstanceOf(FileAlreadyExistsException.class);
            assertThat(there).isEmptyDirectory();
            above.rename("made", "new");
        }
        assertThat(directory.resolve("new/inner")).isDirectory();
        assertThat(directory.resolve("made")).doesNotExist();
    }
}
