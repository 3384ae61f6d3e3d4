package dev.berth.cli.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SnapshotTest {
    @TempDir
    private Path outside;

    private Path directory() throws IOException {
        return Files.createDirectories(outside.resolve("project"));
    }

    private Path write(String name, String text) throws IOException {
        Path file = directory().resolve(name);
        Path parent = file.getParent();
        assertThat(parent).isNotNull();
        Files.createDirectories(parent);
        return Files.writeString(file, text);
    }

    private Path link(String name, String target) throws IOException {
        return Files.createSymbolicLink(directory().resolve(name), Path.of(target));
    }

    private SnapshotPlan plan() throws IOException {
        return DirectoryScan.of(directory(), SnapshotLimits.DEFAULT);
    }

    private byte[] archive() throws IOException {
        return archive(plan());
    }

    private static byte[] archive(SnapshotPlan plan) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new SnapshotArchive(plan).writeTo(bytes);
        return bytes.toByteArray();
    }

    private static List<TarArchiveEntry> entries(byte[] archive) throws IOException {
        List<TarArchiveEntry> entries = new ArrayList<>();
        try (TarArchiveInputStream tar =
                new TarArchiveInputStream(new ByteArrayInputStream(archive), StandardCharsets.UTF_8.name())) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                entries.add(entry);
            }
        }
        return entries;
    }

    private List<String> names() throws IOException {
        return entries(archive()).stream().map(TarArchiveEntry::getName).toList();
    }

    private AbstractThrowableAssert<?, ?> assertRefused() {
        return assertThatThrownBy(this::plan)
                .isInstanceOfSatisfying(
                        Failure.class, failure -> assertThat(failure.exitCode()).isEqualTo(ExitCode.USAGE));
    }

    @Test
    void entriesAreSortedAndEachDirectoryComesBeforeWhatIsInIt() throws IOException {
        write("b/z", "");
        write("b/a/x", "");
        write("b.txt", "");
        write("a", "");
        write("B", "");
        Files.createDirectories(directory().resolve("empty"));
        assertThat(names()).containsExactly("B", "a", "b/", "b/a/", "b/a/x", "b/z", "b.txt", "empty/");
    }

    @Test
    void theSameDirectoryGivesTheSameBytes() throws IOException {
        Files.setLastModifiedTime(write("b/x", "text"), FileTime.fromMillis(1_700_000_000_999L));
        Files.setLastModifiedTime(write("a", "more"), FileTime.fromMillis(1_700_000_000_000L));
        link("l", "a");
        byte[] first = archive();
        Files.setLastModifiedTime(directory().resolve("b"), FileTime.fromMillis(5_000));
        write("b/__pycache__/x.pyc", "skipped");
        assertThat(archive()).isEqualTo(first);
    }

    @Test
    void filesKeepModeTimeAndContentButNoOwner() throws IOException {
        Path script = write("run.sh", "#!/bin/sh\n");
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-x--x"));
        Files.setLastModifiedTime(script, FileTime.fromMillis(1_700_000_000_500L));
        byte[] archive = archive();
        TarArchiveEntry entry = entries(archive).getFirst();
        assertThat(entry.getMode()).isEqualTo(0751);
        assertThat(entry.getSize()).isEqualTo(10);
        assertThat(entry.getLastModifiedTime().toMillis()).isEqualTo(1_700_000_000_000L);
        assertThat(entry.getLongUserId()).isZero();
        assertThat(entry.getUserName()).isEmpty();
        assertThat(entry.getGroupName()).isEmpty();
        assertThat(new String(archive, StandardCharsets.UTF_8)).contains("#!/bin/sh\n");
    }

    @Test
    void aDirectoryIsAlwaysUsableByItsOwner() throws IOException {
        write("d/x", "");
        Files.setPosixFilePermissions(directory().resolve("d"), PosixFilePermissions.fromString("r-xr-xr-x"));
        assertThat(entries(archive()).getFirst().getMode()).isEqualTo(0755);
        Files.setPosixFilePermissions(directory().resolve("d"), PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @Test
    void longAndForeignNamesSurvive() throws IOException {
        String name = "ü漢🚀/" + "n".repeat(200) + "/" + "m".repeat(200);
        write(name, "x");
        link("l", name);
        List<TarArchiveEntry> entries = entries(archive());
        assertThat(entries).extracting(TarArchiveEntry::getName).contains(name);
        assertThat(entries.getFirst().getLinkName()).isEqualTo(name);
    }

    @Test
    void hardLinksAreTwoFiles() throws IOException {
        Files.createLink(directory().resolve("second"), write("first", "same"));
        assertThat(entries(archive())).hasSize(2).allSatisfy(entry -> {
            assertThat(entry.isFile()).isTrue();
            assertThat(entry.getSize()).isEqualTo(4);
        });
    }

    @Test
    void whatIsNotCodeIsLeftOut() throws IOException {
        write(".git/config", "");
        write("a/.git", "gitdir: elsewhere");
        write("a/__pycache__/x.pyc", "");
        write("node_modules/x/y.js", "");
        write(".berth/x", "");
        write(".venv/pyvenv.cfg", "");
        write("b/venv/pyvenv.cfg", "");
        write("venv/model.py", "");
        write("a/main.py", "");
        assertThat(names()).containsExactly("a/", "a/main.py", "b/", "venv/", "venv/model.py");
        assertThat(plan().skipped())
                .containsExactly(".berth", ".git", ".venv", "a/.git", "a/__pycache__", "b/venv", "node_modules");
    }

    @Test
    void theDirectoryItselfMayBeALinkAndMayBeNamedAnything() throws IOException {
        write("main.py", "");
        Path link = Files.createSymbolicLink(outside.resolve("node_modules"), directory());
        SnapshotPlan plan = DirectoryScan.of(link, SnapshotLimits.DEFAULT);
        assertThat(plan.root()).isEqualTo(directory().toRealPath());
        assertThat(plan.files()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"a, x", "b/l, ../a", "b/l, ./../b/../a", "l, b", "l, dangling", "l, .", "b/l, ../b/up/a", "l, l"})
    void aLinkThatStaysWithinIsKept(String name, String target) throws IOException {
        write("x", "");
        write("b/y", "");
        if (target.contains("up")) {
            link("b/up", "..");
        }
        link(name, target);
        assertThat(entries(archive()))
                .filteredOn(entry -> entry.getName().equals(name))
                .singleElement()
                .satisfies(entry -> {
                    assertThat(entry.isSymbolicLink()).isTrue();
                    assertThat(entry.getLinkName()).isEqualTo(target);
                });
    }

    @ParameterizedTest
    @CsvSource({
        "l, ..",
        "l, ../project/x",
        "l, b/../../project",
        "b/l, ../../x",
        "l, /etc/passwd",
        "b/l, ../self/../x",
        "l, here/../x",
        "l, dangling/../../x",
    })
    void aLinkThatLeadsOutIsRefused(String name, String target) throws IOException {
        write("x", "");
        write("b/y", "");
        link("self", ".");
        link("here", "b/..");
        link(name, target);
        assertRefused().hasMessageContaining(directory().resolve(name) + " is a symbolic link to " + target);
    }

    @Test
    void anAbsoluteLinkIsRefusedAlsoWhereItLeadsInside() throws IOException {
        link("l", write("x", "").toString());
        assertRefused().hasMessageContaining("which is an absolute path");
    }

    @Test
    void aLinkOverAnAbsoluteLinkIsRefused() throws IOException {
        // The first one is refused already; that the second one is too is what this test is about.
        link("z", "/etc");
        assertThat(LinkRule.staysWithin(directory().toRealPath(), directory().toRealPath(), Path.of("z/passwd")))
                .isFalse();
    }

    @Test
    void whatIsNoFileIsRefused() throws IOException {
        Path socket = directory().resolve("s");
        try (ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.bind(UnixDomainSocketAddress.of(socket));
            assertRefused().hasMessageContaining(socket + " is a socket, a pipe or a device");
        }
    }

    @Test
    void anUnreadableDirectoryIsNamed() throws IOException {
        assertThatThrownBy(() -> DirectoryScan.of(outside.resolve("gone"), SnapshotLimits.DEFAULT))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("gone");
    }

    @Test
    void tooManyBytesNameTheBiggestFiles() throws IOException {
        for (int size = 1; size <= 7; size++) {
            write("f" + size, "x".repeat(size * 1024));
        }
        assertThatThrownBy(() -> DirectoryScan.of(directory(), new SnapshotLimits(100, 20_000)))
                .isInstanceOf(Failure.class)
                .hasMessageContaining(
                        "has 28 KiB, but at most 19.5 KiB can be submitted; the biggest files are f7 (7 KiB),"
                                + " f6 (6 KiB), f5 (5 KiB), f4 (4 KiB), f3 (3 KiB)");
        assertThat(DirectoryScan.of(directory(), new SnapshotLimits(7, 28 * 1024))
                        .bytes())
                .isEqualTo(28 * 1024);
    }

    @Test
    void tooManyFilesNameWhereTheyAre() throws IOException {
        for (int number = 0; number < 5; number++) {
            write("data/f" + number, "");
        }
        assertThatThrownBy(() -> DirectoryScan.of(directory(), new SnapshotLimits(5, 100)))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("holds more than 5 files")
                .hasMessageContaining("most of them are in data");
        assertThat(DirectoryScan.of(directory(), new SnapshotLimits(6, 100)).files())
                .isEqualTo(5);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "longer than before"})
    void aFileThatChangesMeanwhileIsNamed(String text) throws IOException {
        Path file = write("data.bin", "before");
        SnapshotPlan plan = plan();
        Files.writeString(file, text);
        assertThatThrownBy(() -> archive(plan))
                .isInstanceOf(Failure.class)
                .hasMessageContaining(file.toRealPath() + " changed while the directory was being sent");
    }

    @Test
    void aFileThatBecomesALinkMeanwhileIsNotFollowed() throws IOException {
        Path file = write("data", "before");
        Path secret = Files.writeString(outside.resolve("secret"), "secret");
        SnapshotPlan plan = plan();
        Files.delete(file);
        Files.createSymbolicLink(file, secret);
        assertThat(Files.exists(file, LinkOption.NOFOLLOW_LINKS)).isTrue();
        assertThatThrownBy(() -> archive(plan)).isInstanceOf(Failure.class).hasMessageContaining("it cannot be read");
    }

    @ParameterizedTest
    @CsvSource({"0, 0 B", "1023, 1023 B", "1024, 1 KiB", "1536, 1.5 KiB", "1073741824, 1 GiB", "1610612736, 1.5 GiB"})
    void sizesAreInWords(long bytes, String words) {
        assertThat(SnapshotLimits.inWords(bytes)).isEqualTo(words);
    }
}
