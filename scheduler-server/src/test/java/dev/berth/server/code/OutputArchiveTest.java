package dev.berth.server.code;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.TreeMap;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a job left behind, as hostile as it can be. */
class OutputArchiveTest {
    @TempDir
    private Path directory;

    private Map<String, String> packed(String path, boolean atRest) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        OutputArchive.write(directory, Path.of(path), atRest, bytes);
        Map<String, String> entries = new TreeMap<>();
        try (TarArchiveInputStream tar =
                new TarArchiveInputStream(new ByteArrayInputStream(bytes.toByteArray()), "UTF-8")) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                entries.put(
                        entry.getName(),
                        entry.isSymbolicLink()
                                ? "-> " + entry.getLinkName()
                                : Integer.toOctalString(entry.getMode()) + " " + entry.getSize());
            }
        }
        return entries;
    }

    @Test
    void modesNamesAndLinksAreKept() throws IOException {
        Path tool = Files.writeString(directory.resolve("tool"), "12345");
        Files.setPosixFilePermissions(tool, PosixFilePermissions.fromString("rwxr-x--x"));
        Files.createDirectories(directory.resolve("d/\u6df1/x".repeat(30)));
        Files.createSymbolicLink(directory.resolve("away"), Path.of("/etc/shadow"));
        Map<String, String> all = packed("", true);
        assertThat(all).containsEntry("tool", "751 5").containsEntry("away", "-> /etc/shadow");
        assertThat(all.keySet()).anyMatch(name -> name.endsWith("\u6df1/x/"));
    }

    @Test
    void linksOfAJobThatStillRunsAreLeftOut() throws IOException {
        Files.createSymbolicLink(directory.resolve("away"), Path.of("/etc/shadow"));
        Files.writeString(directory.resolve("a"), "x");
        assertThat(packed("", false)).containsOnlyKeys("a");
    }

    @Test
    void pipesAreLeftOutAndHoldNobodyUp() throws Exception {
        assertThat(new ProcessBuilder("mkfifo", directory.resolve("pipe").toString())
                        .start()
                        .waitFor())
                .isZero();
        Files.writeString(directory.resolve("a"), "x");
        assertThat(packed("", true)).containsOnlyKeys("a");
    }

    @Test
    void aDeepTreeEndsSomewhere() throws IOException {
        Path deep = directory;
        for (int i = 0; i < 300; i++) {
            deep = deep.resolve("d");
        }
        Files.createDirectories(deep);
        assertThat(packed("", true)).hasSizeBetween(100, 200);
    }

    @Test
    void aPathThroughALinkIsNotThere() throws IOException {
        Files.createSymbolicLink(directory.resolve("etc"), Path.of("/etc"));
        assertThat(OutputArchive.exists(directory, Path.of("etc"))).isTrue();
        assertThat(OutputArchive.exists(directory, Path.of("etc/passwd"))).isFalse();
        assertThat(OutputArchive.exists(directory, Path.of("nothing"))).isFalse();
        assertThat(OutputArchive.exists(directory.resolve("gone"), Path.of("a")))
                .isFalse();
    }
}
