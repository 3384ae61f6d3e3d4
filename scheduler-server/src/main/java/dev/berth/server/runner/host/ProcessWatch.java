package dev.berth.server.runner.host;

import dev.berth.server.linux.ProcessDescriptor;
import dev.berth.server.linux.ProcessKey;
import dev.berth.server.linux.ProcessTable;
import dev.berth.server.upkeep.BackgroundWork;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Tells of the ends of processes as they happen. A platform thread waits for each, for a wait in the kernel takes the
 * thread that does it; there are as many as programs run, and their commands. Where the kernel knows no descriptors of
 * processes (before Linux 5.3), the process is looked at five times a second instead.
 */
final class ProcessWatch {
    private static final int GLANCE_MILLIS = 200;

    /** The time that a watch which is not needed any more may live on. */
    private static final int PATIENCE_MILLIS = 10_000;

    private final ProcessTable table;
    private final BackgroundWork background;

    ProcessWatch(ProcessTable table, BackgroundWork background) {
        this.table = table;
        this.background = background;
    }

    /** A watch that is kept until it is closed, or the process has ended. */
    static final class Watched implements ProcessKernel.Watch {
        private final CountDownLatch closed = new CountDownLatch(1);

        boolean isClosed() {
            return closed.getCount() == 0;
        }

        @Override
        public void close() {
            closed.countDown();
        }
    }

    /**
     * Calls {@code whenEnded}, on a thread of its own, when that process ends, or at once where it is not there; again
     * where that fails.
     */
    Watched watch(ProcessKey process, Runnable whenEnded) {
        Watched watched = new Watched();
        Thread.ofPlatform()
                .daemon()
                .name("process-" + process.pid())
                .start(() -> background.untilDone("ends of host programs", () -> {
                    if (awaitEnd(process, watched)) {
                        whenEnded.run();
                    }
                }));
        return watched;
    }

    private boolean awaitEnd(ProcessKey process, Watched watched) {
        Optional<ProcessDescriptor> descriptor = ProcessDescriptor.of(process.pid());
        try {
            // Looked at behind the opening: from here on the descriptor is that process's, or it has ended.
            while (isAlive(process)) {
                if (watched.isClosed()) {
                    return false;
                }
                boolean mayHaveEnded = descriptor.isEmpty() || descriptor.get().awaitEnd(PATIENCE_MILLIS);
                if (mayHaveEnded && isAlive(process) && pause(watched)) {
                    return false;
                }
            }
            return !watched.isClosed();
        } finally {
            descriptor.ifPresent(ProcessDescriptor::close);
        }
    }

    /** Whether a process is there; one that cannot be looked at just now is believed to be. */
    private boolean isAlive(ProcessKey process) {
        try {
            return table.isAlive(process);
        } catch (UncheckedIOException e) {
            return true;
        }
    }

    /** Whether the watch was closed meanwhile. */
    private static boolean pause(Watched watched) {
        try {
            return watched.closed.await(GLANCE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }
}
