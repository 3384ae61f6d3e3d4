package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** As root, and with directories of somebody else. */
class TrustedPathTest {
    private static final int ADA = 12_345;

    @TempDir
    private Path directory;

    private Path shared;

    @BeforeEach
    void make() throws IOException {
        shared = Files.createDirectory(directory.resolve("shared"));
    }

    private static void allow(Path path, String rights) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(rights));
    }

    private void taken(Path place) {
        assertThatCode(() -> TrustedPath.require(place, "the data directory", "--data-dir"))
                .doesNotThrowAnyException();
    }

    private void refused(Path place, Path because) {
        assertThatThrownBy(() -> TrustedPath.require(place, "the data directory", "--data-dir"))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("the data directory " + place + " lies in " + because + ", where other users")
                .hasMessageContaining("take another place with --data-dir");
    }

    @Test
    void whatOnlyRootCanExchangeIsTaken() {
        taken(shared.resolve("data"));
        taken(shared.resolve("deep/down/data"));
        taken(Path.of("/data"));
        taken(Path.of("/var/lib/berth"));
        taken(Path.of("/tmp/berth-that-is-not-there"));
    }

    @Test
    void aDirectoryOfAnothersOnTheWayIsNot() throws IOException {
        Path data = Files.createDirectories(shared.resolve("inner/data"));
        Files.setAttribute(shared, "unix:uid", ADA);
        refused(data, shared);
        refused(shared.resolve("not/there/yet"), shared);
    }

    @Test
    void whereOthersMayRenameIsNot() throws IOException {
        allow(shared, "rwxrwxr-x");
        refused(shared.resolve("data"), shared);
        allow(shared, "rwxrwxrwx");
        refused(shared.resolve("data"), shared);
        Files.setAttribute(shared, "unix:mode", 01777);
        taken(shared.resolve("data"));
    }

    @Test
    void aLinkIsLookedAtOnBothOfItsSides() throws IOException {
        Path data = Files.createDirectories(shared.resolve("inner/data"));
        Path link = Files.createSymbolicLink(directory.resolve("link"), data);
        taken(link);
        Files.setAttribute(shared, "unix:uid", ADA);
        refused(link, shared);
        Path theirs = Files.createSymbolicLink(shared.resolve("link"), Path.of("/var/lib"));
        refused(theirs.resolve("berth"), shared);
    }

    /** From one link of root's through one in a directory of another's to a place of root's. */
    @Test
    void aLinkOfALinkIsLookedAtToo() throws IOException {
        Path data = Files.createDirectory(directory.resolve("data"));
        Path inner = Files.createSymbolicLink(shared.resolve("link"), Path.of("../data"));
        Path outer = Files.createSymbolicLink(directory.resolve("outer"), inner);
        taken(outer.resolve("berth"));
        taken(data.resolve("berth"));
        Files.setAttribute(shared, "unix:uid", ADA);
        refused(outer.resolve("berth"), shared);
        refused(outer, shared);
        taken(data.resolve("berth"));
    }

    @Test
    void linksThatLeadInACircleAreNoWay() throws IOException {
        Path link = Files.createSymbolicLink(directory.resolve("round"), Path.of("round"));
        assertThatThrownBy(() -> TrustedPath.require(link.resolve("data"), "the data directory", "--data-dir"))
                .isInstanceOf(FileSystemLoopException.class);
    }
}
