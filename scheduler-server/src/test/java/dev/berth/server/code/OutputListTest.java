package dev.berth.server.code;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Submitter;
import dev.berth.server.linux.FileHandle;
import dev.berth.server.linux.UserThreads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Listing what a job left behind, as hostile as it can be. */
class OutputListTest {
    private static final Submitter ADA = new Submitter(12_345, 23_456, List.of(), "ada");
    private static final Submitter ROOT = new Submitter(0, 0, List.of(), "root");

    @TempDir
    private Path directory;

    private Optional<OutputList> list(String path, Submitter who) throws IOException {
        try (FileHandle output = FileHandle.of(directory)) {
            return UserThreads.ofRoot().call(who, () -> OutputList.of(output, Path.of(path)));
        }
    }

    private List<String> names(String path, Submitter who) throws IOException {
        return list(path, who).orElseThrow().entries().stream()
                .map(entry -> entry.type() + " " + entry.name() + " " + entry.bytes())
                .sorted()
                .toList();
    }

    @Test
    void filesDirectoriesAndLinksAreListed() throws IOException {
        Files.writeString(directory.resolve("result.json"), "12345");
        Files.createDirectories(directory.resolve("model/deep"));
        Files.writeString(directory.resolve("model/best.pt"), "123");
        Files.createSymbolicLink(directory.resolve("away"), Path.of("/etc"));
        assertThat(names("", ROOT)).containsExactly("DIRECTORY model null", "FILE result.json 5", "LINK away null");
        assertThat(names("model", ROOT)).containsExactly("DIRECTORY deep null", "FILE best.pt 3");
    }

    @Test
    void noLinkIsFollowedAndAFileIsNoDirectory() throws IOException {
        Files.createSymbolicLink(directory.resolve("away"), Path.of("/etc"));
        Files.writeString(directory.resolve("file"), "x");
        assertThat(list("away", ROOT)).isEmpty();
        assertThat(list("away/ssh", ROOT)).isEmpty();
        assertThat(list("file", ROOT)).isEmpty();
        assertThat(list("none", ROOT)).isEmpty();
    }

    @Test
    void whatTheOwnerMayNotReadIsNotListed() throws IOException {
        Files.setAttribute(directory, "unix:uid", (int) ADA.uid());
        Path closed = Files.createDirectory(directory.resolve("closed"));
        Files.writeString(closed.resolve("inner"), "hush");
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));
        assertThat(list("closed", ADA)).isEmpty();
        assertThat(names("closed", ROOT)).containsExactly("FILE inner 4");
    }

    @Test
    void aDirectoryOfManyFilesIsListedInPart() throws IOException {
        for (int i = 0; i <= OutputList.MAX_ENTRIES; i++) {
            Files.createFile(directory.resolve("f" + i));
        }
        OutputList list = list("", ROOT).orElseThrow();
        assertThat(list.more()).isTrue();
        assertThat(list.entries()).hasSize(OutputList.MAX_ENTRIES);
    }

    @Test
    void aPipeIsLeftOutAndHoldsNobodyUp() throws Exception {
        assertThat(new ProcessBuilder("mkfifo", directory.resolve("pipe").toString())
                        .start()
                        .waitFor())
                .isZero();
        assertThat(names("", ROOT)).isEmpty();
    }
}
