package dev.berth.server.mount;

import dev.berth.core.job.Submitter;
import dev.berth.server.bounds.UserTurns;
import dev.berth.server.bounds.UserTurns.Turn;
import dev.berth.server.linux.ErrorNumber;
import dev.berth.server.linux.FileHandle;
import dev.berth.server.linux.FileStatus;
import dev.berth.server.linux.MountedFileSystems;
import dev.berth.server.linux.RightsException;
import dev.berth.server.linux.SystemCallException;
import dev.berth.server.linux.UserThreads;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Opens paths as their submitter could: the kernel walks each with that user's rights, links and all, and what it finds
 * is held by a handle from then on, so that nothing is looked up a second time. Safe for any thread.
 *
 * @param threads those with the submitter's rights
 * @param slots one for each look that is going on
 * @param turns of each user's looks
 */
record SubmitterFiles(UserThreads threads, Semaphore slots, UserTurns turns) {
    /** A network file system may hang; its caller shall not. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** A call that hangs keeps its thread, which is all that a user with a dead file system can take. */
    private static final int MAX_AT_ONCE = 64;

    private static final int MAX_OF_ONE_USER = 8;

    private static final int READ = 4;
    private static final int WRITE = 2;
    private static final int SEARCH = 1;

    /** The kind of thing that a path leads to. */
    enum Kind {
        DIRECTORY,
        FILE,
        SOCKET,
        OTHER
    }

    /**
     * The file that was opened.
     *
     * @param file stands for it, and for nothing else, until it is closed
     * @param real where it is, without any link
     * @param kernels one of the kernel's own file systems that is mounted below it and would come along
     * @param usable whether the submitter may read it, or enter it where it is a directory
     * @param writable whether the submitter may change it
     */
    record Opened(FileHandle file, Path real, Kind kind, Optional<String> kernels, boolean usable, boolean writable)
            implements AutoCloseable {
        @Override
        public void close() {
            file.close();
        }
    }

    /** For a server of root's, which serves others. */
    static SubmitterFiles ofOthers() {
        return with(UserThreads.ofRoot());
    }

    /** For a server that serves its own user alone. */
    static SubmitterFiles own() {
        return with(UserThreads.own());
    }

    static SubmitterFiles with(UserThreads threads) {
        return new SubmitterFiles(threads, new Semaphore(MAX_AT_ONCE), new UserTurns(MAX_OF_ONE_USER));
    }

    /**
     * Opens a path with a user's rights.
     *
     * @throws MountException where it is not there, or not theirs to reach
     */
    Opened open(String path, Submitter who) {
        Turn turn = takeTurn(who);
        CompletableFuture<Opened> answer = threads.begin(who, () -> look(path, who));
        CompletableFuture<?> _ = answer.whenComplete((_, _) -> turn.close());
        return await(answer);
    }

    private Turn takeTurn(Submitter who) {
        try {
            Turn own = turns.take(who.uid(), PATIENCE).orElseThrow(() -> busy(MAX_OF_ONE_USER + " others of yours"));
            boolean taken = false;
            try {
                taken = slots.tryAcquire(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            } finally {
                if (!taken) {
                    own.close();
                }
            }
            if (!taken) {
                throw busy(MAX_AT_ONCE + " others");
            }
            return () -> {
                slots.release();
                own.close();
            };
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MountException("was not looked at: the server is stopping");
        }
    }

    private static MountException busy(String others) {
        return new MountException(
                "was not looked at: " + others + " are, and their file systems do not answer; submit again later");
    }

    private static Opened await(CompletableFuture<Opened> answer) {
        try {
            return answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            leave(answer);
            throw new MountException("was not found within " + PATIENCE.toSeconds()
                    + " s; its file system does not answer, so look at it on the machine first");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            leave(answer);
            throw new MountException("was not looked at: the server is stopping");
        } catch (ExecutionException e) {
            if (e.getCause() instanceof MountException refusal) {
                throw refusal;
            }
            if (e.getCause() instanceof RightsException refusal) {
                throw new MountException("cannot be looked at: " + refusal.getMessage());
            }
            throw new IllegalStateException("a path could not be looked at", e.getCause());
        }
    }

    /** Nobody waits for it any more: what is found yet is not kept. */
    private static void leave(CompletableFuture<Opened> answer) {
        CompletableFuture<?> _ = answer.thenAccept(Opened::close);
    }

    private Opened look(String path, Submitter who) throws IOException {
        FileHandle file = find(path, who);
        boolean isOpened = false;
        try {
            if (file.isOfTheKernel()) {
                throw new MountException(
                        "is in one of the kernel's own file systems, such as /proc, and nothing of those"
                                + " is mounted into a job; copy what you need");
            }
            Kind kind = kind(file.status());
            Path real = file.real();
            Optional<String> kernels =
                    kind == Kind.DIRECTORY ? MountedFileSystems.now().kernelsBelow(real) : Optional.empty();
            boolean writable = file.allows(WRITE);
            boolean usable = kind == Kind.DIRECTORY ? file.allows(SEARCH) : writable || file.allows(READ);
            Opened opened = new Opened(file, real, kind, kernels, usable, writable);
            isOpened = true;
            return opened;
        } finally {
            if (!isOpened) {
                file.close();
            }
        }
    }

    private FileHandle find(String path, Submitter who) throws IOException {
        try {
            return followed(path);
        } catch (NoSuchFileException | NotDirectoryException e) {
            throw new MountException("is not there; a source that is missing is not made, so make it first");
        } catch (AccessDeniedException e) {
            throw new MountException(
                    "is out of reach for " + who.name() + " on this machine; a job gets what its submitter may reach");
        } catch (SystemCallException e) {
            throw new MountException(
                    e.error() == ErrorNumber.ELOOP
                            ? "leads through too many links, or through one of /proc to a process's files; name the"
                                    + " path itself"
                            : "cannot be opened: the kernel's error " + e.error());
        }
    }

    private FileHandle followed(String path) throws IOException {
        try {
            return FileHandle.followed(path);
        } catch (SystemCallException e) {
            if (e.error() != ErrorNumber.ENOSYS) {
                throw e;
            }
        }
        // Links of /proc can lead where no path does. That is a boundary only where the server may more than the user.
        if (threads.areOthers()) {
            throw new MountException(
                    "cannot be looked at safely: that takes Linux 5.6 or later (openat2), and no seccomp"
                            + " filter on the server that forbids it");
        }
        return FileHandle.followedAnywhere(path);
    }

    private static Kind kind(FileStatus status) {
        if (status.isDirectory()) {
            return Kind.DIRECTORY;
        }
        if (status.isRegular()) {
            return Kind.FILE;
        }
        return status.isSocket() ? Kind.SOCKET : Kind.OTHER;
    }
}
