package dev.berth.server.gpu.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.gpu.lock.SafeGpuLock.Answer;
import dev.berth.server.gpu.lock.SafeGpuLock.Hold;
import dev.berth.server.gpu.process.RunningProcesses;
import dev.berth.server.linux.KernelLocks;
import dev.berth.server.upkeep.BackgroundWork;
import dev.berth.server.upkeep.FailingWork;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Against the real Python, on both of safe-gpu's files. */
class SafeGpuLockTest {
    private static final String NAME = "gpu-lock-magic-RaNdOM-This_Name-NEED_BE-THE_SAME-Across_Users";
    private static final String SINCE_2 = "safe_gpu/" + NAME;
    private static final int MALLORY = 54_321;
    private static final Duration LONG = Duration.ofMinutes(1);

    /** As often as it is looked whether the lock is held. */
    private static final int LOOKS = 50;

    /** Makes every name that appears in a directory a link to a file. */
    private static final String SWAP = """
        import os, sys
        target = sys.argv[2]
        os.chdir(sys.argv[1])
        os.symlink(target, "../link")
        print("swaps", flush=True)
        while True:
            for name in os.listdir("."):
                try:
                    os.rename("../link", name)
                    os.symlink(target, "../link")
                    if name.startswith("gpu"):
                        os.unlink(name)
                except OSError:
                    pass
        """;

    @TempDir
    private Path root;

    @TempDir
    private Path scripts;

    private final Semaphore told = new Semaphore(0);

    @AutoClose
    private SafeGpuLock lock;

    @BeforeEach
    void open() {
        lock = lockThatKeeps(LONG);
    }

    private SafeGpuLock lockThatKeeps(Duration keep) {
        return SafeGpuLock.in(
                root,
                RunningProcesses.ofThisMachine(),
                told::release,
                keep,
                BackgroundWork.onVirtualThreads(InstantSource.system()));
    }

    private Hold taken() {
        return taken(Duration.ZERO);
    }

    private Hold taken(Duration patience) {
        Answer answer = lock.tryTake(patience);
        assertThat(answer).isInstanceOf(Answer.Taken.class);
        return ((Answer.Taken) answer).hold();
    }

    private String busy() {
        Answer answer = lock.tryTake(Duration.ZERO);
        assertThat(answer).isInstanceOf(Answer.Busy.class);
        return ((Answer.Busy) answer).sentence();
    }

    private void awaitTold() throws InterruptedException {
        assertThat(told.tryAcquire(1, TimeUnit.MINUTES)).isTrue();
    }

    /** As safe-gpu finds them after the first of its users. */
    private Path file(String name) throws IOException {
        Path file = root.resolve(name);
        Files.createDirectories(file.getParent());
        return file;
    }

