package dev.berth.server.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.job.Submitter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The kernel's own judgement: run as root, as all that acts for others. */
class UserThreadsTest {
    private static final Submitter ADA = new Submitter(12_345, 23_456, List.of(34_567L), "ada");
    private static final Submitter ROOT = new Submitter(0, 0, List.of(), "root");

    @TempDir
    private Path directory;

    private static List<String> status(Submitter who) throws IOException {
        return UserThreads.ofRoot().call(who, () -> Files.readAllLines(Path.of("/proc/thread-self/status"))).stream()
                .filter(line -> line.matches("(Uid|Gid|Groups|Cap(Inh|Prm|Eff|Amb)):.*"))
                .map(line -> line.replaceAll("\\s+", " ").strip())
                .toList();
    }

    @Test
    void aUsersThreadHasItsUsersFilesAndNoCapability() throws IOException {
        assertThat(status(ADA))
                .containsExactly(
                        "Uid: 0 0 0 12345",
                        "Gid: 0 0 0 23456",
                        "Groups: 34567",
                        "CapInh: 0000000000000000",
                        "CapPrm: 0000000000000000",
                        "CapEff: 0000000000000000",
                        "CapAmb: 0000000000000000");
    }

    @Test
    void rootsThreadKeepsItsPowerOverFilesAlone() throws IOException {
        assertThat(status(ROOT)).contains("CapPrm: 0000000000000006", "CapEff: 0000000000000006");
    }

    @Test
    void whatIsAnothersIsClosedAndWhatIsMadeIsOnesOwn() throws IOException {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        Path hush = Files.writeString(directory.resolve("hush"), "hush");
        Files.setPosixFilePermissions(hush, PosixFilePermissions.fromString("rw-------"));

        assertThatThrownBy(() -> UserThreads.ofRoot().call(ADA, () -> Files.readString(hush)))
                .isInstanceOf(AccessDeniedException.class);
        Path made = UserThreads.ofRoot().call(ADA, () -> Files.createFile(directory.resolve("made")));

        assertThat(FileStatus.of(made).owner()).isEqualTo(ADA.uid());
        assertThat(Files.readString(hush)).as("this thread is still root's").isEqualTo("hush");
    }

