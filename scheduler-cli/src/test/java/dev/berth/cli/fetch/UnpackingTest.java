package dev.berth.cli.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.cli.TarBytes;
import dev.berth.cli.exit.Failure;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Archives of programs that mean well, and of those that do not. */
class UnpackingTest {
    @TempDir
    private Path directory;

    private Path target;

    @BeforeEach
    void place() {
        target = directory.resolve("out/job-17");
    }

    private Unpacking unpack(byte[] archive, boolean replace) throws IOException {
        Unpacking unpacking = new Unpacking(target, false, replace);
        unpacking.of(new ByteArrayInputStream(archive));
        return unpacking;
    }

    private Unpacking unpack(TarBytes archive) throws IOException {
        return unpack(archive.bytes(), false);
    }

    private void assertRefused(TarBytes archive, String sentence) throws IOException {
        assertThatThrownBy(() -> unpack(archive)).isInstanceOf(Failure.class).hasMessageContaining(sentence);
        assertNothingOutside();
    }

    /** Beside the directory there is only what the test put there. */
    private void assertNothingOutside() throws IOException {
        try (Stream<Path> beside = Files.list(directory)) {
            assertThat(beside)
                    .allMatch(path ->
                            List.of("out", "mine").contains(path.getFileName().toString()));
        }
        try (Stream<Path> beside = Files.list(directory.resolve("out"))) {
            assertThat(beside).containsExactly(target);
        }
    }

    @Test
    void filesDirectoriesAndLinksAreMade() throws IOException {
        String longName = "d/" + "x".repeat(150) + "/ü.txt";
        Unpacking done = unpack(new TarBytes()
                .directory("./")
                .directory("./d/")
                .file("./d/a.txt", "hello")
                .member("run.sh", '0', 04755, "", new byte[] {'!'})
                .pax("path", longName)
                .file("short", "long")
                .member("././@LongLink", 'L', 0, "", "gnu/name\0".getBytes(StandardCharsets.UTF_8))
                .file("short", "gnu")
                .member("g", 'g', 0, "", "11 path=zz\n".getBytes(StandardCharsets.UTF_8))
                .link("d/up", "../run.sh")
                .link("here", "d/a.txt")
                .directory("empty"));
        assertThat(target.resolve("d/a.txt")).hasContent("hello");
        assertThat(target.resolve(longName)).hasContent("long");
        assertThat(target.resolve("gnu/name")).hasContent("gnu");
        assertThat(target.resolve("d/up")).isSymbolicLink().hasContent("!");
        assertThat(target.resolve("here")).isSymbolicLink().hasContent("hello");
        assertThat(target.resolve("empty")).isEmptyDirectory();
        assertThat(Files.getPosixFilePermissions(target.resolve("run.sh")))
                .contains(PosixFilePermission.OWNER_EXECUTE, PosixFilePermission.OWNER_WRITE);
        assertThat((int) Files.getAttribute(target.resolve("run.sh"), "unix:mode") & 07000)
                .isZero();
        assertThat(done.files()).isEqualTo(6);
        assertThat(done.bytes()).isEqualTo(13);
        assertThat(done.leftOut()).isNull();
    }

    /** Who may write here made a link of that name, or a directory of theirs. */
    @Test
    void whatSomebodyElseHasPutThereIsNotTaken() throws IOException {
        Path mine = Files.createDirectory(directory.resolve("mine"));
        Files.createDirectory(directory.resolve("out"));
        Files.createSymbolicLink(target, mine);
        byte[] archive = new TarBytes().file("a", "x").bytes();
        assertThatThrownBy(() -> unpack(archive, true))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("is there and no directory of its own; remove it, or unpack elsewhere by -o DIR");
        assertThat(mine).isEmptyDirectory();

        Files.delete(target);
        Files.createDirectory(target);
        Files.setAttribute(target, "unix:uid", 54_321);
        assertThatThrownBy(() -> unpack(archive, true))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("is there and belongs to another user; unpack elsewhere by -o DIR");
        assertThat(target).isEmptyDirectory();

        Unpacking chosen = new Unpacking(target, true, false);
        chosen.of(new ByteArrayInputStream(archive));
        assertThat(target.resolve("a")).hasContent("x");
    }

