package dev.berth.cli.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.cli.exit.Failure;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
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

    @Test
    void entriesAreSortedAndEachDirectoryComesBeforeWhatIsInIt() throws IOException {
        project.write("b/z", "");
        project.write("b/a/x", "");
        project.write("b.txt", "");
        project.write("a", "");
        project.write("B", "");
        Files.createDirectories(project.path().resolve("empty"));
        assertThat(project.names()).containsExactly("B", "a", "b/", "b.txt", "b/a/", "b/a/x", "b/z", "empty/");
    }

    @Test
    void theSameDirectoryGivesTheSameManifest() throws IOException {
        project.write("b/x", "text");
        Files.setLastModifiedTime(project.write("a", "more"), FileTime.fromMillis(1_700_000_000_000L));
        project.link("l", "a");
        String first = project.manifest();
        Files.setLastModifiedTime(project.path().resolve("b"), FileTime.fromMillis(5_000));
        Files.setLastModifiedTime(project.path().resolve("a"), FileTime.fromMillis(5_000));
        project.write("b/__pycache__/x.pyc", "skipped");
        assertThat(project.manifest()).isEqualTo(first);
    }

    @Test
    void aManifestSaysKindModeSizeDigestAndTarget() throws IOException {
        Path script = project.write("b/run \"it\"\n.sh", "#!/bin/sh\n");
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-x--x"));
        Files.setPosixFilePermissions(project.path().resolve("b"), PosixFilePermissions.fromString("rwxr-xr-x"));
        project.link("l", "b");
        assertThat(project.manifest()).isEqualTo("""
                {"version":1,"entries":[
                {"path":"b","type":"directory","mode":"755"},
                {"path":"b/run \\"it\\"\\n.sh","type":"file","mode":"751","size":10,\
                "sha256":"a8076d3d28d21e02012b20eaf7dbf75409a6277134439025f282e368e3305abf"},
                {"path":"l","type":"link","target":"b"}
                ]}
                """);
    }

    @Test
    void aDirectoryIsAlwaysUsableByItsOwner() throws IOException {
        project.write("d/x", "");
        Files.setPosixFilePermissions(project.path().resolve("d"), PosixFilePermissions.fromString("r-xr-xr-x"));
        assertThat(project.plan().entries()).contains(new DirectoryEntry.Directory("d", 0755));
        Files.setPosixFilePermissions(project.path().resolve("d"), PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @Test
    void foreignNamesAreSortedAsTheServerWantsThem() throws IOException {
        project.write("\ud83d\ude80", "x");
        project.write("\uff5e", "y");
        project.write("\u00fc", "z");
        assertThat(project.names()).containsExactly("\u00fc", "\uff5e", "\ud83d\ude80");
    }

    @Test
    void aContentIsSentOnceHoweverManyFilesHaveIt() throws IOException {
        Files.createLink(project.path().resolve("second"), project.write("first", "same"));
        project.write("third", "same");
        Snapshot snapshot = project.snapshot();
        String digest = Snapshot.digest("same".getBytes(StandardCharsets.UTF_8));
        assertThat(snapshot.size(List.of(digest))).isEqualTo(4);
        assertThat(Project.contents(snapshot, digest)).isEqualTo(digest + " 4\nsame");
        assertThat(snapshot.has("0".repeat(64))).isFalse();
    }

    @Test
    void namesThatAreNoUtf8AreRefused() throws Exception {
        run("sh", "-c", "printf x > \"$(printf 'a\\377b')\"");
        project.assertRefused().hasMessageContaining("the name of").hasMessageContaining("is not UTF-8");
    }

    @Test
    void targetsThatAreNoUtf8AreRefused() throws Exception {
        run("sh", "-c", "ln -s \"$(printf 'a\\377b')\" l");
        project.assertRefused().hasMessageContaining("the target of").hasMessageContaining("is not UTF-8");
    }

    @Test
    void theReplacementCharacterItselfIsAName() throws Exception {
        project.write("a\ufffdb", "x");
        assertThat(project.names()).containsExactly("a\ufffdb");
    }

    private void run(String... words) throws Exception {
        assertThat(new ProcessBuilder(words)
                        .directory(project.path().toFile())
                        .start()
                        .waitFor())
                .isZero();
    }

    /** Read-only directories, unchanged times: nothing is written, not even by git. */
    @Test
    void theDirectoryIsNeverWrittenTo() throws Exception {
        project.write("a/x", "text");
        run(
                "sh",
                "-c",
                "git init -q . && git add a && git -c user.name=a -c user.email=b commit -qm c && echo y >> a/x");
        FileTime old = FileTime.fromMillis(1_700_000_000_000L);
        try (Stream<Path> files = Files.walk(project.path())) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Files.setLastModifiedTime(file, old);
            }
        }
        Path watched = project.path().toRealPath();
        assertThat(GitTree.ask(watched, _ -> {})).isPresent();
        assertThat(project.manifest()).contains("a/x");
        try (Stream<Path> files = Files.walk(project.path())) {
            assertThat(files)
                    .allSatisfy(
                            file -> assertThat(Files.getLastModifiedTime(file)).isEqualTo(old));
        }
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
        project.write("env/pyvenv.cfg", "");
        project.write("a/y.pyc", "");
        project.write("a/main.py", "");
        assertThat(project.names()).containsExactly("a/", "a/main.py", "b/", "venv/", "venv/model.py");
        assertThat(project.plan().skipped())
                .containsExactly(
                        ".berth",
                        ".git",
                        ".venv",
                        "a/.git",
                        "a/__pycache__",
                        "a/y.pyc",
                        "b/venv",
                        "env",
                        "node_modules");
    }

    @Test
    void theDirectoryItselfMayBeALinkAndMayBeNamedAnything() throws IOException {
        project.write("main.py", "");
        Path link = Files.createSymbolicLink(outside.resolve("node_modules"), project.path());
        SnapshotPlan plan = DirectoryScan.of(link, DirectoryLimits.DEFAULT);
        assertThat(plan.root()).isEqualTo(project.path().toRealPath());
        assertThat(plan.files()).isEqualTo(1);
    }

    @Test
    void whatIsNoFileIsRefused() throws IOException {
        Path socket = project.path().resolve("s");
        try (ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.bind(UnixDomainSocketAddress.of(socket));
            project.assertRefused().hasMessageContaining(socket + " is a socket, a pipe or a device");
        }
    }

    @Test
    void anUnreadableDirectoryIsNamed() throws IOException {
        assertThatThrownBy(() -> DirectoryScan.of(outside.resolve("gone"), DirectoryLimits.DEFAULT))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("gone");
    }

    @Test
    void tooManyBytesNameTheBiggestFiles() throws IOException {
        for (int size = 1; size <= 7; size++) {
            project.write("f" + size, "x".repeat(size * 1024));
        }
        assertThatThrownBy(() -> DirectoryScan.of(project.path(), new DirectoryLimits(100, 20_000)))
                .isInstanceOf(Failure.class)
                .hasMessageContaining(
                        "has 28 KiB, but at most 19.5 KiB can be submitted; the biggest files are f7 (7 KiB),"
                                + " f6 (6 KiB), f5 (5 KiB), f4 (4 KiB), f3 (3 KiB)");
        assertThat(DirectoryScan.of(project.path(), new DirectoryLimits(7, 28 * 1024))
                        .bytes())
                .isEqualTo(28 * 1024);
    }

    @Test
    void tooManyFilesNameWhereTheyAre() throws IOException {
        for (int number = 0; number < 5; number++) {
            project.write("data/f" + number, "");
        }
        assertThatThrownBy(() -> DirectoryScan.of(project.path(), new DirectoryLimits(5, 100)))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("holds more than 5 files")
                .hasMessageContaining("most of them are in data");
        assertThat(DirectoryScan.of(project.path(), new DirectoryLimits(6, 100)).files())
                .isEqualTo(5);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "longer than before", "befora"})
    void aFileThatChangesBeforeItIsReadIsNamed(String text) throws IOException {
        Path file = project.write("data.bin", "before");
        SnapshotPlan plan = project.plan();
        Files.writeString(file, text);
        Files.setLastModifiedTime(file, FileTime.fromMillis(5_000));
        assertThatThrownBy(() -> Project.snapshot(plan))
                .isInstanceOf(Failure.class)
                .hasMessageContaining(file.toRealPath() + " changed while it was being read")
                .hasMessageContaining("nothing was submitted");
    }

    @Test
    void aFileThatIsReplacedByItsLikeBeforeItIsSentIsNamed() throws IOException {
        Path file = project.write("data.bin", "before");
        FileTime time = Files.getLastModifiedTime(file);
        Snapshot snapshot = project.snapshot();
        Path other = project.write("other", "befora");
        Files.setLastModifiedTime(other, time);
        Files.move(other, file, StandardCopyOption.REPLACE_EXISTING);
        String digest = Snapshot.digest("before".getBytes(StandardCharsets.UTF_8));
        assertThatThrownBy(() -> Project.contents(snapshot, digest))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("it was written to or replaced");
    }

    @Test
    void aFileThatBecomesALinkMeanwhileIsNotFollowed() throws IOException {
        Path file = project.write("data", "before");
        Path secret = Files.writeString(outside.resolve("secret"), "secret");
        SnapshotPlan plan = project.plan();
        Files.delete(file);
        Files.createSymbolicLink(file, secret);
        assertThat(Files.exists(file, LinkOption.NOFOLLOW_LINKS)).isTrue();
        assertThatThrownBy(() -> Project.snapshot(plan))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("it is no file any more");
    }

    @Test
    void progressGoesFromNothingToAll() throws IOException {
        project.write("a", "x".repeat(100_000));
        project.write("b", "y");
        List<Long> done = new ArrayList<>();
        Snapshot snapshot = Snapshot.of(project.plan(), Optional.empty(), (step, now, all) -> {
            assertThat(step).isEqualTo(Progress.Step.READING);
            assertThat(all).isEqualTo(100_001);
            done.add(now);
        });
        assertThat(done).isSorted().endsWith(100_000L, 100_001L);
        assertThat(Project.manifest(snapshot)).contains("\"size\":100000");
    }

    @ParameterizedTest
    @CsvSource({"0, 0 B", "1023, 1023 B", "1024, 1 KiB", "1536, 1.5 KiB", "1073741824, 1 GiB", "1610612736, 1.5 GiB"})
    void sizesAreInWords(long bytes, String words) {
        assertThat(DirectoryLimits.inWords(bytes)).isEqualTo(words);
    }
}
