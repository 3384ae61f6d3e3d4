package dev.berth.server.mount;

import dev.berth.core.job.Submitter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Opens paths as their submitter could: the kernel walks each with that user's rights, links and all, and what it finds
 * is held by a descriptor from then on, so that nothing is looked up a second time. Safe for any thread.
 *
 * @param switching whether another's identity is taken, which a server that runs as root does
 * @param slots one for each look that is going on
 */
record SubmitterFiles(Kernel kernel, boolean switching, Semaphore slots) {
    /** A network file system may hang; whoever asks shall not. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** One that hangs keeps its thread, which is all that somebody with a dead file system can take. */
    private static final int MAX_AT_ONCE = 64;

    private static final int READ = 4;
    private static final int WRITE = 2;
    private static final int SEARCH = 1;
    private static final long NOBODY = -1;

    private static final int TYPE_BITS = 0170000;
    private static final int DIRECTORY = 0040000;
    private static final int REGULAR = 0100000;
    private static final int SOCKET = 0140000;

    /** What a path leads to. */
    enum Kind {
        DIRECTORY,
        FILE,
        SOCKET,
        OTHER
    }

    /**
     * What was opened.
     *
     * @param descriptor stands for it, and for nothing else, until it is closed
     * @param real where it is, without any link
     * @param usable whether the submitter may read it, or enter it where it is a directory
     * @param writable whether the submitter may change it
     */
    record Opened(Kernel kernel, int descriptor, Path real, Kind kind, boolean usable, boolean writable)
            implements AutoCloseable {
        @Override
        public void close() {
            kernel.close(descriptor);
        }
    }

    /** For a server that takes identities, or one that has its own alone. */
    static SubmitterFiles of(Kernel kernel, boolean switching) {
        return new SubmitterFiles(kernel, switching, new Semaphore(MAX_AT_ONCE));
    }

    /**
     * Opens a path with somebody's rights.
     *
     * @throws MountException where it is not there, or not theirs to reach
     */
    Opened open(String path, Submitter who) {
        takeSlot();
        CompletableFuture<Opened> answer = new CompletableFuture<>();
        // A thread of its own, that ends with the look: an identity taken is never given back, so none can stay on.
        Thread.ofPlatform().daemon().name("mount").start(() -> {
            try {
                Opened opened = look(path, who);
                if (!answer.complete(opened)) {
                    opened.close();
                }
            } catch (IOException | RuntimeException | Error e) {
                answer.completeExceptionally(e);
            } finally {
                slots.release();
            }
        });
        return await(answer);
    }

    private void takeSlot() {
        try {
            if (!slots.tryAcquire(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new MountException("was not looked at: " + MAX_AT_ONCE
                        + " others are, and their file systems do not answer; submit again later");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MountException("was not looked at: the server is stopping");
        }
    }

    private static Opened await(CompletableFuture<Opened> answer) {
        try {
            return answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            if (answer.completeExceptionally(e)) {
                throw new MountException("was not found within " + PATIENCE.toSeconds()
                        + " s; its file system does not answer, so look at it on the machine first");
            }
            return answer.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            if (answer.completeExceptionally(e)) {
                throw new MountException("was not looked at: the server is stopping");
            }
            return answer.join();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof MountException refusal) {
                throw refusal;
            }
            throw new IllegalStateException("a path could not be looked at", e.getCause());
        }
    }

    private Opened look(String path, Submitter who) throws IOException {
        if (switching) {
            become(who);
        }
        int descriptor = kernel.open(path);
        if (descriptor < 0) {
            throw new MountException(refusal(-descriptor, who));
        }
        try {
            Path link = Path.of("/proc/self/fd/" + descriptor);
            Kind kind = kind((int) Files.getAttribute(link, "unix:mode") & TYPE_BITS);
            boolean writable = may(descriptor, WRITE);
            boolean usable = kind == Kind.DIRECTORY ? may(descriptor, SEARCH) : writable || may(descriptor, READ);
            return new Opened(kernel, descriptor, Files.readSymbolicLink(link), kind, usable, writable);
        } catch (IOException | RuntimeException e) {
            kernel.close(descriptor);
            throw e;
        }
    }

    private boolean may(int descriptor, int right) {
        return kernel.access(descriptor, right) == 0;
    }

    private static Kind kind(int type) {
        return switch (type) {
            case DIRECTORY -> Kind.DIRECTORY;
            case REGULAR -> Kind.FILE;
            case SOCKET -> Kind.SOCKET;
            default -> Kind.OTHER;
        };
    }

    /** For this thread alone, and for files alone; with the user goes root's power over files (capabilities(7)). */
    private void become(Submitter who) {
        int failure = kernel.setGroups(who.groups());
        kernel.setFileSystemGid(who.gid());
        kernel.setFileSystemUid(who.uid());
        boolean done = failure == 0
                && kernel.countGroups() == who.groups().size()
                && kernel.setFileSystemGid(NOBODY) == who.gid()
                && kernel.setFileSystemUid(NOBODY) == who.uid();
        if (!done) {
            throw new MountException("cannot be looked at: the kernel did not let the server act as user " + who.uid()
                    + " (CAP_SETUID, CAP_SETGID)");
        }
    }

    private static String refusal(int error, Submitter who) {
        return switch (error) {
            case Kernel.ENOENT, Kernel.ENOTDIR ->
                "is not there; a source that is missing is not made, so make it first";
            case Kernel.EACCES, Kernel.EPERM ->
                "is out of reach for " + who.name() + " on this machine; a job gets what its submitter may reach";
            case Kernel.ELOOP -> "leads through too many links";
            default -> "cannot be opened: the kernel's error " + error;
        };
    }
}
