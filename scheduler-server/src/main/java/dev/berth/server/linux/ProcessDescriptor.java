package dev.berth.server.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.util.Optional;

/**
 * A descriptor that stands for one process (pidfd_open(2), Linux 5.3): it is never another's, also when the number of the
 * process is assigned again. Safe for any thread; a wait takes the thread that calls, so that must be none of the virtual
 * ones.
 */
public final class ProcessDescriptor implements AutoCloseable {
    public static final int SIGKILL = 9;
    public static final int SIGTERM = 15;

    private static final short POLLIN = 1;
    private static final long MILLIS_OF_SECOND = 1_000;
    private static final long NANOS_OF_MILLI = 1_000_000;
    private static final StructLayout POLLFD = MemoryLayout.structLayout(
            ValueLayout.JAVA_INT.withName("fd"),
            ValueLayout.JAVA_SHORT.withName("events"),
            ValueLayout.JAVA_SHORT.withName("revents"));
    private static final long EVENTS = POLLFD.byteOffset(PathElement.groupElement("events"));

    private final int descriptor;

    private ProcessDescriptor(int descriptor) {
        this.descriptor = descriptor;
    }

    /** Descriptor for the process of that number; empty where there is none, or the kernel knows no such descriptors. */
    public static Optional<ProcessDescriptor> of(long pid) {
        long answer = SystemCall.PIDFD_OPEN.of(pid, 0);
        return answer < 0 ? Optional.empty() : Optional.of(new ProcessDescriptor((int) answer));
    }

    /**
     * Sends the process a signal (pidfd_send_signal(2)).
     *
     * @return 0, and the negative error number where the call failed
     */
    public int signal(int number) {
        return (int) SystemCall.PIDFD_SEND_SIGNAL.of(descriptor, number);
    }

    /** Waits until the process has ended (ppoll(2)); false where that took longer. */
    public boolean awaitEnd(int millis) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment watched = arena.allocate(POLLFD);
            watched.set(ValueLayout.JAVA_INT, 0, descriptor);
            watched.set(ValueLayout.JAVA_SHORT, EVENTS, POLLIN);
            MemorySegment patience = arena.allocate(ValueLayout.JAVA_LONG, 2);
            patience.setAtIndex(ValueLayout.JAVA_LONG, 0, millis / MILLIS_OF_SECOND);
            patience.setAtIndex(ValueLayout.JAVA_LONG, 1, millis % MILLIS_OF_SECOND * NANOS_OF_MILLI);
            return SystemCall.PPOLL.of(watched.address(), 1, patience.address(), 0, 0) > 0;
        }
    }

    @Override
    public void close() {
        long _ = SystemCall.CLOSE.of(descriptor);
    }
}
