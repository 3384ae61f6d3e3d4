package dev.berth.server.runner.host;

import dev.berth.server.linux.ProcessKey;
import java.nio.file.Path;

/**
 * Kernel under host jobs, which shows processes, tells of their ends and sends them signals: the machine's own, or a
 * simulated one. Safe for any thread.
 */
public interface ProcessKernel {
    /** The directory where it shows processes, laid out like {@code /proc}. */
    Path proc();

    /**
     * Calls {@code whenEnded} once, on a thread of its own, when that process ends, or at once where it is not there.
     */
    Watch watch(ProcessKey process, Runnable whenEnded);

    /** Sends a signal to that very process, where it is there; whether it was sent. */
    boolean signal(ProcessKey process, int number);

    /** Watch that is kept until it is closed, or the process has ended. */
    interface Watch extends AutoCloseable {
        @Override
        void close();
    }
}