    /**
     * A thread that one with a user's rights starts has them too, such as a carrier of virtual threads that it wakes. In a
     * virtual machine of its own, as one with many cores: where there are few, all carriers are there before.
     */
    @Test
    void noOtherThreadComesToHaveTheRights() throws Exception {
        Process probe = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "-Djdk.virtualThreadScheduler.parallelism=64",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Probe.class.getName())
                .redirectErrorStream(true)
                .start();
        assertThat(new String(probe.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo("threads with a user's rights: []\n");
    }

    /** Has hundreds of virtual threads wait for work with a user's rights, and names the threads that then have them. */
    static final class Probe {
        private Probe() {}

        public static void main(String[] arguments) throws Exception {
            UserThreads threads = UserThreads.ofRoot();
            CountDownLatch gate = new CountDownLatch(1);
            try (ExecutorService all = Executors.newVirtualThreadPerTaskExecutor()) {
                for (int times = 1; times <= 100; times++) {
                    CountDownLatch waits = new CountDownLatch(1);
                    var _ = all.submit(() -> threads.call(ADA, () -> {
                        waits.countDown();
                        return awaited(gate);
                    }));
                    // One after the other, so that few carriers are there when all are to go on.
                    waits.await();
                }
                gate.countDown();
            }
            List<String> left = threadsOf(ADA);
            for (int tries = 0; !left.isEmpty() && tries < 100; tries++) {
                // The kernel may still have those that have just ended.
                Thread.onSpinWait();
                left = threadsOf(ADA);
            }
            System.out.println("threads with a user's rights: " + left);
        }
    }

    private static boolean awaited(CountDownLatch gate) throws IOException {
        try {
            gate.await();
            return true;
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private static List<String> threadsOf(Submitter who) throws IOException {
        List<String> found = new ArrayList<>();
        try (Stream<Path> tasks = Files.list(Path.of("/proc/self/task"))) {
            for (Path task : tasks.toList()) {
                try {
                    String status = Files.readString(task.resolve("status"));
                    if (status.lines().anyMatch(line -> line.startsWith("Uid:") && line.endsWith("\t" + who.uid()))) {
                        found.add(status.lines().findFirst().orElse(""));
                    }
                } catch (IOException ended) {
                    // It is no more.
                }
            }
        }
        return found;
    }

    @Test
    void whatIsWrittenIsSentOnAndABrokenEndIsTold() throws IOException {
        ByteArrayOutputStream got = new ByteArrayOutputStream();
        byte[] large = new byte[1_000_000];
        UserThreads.ofRoot().write(ADA, got, out -> {
            out.write(large);
            out.write(1);
        });
        assertThat(got.size()).isEqualTo(large.length + 1);

        OutputStream broken = new OutputStream() {
            @Override
            public void write(int single) throws IOException {
                throw new IOException("nobody reads");
            }
        };
        assertThatThrownBy(() -> UserThreads.ofRoot().write(ADA, broken, out -> {
                    for (int times = 0; times < 100; times++) {
                        out.write(large);
                    }
                }))
                .isInstanceOf(IOException.class)
                .hasMessage("nobody reads");
        assertThatThrownBy(() -> UserThreads.ofRoot().write(ADA, got, out -> Files.readString(Path.of("/etc/shadow"))))
                .isInstanceOf(AccessDeniedException.class);
    }

    @Test
    void whatIsMountedIsReadByteByByte() throws IOException {
        MountedFileSystems mounts = MountedFileSystems.parse(List.of(
                "36 35 98:0 / /srv/a\\040b/proc rw - proc proc rw",
                "37 35 98:0 / /home/\u00ff/x rw - fuse.x x rw",
                "38 35 98:0 / /srv/root\u00fc/sys rw - sysfs sysfs rw",
                "nonsense"));
        assertThat(mounts.kernelsBelow(Path.of("/srv/a b"))).contains("/srv/a b/proc");
        assertThat(mounts.kernelsBelow(Path.of("/srv/a b/proc"))).isEmpty();
        assertThat(mounts.kernelsBelow(Path.of("/srv/a"))).isEmpty();
        assertThat(mounts.kernelsBelow(Path.of("/home"))).isEmpty();
        assertThat(mounts.kernelsBelow(Path.of("/"))).isPresent();
    }

    @Test
    void whatAHandleStandsForStaysThatFile() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "first");
        try (FileHandle folder = FileHandle.of(directory);
                FileHandle handle = folder.child("file")) {
            Files.delete(file);
            Files.writeString(file, "second");

            assertThat(Files.readString(handle.path())).isEqualTo("first");
            assertThat(handle.status().isSameFileAs(FileStatus.of(file))).isFalse();
            assertThat(Files.readString(folder.path().resolve("file"))).isEqualTo("second");
        }
    }

    @Test
    void aLinkIsAHandleOfItsOwn() throws IOException {
        Files.createSymbolicLink(directory.resolve("link"), Path.of("/etc/shadow"));
        try (FileHandle folder = FileHandle.of(directory);
                FileHandle handle = folder.child("link")) {
            assertThat(handle.status().isLink()).isTrue();
        }
        for (String name : List.of("", ".", "..", "a/b")) {
            try (FileHandle folder = FileHandle.of(directory)) {
                assertThatThrownBy(() -> folder.child(name)).isInstanceOf(IllegalArgumentException.class);
            }
        }
    }

    @Test
    void aClosedHandleLeavesNoDescriptor() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        FileHandle handle = FileHandle.of(file);
        assertThat(descriptorsOf(file)).isEqualTo(1);
        handle.close();
        assertThat(descriptorsOf(file)).isZero();
    }

    private static long descriptorsOf(Path file) throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.filter(link -> leadsTo(link, file)).count();
        }
    }

    private static boolean leadsTo(Path link, Path file) {
        try {
            return Files.exists(link, LinkOption.NOFOLLOW_LINKS)
                    && Files.readSymbolicLink(link).equals(file);
        } catch (IOException e) {
            // Closed meanwhile.
            return false;
        }
    }
}
