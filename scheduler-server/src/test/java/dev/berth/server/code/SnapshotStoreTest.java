package dev.berth.server.code;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.berth.core.api.SnapshotView;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Archives as they are uploaded, honest and hostile. */
class SnapshotStoreTest {
    @TempDir
    private Path directory;

    private SnapshotStore store;

    @BeforeEach
    void open() {
        store = new SnapshotStore(directory);
    }

    private List<String> kept() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private SnapshotException refusal(InputStream archive) throws IOException {
        SnapshotException refusal = catchThrowableOfType(SnapshotException.class, () -> store.keep(archive));
        assertThat(refusal).as("it was taken").isNotNull();
        assertThat(kept()).as("what is refused leaves nothing behind").isEmpty();
        return refusal;
    }

    private SnapshotException refusal(byte[] archive) throws IOException {
        return refusal(new ByteArrayInputStream(archive));
    }

    private static byte[] honest() {
        return new Tar()
                .directory("src/")
                .file("src/main.py", "print('ahoy')\n")
                .link("latest", "src/main.py")
                .bytes();
    }

    @Test
    void anHonestArchiveIsKeptByteForByteUnderItsDigest() throws Exception {
        SnapshotView view = store.keep(new ByteArrayInputStream(honest()));
        String digest =
                HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(honest()));
        assertThat(view).isEqualTo(new SnapshotView(digest, 1, 14));
        assertThat(kept()).containsExactly(digest + ".tar");
        assertThat(store.file(digest)).hasBinaryContent(honest());
        assertThat(store.holds(digest)).isTrue();
    }

    @Test
    void theSameArchiveIsKeptOnce() throws Exception {
        SnapshotView first = store.keep(new ByteArrayInputStream(honest()));
        assertThat(store.keep(new ByteArrayInputStream(honest()))).isEqualTo(first);
        assertThat(kept()).hasSize(1);
    }

    @Test
    void anEmptyDirectoryIsASnapshotToo() throws Exception {
        SnapshotView view = store.keep(new Tar().stream());
        assertThat(view.files()).isZero();
        assertThat(view.bytes()).isZero();
        assertThat(store.holds(view.snapshot())).isTrue();
    }

    @Test
    void zerosBehindTheEndBelongToTheArchive() throws Exception {
        byte[] padded = Arrays.copyOf(honest(), 10 * 10_240);
        SnapshotView view = store.keep(new ByteArrayInputStream(padded));
        assertThat(store.file(view.snapshot())).hasBinaryContent(padded);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "../../etc/passwd", "AB", "upload-1.partial", "5A"})
    void onlyADigestCanBeHeld(String name) {
        assertThat(store.holds(name)).isFalse();
        assertThat(store.holds(name.repeat(32))).isFalse();
    }

    @Test
    void aDigestThatWasNeverUploadedIsNotHeld() {
        assertThat(store.holds("0".repeat(64))).isFalse();
    }

    private static Arguments bad(String what, Tar archive, String sentence) {
        return Arguments.argumentSet(what, archive.bytes(), sentence);
    }

    static List<Arguments> hostile() {
        return List.of(
                bad("parent", new Tar().file("../evil", "x"), "'../evil' leads out"),
                bad("parents", new Tar().file("../../../../etc/cron.d/evil", "x"), "leads out"),
                bad("absolute", new Tar().file("/etc/evil", "x"), "'/etc/evil' leads out"),
                bad("absolute directory", new Tar().directory("/evil/"), "leads out"),
                bad("through a parent", new Tar().file("a/../../b", "x"), "leads out"),
                bad("through a parent and back", new Tar().file("a/../b", "x"), "leads out"),
                bad("only parents", new Tar().directory(".."), "leads out"),
                bad("trailing parent", new Tar().directory("a/.."), "leads out"),
                bad("empty part", new Tar().file("a//b", "x"), "leads out"),
                bad("dot part", new Tar().file("a/./b", "x"), "leads out"),
                bad("doubled dot", new Tar().file("././a", "x"), "leads out"),
                bad("NUL in a name", new Tar().pax("path", "a\0b").file("a", "x"), "holds a NUL"),
                bad("NUL in a link", new Tar().pax("linkpath", "a\0b").link("l", "a"), "the link 'l' leads out"),
                bad("long name", new Tar().pax("path", "n".repeat(256)).file("n", "x"), "longer than the 255 bytes"),
                bad(
                        "long name in UTF-8",
                        new Tar().pax("path", "\u00fc".repeat(128)).file("n", "x"),
                        "longer than the 255 bytes"),
                bad("long path", new Tar().pax("path", "a/".repeat(2_500) + "a").file("a", "x"), "too long"),
                bad("deep path", new Tar().pax("path", "a/".repeat(128) + "a").file("a", "x"), "128 deep"),
                bad("link to the root", new Tar().link("l", "/"), "the link 'l' leads out of the directory, to '/'"),
                bad("link to a file outside", new Tar().link("l", "/etc/shadow"), "leads out"),
                bad(
                        "link to the parent",
                        new Tar().link("l", ".."),
                        "the link 'l' leads out of the directory, to '..'"),
                bad("link out of a directory", new Tar().directory("a/b/").link("a/b/l", "../../../x"), "leads out"),
                bad("link by detour", new Tar().directory("a/").link("l", "a/../../x"), "leads out"),
                bad("link to nothing", new Tar().link("l", ""), "leads out"),
                bad(
                        "link through a link",
                        new Tar().directory("d/e/").link("d/e/up", "../..").link("out", "d/e/up/.."),
                        "the link 'out' leads out"),
                bad(
                        "link through a later link",
                        new Tar().link("out", "d/e/up/..").directory("d/e/").link("d/e/up", "../.."),
                        "the link 'out' leads out"),
                bad(
                        "chain of links",
                        new Tar()
                                .directory("d/")
                                .link("d/a", "b")
                                .link("d/b", "..")
                                .link("z", "d/a/../x"),
                        "the link 'z' leads out"),
                bad("file below a link", new Tar().link("l", "d").file("l/f", "x"), "lies below"),
                bad("file far below a link", new Tar().link("l", "d").file("l/a/b/c", "x"), "lies below"),
                bad("directory below a link", new Tar().link("l", "d").directory("l/a/"), "lies below"),
                bad("link below a link", new Tar().link("l", "d").link("l/m", "x"), "lies below"),
                bad("file below a file", new Tar().file("f", "x").file("f/g", "x"), "lies below"),
                bad("file twice", new Tar().file("f", "x").file("f", "y"), "holds 'f' twice"),
                bad("file twice, once with a dot", new Tar().file("f", "x").file("./f", "y"), "holds 'f' twice"),
                bad("link in place of a file", new Tar().file("f", "x").link("f", "y"), "holds 'f' twice"),
                bad("file in place of a link", new Tar().link("f", "y").file("f", "x"), "holds 'f' twice"),
                bad("link in place of a directory", new Tar().directory("d/").link("d", "x"), "holds 'd' twice"),
                bad("link in place of a parent", new Tar().file("d/f", "x").link("d", "y"), "holds 'd' twice"),
                bad("file in place of a parent", new Tar().file("d/e/f", "x").file("d/e", "y"), "holds 'd/e' twice"),
                bad("directory in place of a file", new Tar().file("d", "x").directory("d/"), "holds 'd' twice"),
                bad("the root as a file", new Tar().file(".", "x"), "neither a regular file"),
                bad("the root as a link", new Tar().link(".", "x"), "neither a regular file"),
                bad("hard link", new Tar().file("f", "x").entry("h", '1'), "'h' is neither a regular file"),
                bad("character device", new Tar().entry("null", '3'), "'null' is neither a regular file"),
                bad("block device", new Tar().entry("sda", '4'), "'sda' is neither a regular file"),
                bad("fifo", new Tar().entry("pipe", '6'), "'pipe' is neither a regular file"),
                bad("sparse file", new Tar().entry("holes", 'S'), "'holes' is neither a regular file"),
                bad(
                        "sparse file by pax",
                        new Tar()
                                .pax("GNU.sparse.size", "4096", "GNU.sparse.map", "0,1")
                                .file("holes", "x"),
                        "'holes' is neither a regular file"),
                bad("unknown type", new Tar().entry("odd", 'Q'), "'odd' is neither a regular file"),
                bad("volume label", new Tar().entry("label", 'V'), "'label' is neither a regular file"),
                bad("control characters", new Tar().file("../\u001b[2J\n", "x"), "'../?[2J?' leads out"));
    }

    @ParameterizedTest
    @MethodSource("hostile")
    void whatHasNoBusinessInASnapshotIsRefused(byte[] archive, String sentence) throws IOException {
        SnapshotException refusal = refusal(archive);
        assertThat(refusal.sentence()).contains(sentence);
        assertThat(refusal.isTooLarge()).isFalse();
    }

    @Test
    void whateverIsCutOffIsRefused() throws IOException {
        byte[] whole = honest();
        int contentEnds = whole.length - 2 * Tar.BLOCK;
        for (int length = 0; length < contentEnds + Tar.BLOCK; length += 128) {
            SnapshotException refusal = refusal(Arrays.copyOf(whole, length));
            assertThat(refusal.sentence()).as("cut at %d", length).contains("not a whole tar archive");
        }
    }

    /** The zeros at the end of a file are not the end of the archive. */
    @Test
    void aFileOfZerosIsNotTheEnd() throws IOException {
        byte[] cut = new Tar().file("zeros", "\0".repeat(4 * Tar.BLOCK)).unended();
        assertThat(refusal(cut).sentence()).contains("its end is missing");
        byte[] padded = new Tar().file("zeros", "\0".repeat(Tar.BLOCK + 1)).unended();
        assertThat(refusal(padded).sentence()).contains("its end is missing");
    }

    @ParameterizedTest
    @ValueSource(strings = {"not a tar archive at all", "{\"name\": 1}", "PK\u0003\u0004", "\u001f\u008b\u0008\0"})
    void garbageIsRefused(String start) throws IOException {
        byte[] garbage = start.repeat(400).getBytes(StandardCharsets.ISO_8859_1);
        assertThat(refusal(garbage).sentence()).contains("not a whole tar archive");
    }

    @Test
    void aHeaderWithAWrongChecksumIsRefused() throws IOException {
        byte[] archive = new Tar().file("f", "x").bytes();
        archive[0] = 'g';
        assertThat(refusal(archive).sentence()).contains("checksum is wrong");
    }

    @Test
    void aHeaderThatPromisesMoreThanComesIsRefused() throws IOException {
        byte[] archive =
                new Tar().raw(Tar.header("f", '0', 1_000_000, 0644, "")).bytes();
        assertThat(refusal(archive).sentence()).contains("not a whole tar archive");
    }

    @Test
    void aHeaderThatPromisesLessThanComesIsRefused() throws IOException {
        byte[] archive = new Tar()
                .raw(Tar.header("f", '0', 10, 0644, ""))
                .raw(bytes("y".repeat(2 * Tar.BLOCK)))
                .bytes();
        assertThat(refusal(archive).sentence()).contains("not a whole tar archive");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void aHeaderWithANegativeSizeIsRefused() throws IOException {
        byte[] header = Tar.header("f", '0', 0, 0644, "");
        Arrays.fill(header, 124, 136, (byte) 0xff);
        assertThat(refusal(new Tar().raw(Tar.sealed(header)).bytes()).sentence())
                .contains("not a whole tar archive");
    }

    @Test
    void aSizeBeyondTheLimitIsRefusedBeforeItsBytesAreRead() throws IOException {
        byte[] header = Tar.header("f", '0', SnapshotEntries.MAX_BYTES + 1, 0644, "");
        Endless content = new Endless();
        SnapshotException refusal = refusal(new SequenceInputStream(new ByteArrayInputStream(header), content));
        assertThat(refusal.isTooLarge()).isTrue();
        assertThat(refusal.sentence()).isEqualTo("the archive holds more than 1024 MiB");
        assertThat(content.read).isZero();
    }

    @Test
    void anUploadThatDoesNotEndIsRefused() throws IOException {
        store = new SnapshotStore(directory, 1 << 20);
        Endless zeros = new Endless();
        SnapshotException refusal = refusal(new SequenceInputStream(new ByteArrayInputStream(honest()), zeros));
        assertThat(refusal.isTooLarge()).isTrue();
        assertThat(refusal.sentence()).isEqualTo("the upload is larger than 1 MiB");
        assertThat(zeros.read).isLessThan(2 << 20);
    }

    /** The library keeps long names in memory, whatever the header says of their length. */
    @ParameterizedTest
    @ValueSource(chars = {'L', 'K', 'x', 'g', 'X'})
    void aNameOfManyMegabytesIsRefusedWithoutReadingIt(char type) throws IOException {
        byte[] header = Tar.header("././@LongLink", type, 900L << 20, 0644, "");
        Endless name = new Endless();
        SnapshotException refusal = refusal(new SequenceInputStream(new ByteArrayInputStream(header), name));
        assertThat(refusal.sentence()).contains("not a whole tar archive");
        assertThat(name.read).isLessThan(1 << 20);
    }

    /** The library goes one call deeper for each header that is about the next one. */
    @ParameterizedTest
    @ValueSource(chars = {'g', 'x'})
    void headersAboutHeadersWithoutEndAreRefused(char type) throws IOException {
        Tar archive = new Tar();
        for (int i = 0; i < 20_000; i++) {
            archive.extended(type, "comment", "deeper");
        }
        assertThat(refusal(archive.file("f", "x").bytes()).sentence()).contains("a header is longer than");
    }

    @Test
    void moreEntriesThanAllowedAreRefused() throws IOException {
        Tar archive = new Tar();
        for (int i = 0; i <= SnapshotEntries.MAX_ENTRIES; i++) {
            archive.directory("d" + i + "/");
        }
        SnapshotException refusal = refusal(archive.bytes());
        assertThat(refusal.isTooLarge()).isTrue();
        assertThat(refusal.sentence()).contains("more than 100000 files and directories");
    }

    @Test
    void aDiskThatFailsIsNoFaultOfTheUpload() {
        SnapshotStore nowhere = new SnapshotStore(directory.resolve("missing"));
        assertThatThrownBy(() -> nowhere.keep(new ByteArrayInputStream(honest())))
                .isInstanceOf(IOException.class);
    }

    @Test
    void anUploadThatBreaksOffIsRefused() throws IOException {
        InputStream broken = new InputStream() {
            @Override
            public int read() throws IOException {
                throw new IOException("connection reset");
            }

            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                throw new IOException("connection reset");
            }
        };
        InputStream archive = new SequenceInputStream(new ByteArrayInputStream(honest(), 0, 700), broken);
        assertThat(refusal(archive).sentence()).isEqualTo("the upload is not a whole tar archive: connection reset");
    }

    static List<Arguments> harmless() {
        return List.of(
                Arguments.argumentSet(
                        "links",
                        new Tar()
                                .directory("a/b/")
                                .file("a/b/f", "x")
                                .link("a/b/up", "../..")
                                .link("a/b/root", "../../a/./b//f")
                                .link("dangling", "nowhere/at/all")
                                .link("self", "self")
                                .link("ping", "pong")
                                .link("pong", "ping/x")
                                .link("here", ".")
                                .link("deep", "a/b")
                                .link("back", "deep/../../x")
                                .bytes()),
                Arguments.argumentSet(
                        "the root itself",
                        new Tar()
                                .directory("./")
                                .file("./f", "x")
                                .directory(".")
                                .bytes()),
                Arguments.argumentSet(
                        "parents that are not named, or late, or twice",
                        new Tar()
                                .file("a/b/c/d", "x")
                                .directory("a/b/")
                                .directory("a/b/")
                                .directory("a")
                                .bytes()),
                Arguments.argumentSet(
                        "old and contiguous files",
                        new Tar().entry("old", '\0').entry("contiguous", '7').bytes()),
                Arguments.argumentSet(
                        "odd names",
                        new Tar()
                                .file("...", "x")
                                .file("..a", "x")
                                .file(" ", "x")
                                .file("-rf", "x")
                                .file("a\nb", "x")
                                .file("back\\slash", "x")
                                .pax("path", "\u4e16\u754c/\ud83d\udea2")
                                .file("n", "x")
                                .pax("path", "n".repeat(255))
                                .file("n", "x")
                                .bytes()));
    }

    @ParameterizedTest
    @MethodSource("harmless")
    void oddButHarmlessArchivesAreTaken(byte[] archive) throws Exception {
        SnapshotView view = store.keep(new ByteArrayInputStream(archive));
        assertThat(store.holds(view.snapshot())).isTrue();
    }

    /** As the command line writes it: pax headers for what does not fit into a header. */
    @Test
    void longAndForeignNamesAreTaken() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (TarArchiveOutputStream tar = new TarArchiveOutputStream(bytes, "UTF-8")) {
            tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
            tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
            tar.setAddPaxHeadersForNonAsciiNames(true);
            for (String name :
                    List.of("\u00fcber/\u6587\u4ef6.txt", "long/" + "n".repeat(200), "e\u0301\ud83d\udea2")) {
                TarArchiveEntry entry = new TarArchiveEntry(name);
                entry.setSize(3);
                tar.putArchiveEntry(entry);
                tar.write(bytes("abc"));
                tar.closeArchiveEntry();
            }
        }
        SnapshotView view = store.keep(new ByteArrayInputStream(bytes.toByteArray()));
        assertThat(view.files()).isEqualTo(3);
        assertThat(view.bytes()).isEqualTo(9);
    }

    /** Zeros without end, and how many of them somebody took. */
    private static final class Endless extends InputStream {
        private long read;

        @Override
        public int read() {
            read++;
            return 0;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) {
            Arrays.fill(bytes, offset, offset + length, (byte) 0);
            read += length;
            return length;
        }
    }
}
