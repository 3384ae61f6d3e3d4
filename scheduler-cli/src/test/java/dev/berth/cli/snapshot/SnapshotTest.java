package dev.berth.cli.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
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
import java.util.List;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SnapshotTest {
    @TempDir
    private Path outside;

    private Project project;

    @BeforeEach
    void make() throws IOException {
        project = Project.in(outside);
    }

    private AbstractThrowableAssert<?, ?> assertRefused() {
        return assertThatThrownBy(project::plan)
                .isInstanceOfSatisfying(
                        Failure.class, failure -> assertThat(failure.exitCode()).isEqualTo(ExitCode.USAGE));
    }

    @Test
    void entriesAreSortedAndEachDirectoryComesBeforeWhatIsInIt() throws IOException {
        project.write("b/z", "");
        project.write("b/a/x", "");
        project.write("b.txt", "");
        project.write("a", "");
        project.write("B", "");
        Files.createDirectories(project.path().resolve("empty"));
        assertThat(project.names()).containsExactly("B", "a", "b/", "b/a/", "b/a/x", "b/z", "b.txt", "empty/");
    }

    @Test
    void theSameDirectoryGivesTheSameBytes() throws IOException {
        Files.setLastModifiedTime(project.write("b/x", "text"), FileTime.fromMillis(1_700_000_000_999L));
        Files.setLastModifiedTime(project.write("a", "more"), FileTime.fromMillis(1_700_000_000_000L));
        project.link("l", "a");
        byte[] first = project.archive();
        Files.setLastModifiedTime(project.path().resolve("b"), FileTime.fromMillis(5_000));
        project.write("b/__pycache__/x.pyc", "skipped");
        assertThat(project.archive()).isEqualTo(first);
    }

    @Test
    void filesKeepModeTimeAndContentButNoOwner() throws IOException {
        Path script = project.write("run.sh", "#!/bin/sh\n");
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-x--x"));
        Files.setLastModifiedTime(script, FileTime.fromMillis(1_700_000_000_500L));
        byte[] archive = project.archive();
        TarArchiveEntry entry = project.entries().getFirst();
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
        project.write("d/x", "");
        Files.setPosixFilePermissions(project.path().resolve("d"), PosixFilePermissions.fromString("r-xr-xr-x"));
        assertThat(project.entries().getFirst().getMode()).isEqualTo(0755);
        Files.setPosixFilePermissions(project.path().resolve("d"), PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @Test
    void longAndForeignNamesSurvive() throws IOException {
        String name = "ü漢🚀/" + "n".repeat(200) + "/" + "m".repeat(200);
        project.write(name, "x");
        project.link("l", name);
        List<TarArchiveEntry> entries = project.entries();
        assertThat(entries).extracting(TarArchiveEntry::getName).contains(name);
        assertThat(entries.getFirst().getLinkName()).isEqualTo(name);
    }

    @Test
    void hardLinksAreTwoFiles() throws IOException {
        Files.createLink(project.path().resolve("second"), project.write("first", "same"));
        assertThat(project.entries()).hasSize(2).allSatisfy(entry -> {
            assertThat(entry.isFile()).isTrue();
            assertThat(entry.getSize()).isEqualTo(4);
        });
    }

    @Test
    void whatIsNotCodeIsLeftOut() throws IOException {
        project.write(".git/config", "");
        project.write("a/.git", "gitdir: elsewhere");
        project.write("a/__pycache__/x.pyc", "");
        project.write("node_modules/x/y.js", "");
        project.write(".berth/x", "");
        project.write(".venv/pyvenv.cfg", "");
        project.write("b/venv/pyvenv.cfg", "");
        project.write("venv/model.py", "");
        project.write("a/main.py", "");
        assertThat(project.names()).containsExactly("a/", "a/main.py", "b/", "venv/", "venv/model.py");
        assertThat(project.plan().skipped())
                .containsExactly(".berth", ".git", ".venv", "a/.git", "a/__pycache__", "b/venv", "node_modules");
    }

    @Test
    void theDirectoryItselfMayBeALinkAndMayBeNamedAnything() throws IOException {
        project.write("main.py", "");
        Path link = Files.createSymbolicLink(outside.resolve("node_modules"), project.path());
        SnapshotPlan plan = DirectoryScan.of(link, SnapshotLimits.DEFAULT);
        assertThat(plan.root()).isEqualTo(project.path().toRealPath());
        assertThat(plan.files()).isEqualTo(1);
    }

    @Test
    void whatIsNoFileIsRefused() throws IOException {
        Path socket = project.path().resolve("s");
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
            project.write("f" + size, "x".repeat(size * 1024));
        }
        assertThatThrownBy(() -> DirectoryScan.of(project.path(), new SnapshotLimits(100, 20_000)))
                .isInstanceOf(Failure.class)
                .hasMessageContaining(
                        "has 28 KiB, but at most 19.5 KiB can be submitted; the biggest files are f7 (7 KiB),"
                                + " f6 (6 KiB), f5 (5 KiB), f4 (4 KiB), f3 (3 KiB)");
        assertThat(DirectoryScan.of(project.path(), new SnapshotLimits(7, 28 * 1024))
                        .bytes())
                .isEqualTo(28 * 1024);
    }

    @Test
    void tooManyFilesNameWhereTheyAre() throws IOException {
        for (int number = 0; number < 5; number++) {
            project.write("data/f" + number, "");
        }
        assertThatThrownBy(() -> DirectoryScan.of(project.path(), new SnapshotLimits(5, 100)))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("holds more than 5 files")
                .hasMessageContaining("most of them are in data");
        assertThat(DirectoryScan.of(project.path(), new SnapshotLimits(6, 100)).files())
                .isEqualTo(5);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "longer than before"})
    void aFileThatChangesMeanwhileIsNamed(String text) throws IOException {
        Path file = project.write("data.bin", "before");
        SnapshotPlan plan = project.plan();
        Files.writeString(file, text);
        assertThatThrownBy(() -> Project.archive(plan))
                .isInstanceOf(Failure.class)
                .hasMessageContaining(file.toRealPath() + " changed while the directory was being sent");
    }

    @Test
    void aFileThatBecomesALinkMeanwhileIsNotFollowed() throws IOException {
        Path file = project.write("data", "before");
        Path secret = Files.writeString(outside.resolve("secret"), "secret");
        SnapshotPlan plan = project.plan();
        Files.delete(file);
        Files.createSymbolicLink(file, secret);
        assertThat(Files.exists(file, LinkOption.NOFOLLOW_LINKS)).isTrue();
        assertThatThrownBy(() -> Project.archive(plan))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("it cannot be read");
    }

    @ParameterizedTest
    @CsvSource({"0, 0 B", "1023, 1023 B", "1024, 1 KiB", "1536, 1.5 KiB", "1073741824, 1 GiB", "1610612736, 1.5 GiB"})
    void sizesAreInWords(long bytes, String words) {
        assertThat(SnapshotLimits.inWords(bytes)).isEqualTo(words);
    }
}
