package dev.berth.server.gpu.lock;

import dev.berth.server.gpu.process.RunningProcesses;
import dev.berth.server.linux.KernelLocks;
import dev.berth.server.upkeep.Attempts;
import dev.berth.server.upkeep.BackgroundWork;
import dev.berth.server.upkeep.FailingWork;
import dev.berth.server.upkeep.Pauses;
import dev.berth.server.upkeep.Tasks;
import java.io.IOException;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * safe-gpu's lock: both of its files, that of 2.x and that of 1.x, for users of either do not exclude each other. Who
 * finds it taken is told by whom, and a thread goes on waiting in the kernel's queue; when that has it, it says so,
 * and keeps it for a moment for the next caller. Safe for any thread; there may be one in a process (POSIX locks
 * belong to the process).
 *
 * <p>One file is never waited for while the other is held: who holds one for long would otherwise stop the users of
 * both.
 */
public final class SafeGpuLock implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SafeGpuLock.class);

    /** safe_gpu.py, {@code LOCK_FILENAME}, since 2.0 in a directory of its own. */
    private static final String NAME = "gpu-lock-magic-RaNdOM-This_Name-NEED_BE-THE_SAME-Across_Users";

    private static final String DIRECTORY = "safe_gpu";
    private static final Path TEMPORARY = Path.of("/tmp");

    /** The time for which the lock is kept for the next caller. */
    private static final Duration KEEP = Duration.ofSeconds(2);

    private static final String NAMED = "wait for safe-gpu's lock";
    private static final Duration PAUSE = Duration.ofSeconds(1);

    /** Patience with servers of our own: they hold it for a look, and at most until a placeholder is there. */
    private static final Duration OWN_PATIENCE = Duration.ofSeconds(60);

    /** The answer to a wish to have the lock. */
    public sealed interface Answer {
        /** The lock is ours until the hold is closed. */
        record Taken(Hold hold) implements Answer {}

        /** Another process has it; the listener is told when it is worth asking again. */
        record Busy(String sentence) implements Answer {}

        /** Whether it can be had could not be found out, and none is held; the listener is told as of one that is busy. */
        record Failed(String sentence) implements Answer {}
    }

    /** Gives the lock back when closed; closing again does nothing. */
    public final class Hold implements AutoCloseable {
        private boolean closed;

        @Override
        public void close() {
            monitor.lock();
            try {
                if (!closed) {
                    closed = true;
                    letGo();
                }
            } finally {
                monitor.unlock();
            }
        }
    }

    private enum State {
        FREE,
        /** A thread waits for it in the kernel's queue, or for the next try after a failure; the files are that thread's. */
        WAITING,
        /** The waiting thread has it, for the next caller. */
        KEPT,
        HELD,
        CLOSED
    }

    private final ReentrantLock monitor = new ReentrantLock(true);
    private final Condition changed = monitor.newCondition();
    private final List<LockFile> files;
    private final RunningProcesses processes;
    private final Runnable listener;
    private final Duration keep;
    private final Attempts attempts;
    private final Tasks tasks;
    private final Set<String> warned = ConcurrentHashMap.newKeySet();
    private State state = State.FREE;
    private boolean isOwed;
    private @Nullable Thread waiter;

    /** Why the waiting thread could not go on; null while it waits in the kernel's queue. */
    private @Nullable String failure;

    SafeGpuLock(
            List<LockFile> files,
            RunningProcesses processes,
            Runnable listener,
            Duration keep,
            BackgroundWork background) {
        this.files = List.copyOf(files);
        this.processes = processes;
        this.listener = listener;
        this.keep = keep;
        this.attempts = background.attempts(NAMED, Pauses.SHORT);
        this.tasks = background.tasks(NAMED);
    }

    /**
     * The machine's.
     *
     * @param listener told, on a thread of its own, when who found it busy should ask again; returns at once
     * @param background where it is waited for
     */
    public static SafeGpuLock ofThisMachine(RunningProcesses processes, Runnable listener, BackgroundWork background) {
        return in(TEMPORARY, processes, listener, KEEP, background);
    }

    /** Lock whose files are below another folder than {@code /tmp}. */
    public static SafeGpuLock in(
            Path root, RunningProcesses processes, Runnable listener, Duration keep, BackgroundWork background) {
        KernelLocks locks = KernelLocks.ofThisMachine();
        List<LockFile> files = places(real(root)).stream()
                .map(path -> new LockFile(path, locks))
                .toList();
        return new SafeGpuLock(files, processes, listener, keep, background);
    }

    private static List<Path> places(Path root) {
        return List.of(root.resolve(DIRECTORY).resolve(NAME), root.resolve(NAME));
    }

    /** An administrator may have made {@code /tmp} a link; nobody else can. */
    private static Path real(Path root) {
        try {
            return root.toRealPath();
        } catch (IOException e) {
            return root;
        }
    }

    /** The places of this machine's files, for who looks at their rights: they are not to be opened by anybody else. */
    public static List<String> places() {
        return places(TEMPORARY).stream().map(Path::toString).toList();
    }

    /**
     * Takes it, waiting at most so long for others than ourselves. A file that we may not use is left out, and named
     * once.
     */
    public Answer tryTake(Duration patience) {
        monitor.lock();
        try {
            long ours = OWN_PATIENCE.toNanos();
            long others = patience.toNanos();
            while (true) {
                switch (state) {
                    case KEPT -> {
                        return taken();
                    }
                    case FREE -> {
                        Optional<LockFile> busy = tryOnce();
                        if (busy.isEmpty()) {
                            return taken();
                        }
                        waitFor(busy.get());
                    }
                    case WAITING -> {
                        if (failure != null) {
                            isOwed = true;
                            return new Answer.Failed(failure);
                        }
                        if (others <= 0) {
                            isOwed = true;
                            return new Answer.Busy(sentence());
                        }
                        others = changed.awaitNanos(others);
                    }
                    case HELD -> {
                        if (ours <= 0) {
                            return new Answer.Busy(
                                    "Berth itself has held safe-gpu's lock for a minute, for another job");
                        }
                        ours = changed.awaitNanos(ours);
                    }
                    case CLOSED -> {
                        return new Answer.Busy("the server is stopping");
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Answer.Busy("the server is stopping");
        } finally {
            monitor.unlock();
        }
    }

    /** Whether it is waited for now; then the listener is told when it is had. */
    public boolean isWaitedFor() {
        monitor.lock();
        try {
            isOwed |= state == State.WAITING;
            return state == State.WAITING;
        } finally {
            monitor.unlock();
        }
    }

    private Answer taken() {
        state = State.HELD;
        isOwed = false;
        failure = null;
        changed.signalAll();
        return new Answer.Taken(new Hold());
    }

    private void letGo() {
        files.forEach(LockFile::unlock);
        if (state == State.CLOSED) {
            files.forEach(LockFile::close);
        } else {
            state = State.FREE;
        }
        changed.signalAll();
    }

    /** Takes all at once; else the file to wait for, which is any where that failed. */
    private Optional<LockFile> tryOnce() {
        AtomicReference<Optional<LockFile>> busy = new AtomicReference<>(Optional.of(files.getFirst()));
        if (!attempts.succeeds(() -> busy.set(tryAll()))) {
            failure = failed();
        }
        return busy.get();
    }

    private String failed() {
        FailingWork failing = attempts.failing();
        return "safe-gpu's lock could not be asked for, and is asked for again"
                + (failing == null ? "" : ": " + failing.sentence());
    }

    /** The first file that another process has; then none is held, and neither where that cannot be found out. */
    private Optional<LockFile> tryAll() {
        Optional<LockFile> busy = Optional.of(files.getFirst());
        try {
            busy = firstBusy();
            return busy;
        } finally {
            if (busy.isPresent()) {
                files.forEach(LockFile::unlock);
            }
        }
    }

    private Optional<LockFile> firstBusy() {
        for (LockFile file : files) {
            try {
                if (!file.isLocked() && !isHeldByAnotherName(file) && !file.tryLock()) {
                    return Optional.of(file);
                }
            } catch (IOException | OverlappingFileLockException e) {
                goWithout(file, e);
            }
        }
        return Optional.empty();
    }

    /** Two names of one file are one lock: taken by the one, it is had by the other, which must not even be opened. */
    private boolean isHeldByAnotherName(LockFile file) throws IOException {
        for (LockFile other : files) {
            if (other != file && other.isLocked() && other.isAlso(file)) {
                return true;
            }
        }
        return false;
    }

    private void goWithout(LockFile file, Exception reason) {
        String sentence = "safe-gpu's lock file " + file.path() + " cannot be used (" + reason
                + "): a process that locks it is not waited for; remove it, with its directory where that is another"
                + " user's, or have its owner run: chmod 666 " + file.path();
        // Once a file and kind of trouble: a sentence may have a name in it that is another each time.
        if (warned.add(file.path() + " " + reason.getClass().getName())) {
            LOG.warn("{}", sentence);
        }
    }

    private String sentence() {
        OptionalLong pid = files.stream()
                .map(LockFile::holder)
                .filter(OptionalLong::isPresent)
                .findFirst()
                .orElse(OptionalLong.empty());
        if (pid.isEmpty()) {
            return "safe-gpu's lock is held by a process that cannot be seen from here";
        }
        return "safe-gpu's lock is held by process " + pid.getAsLong()
                + processes
                        .find(pid.getAsLong())
                        .map(process -> " of " + processes.user(process))
                        .orElse("");
    }

    private void waitFor(LockFile busy) {
        state = State.WAITING;
        waiter = Thread.ofPlatform().daemon().name("safe-gpu-lock").start(() -> {
            while (!attempts.succeeds(() -> queue(busy)) && !isClosed()) {
                fail();
                pause(attempts.pause());
            }
            serveNext();
        });
    }

    /** Nothing is held, and who waits for it hears why. */
    private void fail() {
        files.forEach(LockFile::unlock);
        monitor.lock();
        try {
            failure = failed();
            changed.signalAll();
        } finally {
            monitor.unlock();
        }
    }

    /** Waits its turn at whichever file is busy, holding nothing, until it has all of them. */
    private void queue(LockFile first) {
        Optional<LockFile> busy = Optional.of(first);
        while (busy.isPresent() && !isClosed()) {
            try {
                busy.get().lock();
            } catch (IOException | OverlappingFileLockException e) {
                if (isClosed()) {
                    return;
                }
                goWithout(busy.get(), e);
                pause(PAUSE);
            }
            busy = tryAll();
        }
    }

    /** So that a file that cannot be waited for is not asked for again and again at once. */
    private void pause(Duration time) {
        monitor.lock();
        try {
            long nanos = time.toNanos();
            while (state == State.WAITING && nanos > 0) {
                nanos = changed.awaitNanos(nanos);
            }
        } catch (InterruptedException e) {
            // Closed.
        } finally {
            monitor.unlock();
        }
    }

    private boolean isClosed() {
        monitor.lock();
        try {
            return state == State.CLOSED;
        } finally {
            monitor.unlock();
        }
    }

    /** Keeps the lock for a moment for the next caller. */
    private void serveNext() {
        monitor.lock();
        try {
            if (state == State.CLOSED) {
                letGo();
                return;
            }
            state = State.KEPT;
            failure = null;
            changed.signalAll();
            if (isOwed) {
                isOwed = false;
                tasks.run(listener);
            }
            long nanos = keep.toNanos();
            while (state == State.KEPT && nanos > 0) {
                nanos = changed.awaitNanos(nanos);
            }
            if (state == State.KEPT) {
                letGo();
            }
        } catch (InterruptedException e) {
            // Closed: the thread that closed it has let it go.
        } finally {
            monitor.unlock();
        }
    }

    /** Nobody gets it from now on; who has it keeps it until the hold is closed. */
    @Override
    public void close() {
        monitor.lock();
        try {
            State before = state;
            state = State.CLOSED;
            changed.signalAll();
            if (before == State.WAITING && waiter != null) {
                // Ends its wait, and closes that channel.
                waiter.interrupt();
            } else if (before != State.HELD) {
                letGo();
            }
        } finally {
            monitor.unlock();
        }
    }
}