    /** Whoever owns a directory on the way turns it into a link and back, all the time. */
    @Test
    void nothingIsWrittenThroughALinkThatComesMeanwhile() throws Exception {
        Path mine = Files.createDirectory(directory.resolve("mine"));
        Files.createDirectories(target.resolve("d"));
        AtomicBoolean over = new AtomicBoolean();
        Thread swapper = Thread.ofPlatform().start(() -> swap(target.resolve("d"), mine, over));
        int refused = 0;
        try {
            for (int times = 0; times < 300; times++) {
                try {
                    unpack(new TarBytes().file("d/a", "x").bytes(), true);
                } catch (Failure failure) {
                    refused++;
                }
                assertThat(mine).isEmptyDirectory();
            }
        } finally {
            over.set(true);
            swapper.join();
        }
        assertThat(refused).isPositive();
    }

    private void swap(Path folder, Path elsewhere, AtomicBoolean over) {
        Path kept = directory.resolve("out/kept");
        while (!over.get()) {
            try {
                Files.move(folder, kept, StandardCopyOption.REPLACE_EXISTING);
                Files.createSymbolicLink(folder, elsewhere);
                Files.delete(folder);
                Files.move(kept, folder);
            } catch (IOException made) {
                // The one that unpacks was first to make it, with its file in it.
                boolean _ = kept.resolve("a").toFile().delete();
            }
        }
    }

