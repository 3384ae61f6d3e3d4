package dev.berth.server.code;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a job may leave behind, deleted without leaving its place. */
class TreeTest {
    @TempDir
    private Path directory;

    private Path outside;
    private Path place;
    private Path tree;

    @BeforeEach
    void makeATree() throws IOException {
        outside = Files.createDirectory(directory.resolve("outside"));
        Files.writeString(outside.resolve("precious"), "mine");
        place = Files.createDirectory(directory.resolve("place"));
        tree = Files.createDirectory(place.resolve("tree"));
        Files.writeString(place.resolve("neighbour"), "stays");
    }

    private void deleteAndLook() throws IOException {
        Tree.delete(place, "tree");
        try (Stream<Path> left = Files.list(place)) {
            assertThat(left.map(Path::getFileName).map(Path::toString)).containsExactly("neighbour");
        }
        assertThat(outside.resolve("precious")).hasContent("mine");
    }

    @Test
    void aTreeIsDeletedAndItsNeighboursAreNot() throws IOException {
        Files.createDirectories(tree.resolve("a/b/c"));
        Files.writeString(tree.resolve("a/b/f"), "x");
        Files.writeString(tree.resolve("f"), "x");
        deleteAndLook();
    }

    @Test
    void linksAreDeletedAndNotFollowed() throws IOException {
        Files.createSymbolicLink(tree.resolve("directory"), outside);
        Files.createSymbolicLink(tree.resolve("file"), outside.resolve("precious"));
        Files.createSymbolicLink(tree.resolve("root"), Path.of("/"));
        Files.createSymbolicLink(tree.resolve("up"), Path.of("../../outside"));
        Files.createSymbolicLink(tree.resolve("loop"), Path.of("loop"));
        Files.createSymbolicLink(tree.resolve("dangling"), Path.of("nowhere"));
        Files.createLink(tree.resolve("hard"), outside.resolve("precious"));
        deleteAndLook();
    }

    @Test
    void aLinkInPlaceOfTheTreeIsDeletedAndNotFollowed() throws IOException {
        Files.delete(tree);
        Files.createSymbolicLink(tree, outside);
        deleteAndLook();
    }

    @Test
    void aFileInPlaceOfTheTreeIsDeleted() throws IOException {
        Files.delete(tree);
        Files.writeString(tree, "x");
        deleteAndLook();
    }

    @Test
    void whatIsNotThereIsDeletedAlready() throws IOException {
        Files.delete(tree);
        deleteAndLook();
        Tree.delete(directory.resolve("missing"), "tree");
    }

    @Test
    void oddNamesSocketsAndPipesAreDeleted() throws IOException, InterruptedException {
        for (String name :
                new String[] {"-rf", " ", "...", "a\nb", "\u4e16\ud83d\udea2", "*", ".deep-0", "n".repeat(255)}) {
            Files.createDirectory(tree.resolve(name));
            Files.writeString(tree.resolve(name).resolve(name), "x");
        }
        try (ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            socket.bind(UnixDomainSocketAddress.of(tree.resolve("socket")));
        }
        Process mkfifo = new ProcessBuilder("mkfifo", tree.resolve("pipe").toString())
                .inheritIO()
                .start();
        assertThat(mkfifo.waitFor()).isZero();
        deleteAndLook();
    }

    @Test
    void directoriesWithoutAnyRightsAreDeleted() throws IOException {
        for (String mode : new String[] {"---------", "r-xr-xr-x", "--x------"}) {
            Path locked = Files.createDirectory(tree.resolve("locked" + mode));
            Files.writeString(locked.resolve("f"), "x");
            Files.setPosixFilePermissions(locked, PosixFilePermissions.fromString(mode));
        }
        deleteAndLook();
    }

    /** No path leads so far, no process has so many descriptors, and no stack goes so deep. */
    @Test
    void aTreeDeeperThanAnyPathIsDeleted() throws IOException {
        Path spare = Files.createDirectory(directory.resolve("spare"));
        for (int round = 0; round < 15; round++) {
            Path next = Files.createDirectory(spare.resolve("next"));
            Path bottom = next;
            for (int level = 0; level < 1_500; level++) {
                bottom = Files.createDirectory(bottom.resolve("d"));
            }
            Files.writeString(bottom.resolve("f"), "x");
            Files.move(tree, bottom.resolve("tree"));
            Files.move(next, tree);
        }
        deleteAndLook();
    }

    @Test
    void whatABrokenOffDeletionLeftIsDeletedByTheNext() throws IOException {
        Files.writeString(place.resolve(".deep-1"), "x");
        for (String name : new String[] {"tree", ".deep-0", ".deep-41"}) {
            Files.createDirectories(place.resolve(name).resolve("d/".repeat(200)));
        }
        deleteAndLook();
    }
}
