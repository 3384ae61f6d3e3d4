package dev.berth.server.code;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.job.Submitter;
import dev.berth.server.linux.FileHandle;
import dev.berth.server.linux.UserThreads;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a job left behind, as hostile as it can be. */
class OutputTarTest {
    private static final Submitter ADA = new Submitter(12_345, 23_456, List.of(), "ada");
    private static final Submitter ROOT = new Submitter(0, 0, List.of(), "root");

    /** More descriptors than it takes to pack those three. */
    private static final int ENOUGH = 16;

    @TempDir
    private Path directory;

    @TempDir
    private Path elsewhere;

    private Map<String, String> packed(String path) throws IOException {
        return packed(path, ROOT);
    }

    private Map<String, String> packed(String path, Submitter who) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        OutputTar archive = new OutputTar(bytes);
        try (FileHandle output = FileHandle.of(directory)) {
            boolean _ = UserThreads.ofRoot().call(who, () -> {
                archive.write(output, Path.of(path));
                return true;
            });
        }
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
        Map<String, String> all = packed("");
        assertThat(all).containsEntry("tool", "751 5").containsEntry("away", "-> /etc/shadow");
        assertThat(all.keySet()).anyMatch(name -> name.endsWith("\u6df1/x/"));
    }

    /** A file that was renamed into the directory stays its owner's alone. */
    @Test
    void whatTheOwnerMayNotReadIsLeftOutAndNamed() throws IOException {
        give(directory, ADA);
        Path mine = Files.writeString(directory.resolve("mine"), "x");
        give(mine, ADA);
        Files.writeString(directory.resolve("theirs"), "hush");
        Files.setPosixFilePermissions(directory.resolve("theirs"), PosixFilePermissions.fromString("rw-------"));
        Path closed = Files.createDirectory(directory.resolve("closed"));
        Files.writeString(closed.resolve("inner"), "hush");
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));

        assertThat(packed("", ADA)).containsOnlyKeys("mine", "closed/", OutputTar.LEFT_OUT_FILE);
        assertThat(packed("theirs", ADA)).containsOnlyKeys(OutputTar.LEFT_OUT_FILE);
        assertThat(packed("closed/inner", ADA)).containsOnlyKeys(OutputTar.LEFT_OUT_FILE);
        assertThat(packed("", ROOT)).containsOnlyKeys("mine", "theirs", "closed/", "closed/inner");
    }

    @Test
    void whatIsLeftOutIsNamedAtTheEnd() throws IOException {
        give(directory, ADA);
        for (String name : new String[] {"a", "b", "c", "d", "e"}) {
            Path closed = Files.writeString(directory.resolve(name), "hush");
            Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rw-------"));
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        OutputTar archive = new OutputTar(bytes);
        try (FileHandle output = FileHandle.of(directory)) {
            boolean _ = UserThreads.ofRoot().call(ADA, () -> {
                archive.write(output, Path.of(""));
                return true;
            });
        }
        assertThat(bytes.toString(StandardCharsets.ISO_8859_1))
                .containsPattern("BERTH.leftout=[a-e], [a-e], [a-e] and 2 more");
    }

    /** A directory that is turned into a link to a closed one and back, all the time. */
    @Test
    void aSwappedDirectoryLeadsNowhere() throws Exception {
        Path secret = Files.createDirectory(elsewhere.resolve("secret"));
        Files.writeString(secret.resolve("note"), "hush");
        Files.createDirectories(directory.resolve("own/inner"));
        Files.writeString(directory.resolve("own/note"), "mine");
        AtomicBoolean over = new AtomicBoolean();
        Thread swapper = Thread.ofPlatform().start(() -> swap(secret, over));
        try {
            for (int times = 0; times < 300; times++) {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                try (FileHandle output = FileHandle.of(directory)) {
                    new OutputTar(bytes).write(output, Path.of("own/note"));
                }
                assertThat(bytes.toString(StandardCharsets.ISO_8859_1)).doesNotContain("hush");
            }
        } finally {
            over.set(true);
            swapper.join();
        }
    }

    private void swap(Path secret, AtomicBoolean over) {
        try {
            Path own = directory.resolve("own");
            Path kept = elsewhere.resolve("kept");
            while (!over.get()) {
                Files.move(own, kept);
                Files.createSymbolicLink(own, secret);
                Files.delete(own);
                Files.move(kept, own);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Linux takes any bytes for a name. */
    @Test
    void aNameThatIsNoTextIsPackedAllTheSame() throws Exception {
        assertThat(new ProcessBuilder("sh", "-c", "printf x > \"$0/$(printf 'a\\377+b %%20')\"", directory.toString())
                        .start()
                        .waitFor())
                .isZero();
        assertThat(packed("").values()).containsExactly("644 1");
    }

    private static void give(Path path, Submitter who) throws IOException {
        Files.setAttribute(path, "unix:uid", (int) who.uid());
    }

    @Test
    void pipesAreLeftOutAndHoldNobodyUp() throws Exception {
        assertThat(new ProcessBuilder("mkfifo", directory.resolve("pipe").toString())
                        .start()
                        .waitFor())
                .isZero();
        Files.writeString(directory.resolve("a"), "x");
        assertThat(packed("")).containsOnlyKeys("a");
    }

    @Test
    void aDeepTreeEndsSomewhere() throws IOException {
        Path deep = directory;
        for (int i = 0; i < 300; i++) {
            deep = deep.resolve("d");
        }
        Files.createDirectories(deep);
        assertThat(packed("")).hasSizeBetween(100, 200).containsKey(OutputTar.LEFT_OUT_FILE);
    }

    /** Anyone who gets an archive that ends takes it for whole. */
    @Test
    void anArchiveThatEndsForWantOfDescriptorsIsWhole() throws Exception {
        Files.writeString(
                Files.createDirectories(directory.resolve("top/inner")).resolve("note"), "x");
        assertThat(packed("top")).containsKey("top/inner/note");
        // What tells of an error is loaded, as it takes descriptors itself.
        assertThatThrownBy(() -> FileHandle.of(directory.resolve("none"))).isInstanceOf(NoSuchFileException.class);
        int whole = 0;
        try (DescriptorLimit limit = new DescriptorLimit();
                FileHandle output = FileHandle.of(directory)) {
            for (int more = 1; more <= ENOUGH; more++) {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                limit.leave(more);
                boolean broken = false;
                try {
                    new OutputTar(bytes).write(output, Path.of("top"));
                } catch (IOException e) {
                    broken = true;
                } finally {
                    limit.lift();
                }
                if (!broken) {
                    whole++;
                    assertThat(bytes.toString(StandardCharsets.ISO_8859_1)).contains("top/inner/note");
                }
            }
        }
        assertThat(whole).isBetween(1, ENOUGH - 1);
    }

    /** How many files this process may have open, as a shell sets it that was started before there were too few. */
    private static final class DescriptorLimit implements AutoCloseable {
        private final Process shell;
        private final BufferedReader answers;

        DescriptorLimit() throws IOException {
            shell = new ProcessBuilder(
                            "sh",
                            "-c",
                            "was=$(prlimit --pid $PPID --nofile --output SOFT --noheadings);"
                                    + " while read most; do prlimit --pid $PPID --nofile=${most:-$was}: && echo; done")
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            answers = shell.inputReader();
        }

        /** Lets so many more be opened. The kernel bounds the number of a descriptor, and assigns the lowest free one. */
        void leave(int more) throws IOException {
            try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
                Set<Integer> taken = open.map(
                                path -> Integer.valueOf(path.getFileName().toString()))
                        .collect(Collectors.toSet());
                set(Integer.toString(IntStream.iterate(0, number -> number + 1)
                        .filter(number -> !taken.contains(number))
                        .skip(more)
                        .findFirst()
                        .orElseThrow()));
            }
        }

        void lift() throws IOException {
            set("");
        }

        private void set(String most) throws IOException {
            Writer orders = shell.outputWriter();
            orders.write(most + "\n");
            orders.flush();
            assertThat(answers.readLine()).isEmpty();
        }

        @Override
        public void close() {
            shell.destroy();
        }
    }

    @Test
    void aPathThroughALinkIsNotThere() throws IOException {
        Files.createSymbolicLink(directory.resolve("etc"), Path.of("/etc"));
        try (FileHandle output = FileHandle.of(directory)) {
            assertThat(OutputTar.exists(output, Path.of("etc"))).isTrue();
            assertThat(OutputTar.exists(output, Path.of("etc/passwd"))).isFalse();
            assertThat(OutputTar.exists(output, Path.of("nothing"))).isFalse();
        }
    }
}