    @Test
    void whatTheServerLeftOutIsToldAndNotUnpacked() throws IOException {
        Unpacking done = unpack(new TarBytes()
                .file("a", "x")
                .pax("BERTH.leftout", "theirs and 2 more")
                .file("BERTH-LEFT-OUT.txt", "text"));
        assertThat(done.unread()).isEqualTo("theirs and 2 more");
        assertThat(done.leftOut()).isNull();
        try (Stream<Path> made = Files.list(target)) {
            assertThat(made).containsExactly(target.resolve("a"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"../x", "a/../../x", "a/..", "/etc/x", "//x", ".."})
    void aNameThatLeadsOutIsRefused(String name) throws IOException {
        assertRefused(new TarBytes().file(name, "x"), "the archive of the output names '" + name + "'");
    }

    @Test
    void aNameOfARecordIsCheckedAsWell() throws IOException {
        assertRefused(new TarBytes().pax("path", "../x").file("y", "x"), "which leads out of it");
        assertRefused(new TarBytes().pax("path", "a\0b").file("y", "x"), "which is no relative path");
    }

    /** Links and what becomes of them; the last ones go down through another link and then up. */
    @ParameterizedTest
    @CsvSource({
        "l, a, true",
        "l, ./a/b, true",
        "d/l, ../a, true",
        "l, ../a, false",
        "d/l, ../../a, false",
        "l, /etc/passwd, false",
        "l, /output/a, false",
        "l, a/.., false",
        "l, here/../../x, false",
        "d/e/l, ../../a, true",
    })
    void aLinkStaysWithin(String name, String link, boolean made) throws IOException {
        Unpacking done = unpack(new TarBytes().link("here", "d").link(name, link));
        assertThat(Files.isSymbolicLink(target.resolve(name))).isEqualTo(made);
        assertThat(done.leftOut()).isEqualTo(made ? null : name + " -> " + link);
        assertNothingOutside();
    }

    @Test
    void nothingIsWrittenThroughALink() throws IOException {
        Path mine = Files.createDirectory(directory.resolve("mine"));
        assertRefused(new TarBytes().directory("d").link("l", "d").file("l/x", "x"), "is there and no directory");
        Files.createSymbolicLink(target.resolve("m"), mine);
        assertRefused(new TarBytes().file("m/x", "x"), "is there and no directory");
        assertRefused(new TarBytes().file("m", "x"), "is there already; --force replaces it");
        assertThatThrownBy(() -> unpack(new TarBytes().file("m/x", "x").bytes(), true))
                .isInstanceOf(Failure.class);
        assertThat(unpack(new TarBytes().file("m", "x").bytes(), true).files()).isEqualTo(1);
        assertThat(target.resolve("m")).isRegularFile().hasContent("x");
        assertThat(mine).isEmptyDirectory();
    }

    @Test
    void whatIsThereIsReplacedOnlyWhereThatIsWanted() throws IOException {
        unpack(new TarBytes().file("a", "old").directory("d"));
        assertRefused(new TarBytes().file("a", "new"), "is there already; --force replaces it, -o DIR");
        assertRefused(new TarBytes().link("a", "d"), "is there already");
        assertThat(target.resolve("a")).hasContent("old");
        unpack(new TarBytes().directory("d").file("a", "new").bytes(), true);
        assertThat(target.resolve("a")).hasContent("new");
        assertThatThrownBy(() -> unpack(new TarBytes().file("d", "x").bytes(), true))
                .hasMessageContaining("is there and a directory");
        assertThatThrownBy(() ->
                        unpack(new TarBytes().file("a", "1").file("a", "2").bytes(), false))
                .hasMessageContaining("is there already");
    }

    @ParameterizedTest
    @ValueSource(chars = {'1', '3', '4', '6', 'S', 'Z'})
    void whatIsNoFileIsLeftOut(char type) throws IOException {
        Unpacking done = unpack(new TarBytes()
                .member("x", type, 0644, "/etc/passwd", new byte[0])
                .file("y", "y"));
        assertThat(done.leftOut()).isEqualTo("x (neither file nor directory nor link)");
        assertThat(Files.exists(target.resolve("x"), LinkOption.NOFOLLOW_LINKS)).isFalse();
        assertThat(target.resolve("y")).exists();
    }

    @Test
    void manyThatAreLeftOutAreCounted() throws IOException {
        TarBytes archive = new TarBytes();
        for (int link = 0; link < 5; link++) {
            archive.link("l" + link, "/x");
        }
        assertThat(unpack(archive).leftOut()).isEqualTo("l0 -> /x, l1 -> /x, l2 -> /x and 2 more");
    }

    @Test
    void aBreakLeavesNoHalfAFile() {
        byte[] archive = new TarBytes()
                .file("whole", "1")
                .file("half", "x".repeat(100_000))
                .bytes();
        assertThatThrownBy(() -> unpack(Arrays.copyOf(archive, 80_000), false)).isInstanceOf(EOFException.class);
        assertThat(target.resolve("whole")).exists();
        assertThat(target.resolve("half")).doesNotExist();
    }

    @Test
    void aBrokenArchiveIsTold() throws IOException {
        byte[] archive = new TarBytes().file("a", "1").bytes();
        archive[3]++;
        assertThatThrownBy(() -> unpack(archive, false)).hasMessageContaining("a header's checksum is wrong");
        assertThatThrownBy(() -> unpack(new TarBytes().file("a", "1").unended(), false))
                .hasMessageContaining("it ends without its last block");
        byte[] noise = new byte[512];
        Arrays.fill(noise, (byte) 'x');
        assertThatThrownBy(() -> unpack(noise, false)).hasMessageContaining("a number that is none");
        for (String record : List.of("99 path=x\n", "path=x\n", "x path=x\n", "-5 path=x\n", "9 pathxxx\n")) {
            assertRefused(
                    new TarBytes()
                            .member("p", 'x', 0, "", record.getBytes(StandardCharsets.UTF_8))
                            .file("b", "1"),
                    "a pax record in it");
        }
        assertRefused(
                new TarBytes().pax("size", "-1").file("b", "1"), "a pax record in it holds a number that is none");
    }
}