    @ParameterizedTest
    @ValueSource(strings = {NAME, SINCE_2})
    void aPythonThatHasItIsNamedAndWaitedFor(String name) throws Exception {
        Path file = file(name);
        try (Python python = Python.holding(scripts, file)) {
            assertThat(busy())
                    .isEqualTo("safe-gpu's lock is held by process " + python.pid() + " of "
                            + System.getProperty("user.name"));
            assertThat(told.availablePermits()).isZero();

            python.letGo();

            awaitTold();
            assertThat(Python.isBusy(scripts, file))
                    .as("kept for who asks next")
                    .isTrue();
            try (Hold _ = taken()) {
                assertThat(Python.isBusy(scripts, file)).isTrue();
            }
            assertThat(Python.isBusy(scripts, file)).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {NAME, SINCE_2})
    void aPythonWaitsForUs(String name) throws Exception {
        Hold hold = taken();
        try (Python python = Python.waiting(scripts, file(name))) {
            assertThat(Python.isBusy(scripts, root.resolve(name))).isTrue();
            hold.close();
            python.says("has it");
        }
    }

    /** Has the second file fail by what is no failure of the disk, as long as it is told to. */
    private void breakWhere(AtomicBoolean isBroken, BackgroundWork background) throws IOException {
        KernelLocks locks = KernelLocks.ofThisMachine();
        LockFile other = new LockFile(file(NAME), locks, path -> {
            if (isBroken.get()) {
                throw new IllegalStateException("a mistake");
            }
            return LockDirectory.of(path);
        });
        lock.close();
        lock = new SafeGpuLock(
                List.of(new LockFile(file(SINCE_2), locks), other),
                RunningProcesses.ofThisMachine(),
                told::release,
                LONG,
                background);
    }

    /** What nobody foresaw in the middle of the wait: once that answered that the lock was taken, and nothing was held. */
    @Test
    void aWaitThatFailsIsToldAsAFailureAndGoesOn() throws Exception {
        AtomicBoolean isBroken = new AtomicBoolean();
        BackgroundWork background = BackgroundWork.onVirtualThreads(InstantSource.system());
        breakWhere(isBroken, background);
        Path first = file(SINCE_2);
        try (Python python = Python.holding(scripts, first)) {
            String _ = busy();
            isBroken.set(true);
            python.letGo();
            Answer answer = lock.tryTake(LONG);
            assertThat(answer)
                    .isInstanceOfSatisfying(
                            Answer.Failed.class,
                            failed -> assertThat(failed.sentence())
                                    .contains("java.lang.IllegalStateException: a mistake"));
            // Each of its tries has the first file for a moment.
            assertThat(Stream.generate(() -> Python.isBusy(scripts, first)).limit(LOOKS))
                    .as("nothing is held")
                    .contains(false);
            assertThat(background.failing()).extracting(FailingWork::name).containsExactly("wait for safe-gpu's lock");
            isBroken.set(false);
            awaitTold();
            taken().close();
            assertThat(background.failing()).isEmpty();
        }
    }

    @Test
    void anAskThatFailsIsToldAsAFailureAndHoldsNothing() throws Exception {
        AtomicBoolean isBroken = new AtomicBoolean(true);
        breakWhere(isBroken, BackgroundWork.onVirtualThreads(InstantSource.system()));
        assertThat(lock.tryTake(Duration.ZERO)).isInstanceOf(Answer.Failed.class);
        isBroken.set(false);
        awaitTold();
        taken().close();
    }

    @Test
    void aKilledHolderHoldsNothing() throws Exception {
        try (Python python = Python.holding(scripts, file(SINCE_2))) {
            assertThat(busy()).contains("process " + python.pid());
        }
        awaitTold();
        taken().close();
    }

    @Test
    void whoHasPatienceWaitsForAShortHolder() throws Exception {
        try (Python python = Python.holding(scripts, file(NAME))) {
            Thread ends = Thread.ofVirtual().start(python::letGo);
            taken(LONG).close();
            ends.join();
        }
        assertThat(told.availablePermits()).as("nobody was sent away").isZero();
    }

    @Test
    void whatNobodyAsksForAgainIsLetGo() throws Exception {
        lock.close();
        lock = lockThatKeeps(Duration.ofMillis(1));
        Path file = file(SINCE_2);
        try (Python python = Python.holding(scripts, file)) {
            assertThat(busy()).contains("process " + python.pid());
            python.letGo();
        }
        awaitTold();
        try (Python next = Python.waiting(scripts, file)) {
            next.says("has it");
        }
    }

    @Test
    void neitherFileIsHeldWhileTheOtherIsWaitedFor() throws Exception {
        Path old = file(NAME);
        Path since2 = file(SINCE_2);
        try (Python python = Python.holding(scripts, old)) {
            assertThat(busy()).contains("process " + python.pid());
            assertThat(Python.isBusy(scripts, since2)).isFalse();
            try (Python other = Python.holding(scripts, since2)) {
                python.letGo();
                other.letGo();
                awaitTold();
                taken().close();
            }
        }
    }

    @Test
    void twoNamesOfOneFileAreOneLock() throws Exception {
        Path since2 = file(SINCE_2);
        Files.createFile(since2);
        Files.createLink(file(NAME), since2);
        for (int times = 0; times < 3; times++) {
            try (Hold _ = taken()) {
                assertThat(Python.isBusy(scripts, file(NAME))).isTrue();
            }
            assertThat(Python.isBusy(scripts, since2)).isFalse();
        }
        try (Python python = Python.holding(scripts, file(NAME))) {
            assertThat(busy()).contains("process " + python.pid());
            python.letGo();
        }
        awaitTold();
        taken().close();
    }

    @Test
    void twoOfOurOwnTakeTurns() throws Exception {
        Hold first = taken();
        Thread second = Thread.ofVirtual().start(() -> taken().close());
        first.close();
        first.close();
        second.join();
        taken().close();
    }

    @Test
    void theFilesAreEverybodysAndTheirDirectoryIsNot() throws Exception {
        try (Hold _ = taken()) {
            assertThat(rights(NAME)).isEqualTo("rw-rw-rw-");
            assertThat(rights(SINCE_2)).isEqualTo("rw-rw-rw-");
            assertThat(rights("safe_gpu")).isEqualTo("rwxr-xr-x");
        }
        try (Stream<Path> left = Files.list(root)) {
            assertThat(left.map(path -> path.getFileName().toString())).containsExactlyInAnyOrder(NAME, "safe_gpu");
        }
    }

    private String rights(String name) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(root.resolve(name)));
    }

    /** As a cleaner of /tmp does. */
    @Test
    void aFileThatWasTakenAwayIsMadeAnewAndLockedAnew() throws Exception {
        taken().close();
        Files.delete(root.resolve(NAME));
        Files.delete(root.resolve(SINCE_2));
        Files.delete(root.resolve("safe_gpu"));
        try (Hold _ = taken()) {
            assertThat(Python.isBusy(scripts, root.resolve(NAME))).isTrue();
            assertThat(Python.isBusy(scripts, root.resolve(SINCE_2))).isTrue();
        }
    }

    @Test
    void aFileThatIsReplacedWhileItIsWaitedForIsLockedInItsNewPlace() throws Exception {
        Path file = file(SINCE_2);
        try (Python python = Python.holding(scripts, file)) {
            assertThat(busy()).contains("process " + python.pid());
            // Made elsewhere: the close of a file in this process drops the lock that the process may have on it by
            // then.
            Files.move(Files.createFile(scripts.resolve("other")), file, StandardCopyOption.REPLACE_EXISTING);
            python.letGo();
            awaitTold();
            assertThat(Python.isBusy(scripts, file)).isTrue();
        }
    }

    @Test
    void whatIsNoPlainFileIsLeftAloneAndTheOtherFileIsLocked() throws Exception {
        Path precious = Files.writeString(scripts.resolve("precious"), "kept");
        Files.createSymbolicLink(root.resolve(NAME), precious);
        try (Hold _ = taken()) {
            assertThat(Python.isBusy(scripts, root.resolve(SINCE_2))).isTrue();
            assertThat(Python.isBusy(scripts, precious)).isFalse();
        }
        assertThat(precious).hasContent("kept");
        assertThat(Files.isSymbolicLink(root.resolve(NAME))).isTrue();
    }

    @Test
    void aFifoHoldsNobodyUp() throws Exception {
        assertThat(new ProcessBuilder("mkfifo", root.resolve(NAME).toString())
                        .start()
                        .waitFor())
                .isZero();
        try (Hold _ = taken()) {
            assertThat(Python.isBusy(scripts, root.resolve(SINCE_2))).isTrue();
        }
    }

    @Test
    void aDirectoryThatIsALinkIsNotFollowed() throws Exception {
        Files.createSymbolicLink(root.resolve("safe_gpu"), scripts);
        taken().close();
        assertThat(scripts).isEmptyDirectory();
        assertThat(Files.exists(root.resolve(NAME), LinkOption.NOFOLLOW_LINKS)).isTrue();
    }

    private static void give(Path path, int uid) throws IOException {
        Files.setAttribute(path, "unix:uid", uid, LinkOption.NOFOLLOW_LINKS);
    }

    private static void allow(Path path, String rights) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(rights));
    }

    /** As safe-gpu leaves it when another user was the first: their directory, everybody's file. */
    @Test
    void theFileInAnothersDirectoryIsLockedAsItIs() throws Exception {
        Path file = Files.createFile(file(SINCE_2));
        allow(file, "rw-rw-rw-");
        give(file, MALLORY);
        give(root.resolve("safe_gpu"), MALLORY);
        try (Hold _ = taken()) {
            assertThat(Python.isBusy(scripts, file)).isTrue();
        }
    }

    /**
     * Anyone who owns the directory may put there what they like, and swap it: a link, a second name of a file of root's.
     */
    @ParameterizedTest
    @ValueSource(strings = {"link", "second name", "nothing"})
    void inAnothersDirectoryNothingIsMadeOrChangedOrOpened(String trap) throws Exception {
        Path precious = Files.writeString(scripts.resolve("precious"), "kept");
        allow(precious, "rw-------");
        Path file = file(SINCE_2);
        give(root.resolve("safe_gpu"), MALLORY);
        switch (trap) {
            case "link" -> Files.createSymbolicLink(file, precious);
            case "second name" -> Files.createLink(file, precious);
            default -> {}
        }
        for (int times = 0; times < 3; times++) {
            try (Hold _ = taken()) {
                assertThat(Python.isBusy(scripts, precious)).isFalse();
            }
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(precious)))
                .isEqualTo("rw-------");
        try (Stream<Path> left = Files.list(root.resolve("safe_gpu"))) {
            assertThat(left).hasSize(trap.equals("nothing") ? 0 : 1);
        }
        try (Hold _ = taken()) {
            assertThat(Python.isBusy(scripts, root.resolve(NAME)))
                    .as("the other file is locked all the same")
                    .isTrue();
        }
    }

    /** In /tmp, where everybody makes files, a second name of root's file is left alone. */
    @Test
    void whereEverybodyMakesNamesOnlyEverybodysFileIsOpened() throws Exception {
        allow(root, "rwxrwxrwx");
        assertThat(new ProcessBuilder("chmod", "+t", root.toString()).start().waitFor())
                .isZero();
        Path precious = Files.writeString(scripts.resolve("precious"), "kept");
        allow(precious, "rw-------");
        Files.createLink(root.resolve(NAME), precious);
        try (Hold _ = taken()) {
            assertThat(Python.isBusy(scripts, precious)).isFalse();
            assertThat(Python.isBusy(scripts, root.resolve(SINCE_2))).isTrue();
        }
        assertThat(rights(SINCE_2)).isEqualTo("rw-rw-rw-");
    }

    /** The owner of the directory swaps the file all the time, as fast as they can. */
    @Test
    void aSwappedFileGetsNobodysRightsChanged() throws Exception {
        Path precious = Files.writeString(scripts.resolve("precious"), "kept");
        allow(precious, "rw-------");
        Path _ = file(SINCE_2);
        give(root.resolve("safe_gpu"), MALLORY);
        try (Python swapper =
                Python.script(scripts, "swap.py", SWAP, root.resolve("safe_gpu").toString(), precious.toString())) {
            swapper.says("swaps");
            for (int times = 0; times < 3_000; times++) {
                taken().close();
            }
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(precious)))
                .isEqualTo("rw-------");
        assertThat(precious).hasContent("kept");
    }

    @Test
    void aClosedOneWaitsNoMoreAndHoldsNothing() throws Exception {
        Path file = file(SINCE_2);
        try (Python python = Python.holding(scripts, file)) {
            assertThat(busy()).contains("process " + python.pid());
            lock.close();
            assertThat(busy()).isEqualTo("the server is stopping");
            python.letGo();
        }
        try (Python next = Python.waiting(scripts, file)) {
            next.says("has it");
        }
    }

    @Test
    void whoHasItWhenItIsClosedKeepsIt() throws Exception {
        try (Hold _ = taken()) {
            lock.close();
            assertThat(Python.isBusy(scripts, root.resolve(NAME))).isTrue();
        }
        assertThat(Python.isBusy(scripts, root.resolve(NAME))).isFalse();
    }

    /** POSIX: anyone who else opened them in this process would drop the lock when closing them. */
    @Test
    void nobodyElseNamesTheFiles() throws IOException {
        Path classes = Path.of(SafeGpuLock.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath());
        try (Stream<Path> all = Files.walk(classes)) {
            List<String> naming = all.filter(path -> path.toString().endsWith(".class"))
                    .filter(path -> contains(path, "gpu-lock-magic"))
                    .map(path -> path.getFileName().toString())
                    .toList();
            assertThat(naming).containsExactly("SafeGpuLock.class");
        }
    }

    private static boolean contains(Path file, String text) {
        try {
            return new String(Files.readAllBytes(file), java.nio.charset.StandardCharsets.ISO_8859_1).contains(text);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
