package dev.berth.server.lease;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/**
 * What Java has no words for about other processes: a descriptor that stands for one (pidfd_open(2), Linux 5.3), and
 * signals. Each answers what the kernel answers, and the negative error number where it failed. Safe for any thread; a wait
 * takes the thread that calls, so that must be none of the virtual ones.
 */
final class Kernel {
    static final int SIGKILL = 9;
    static final int SIGTERM = 15;
    static final int ESRCH = 3;

    /** The numbers that all machines share (asm-generic/unistd.h). */
    private static final long PIDFD_OPEN = 434;

    private static final long PIDFD_SEND_SIGNAL = 424;
    private static final short POLLIN = 1;

    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = STATE.varHandle(PathElement.groupElement("errno"));
    private static final StructLayout POLLFD = MemoryLayout.structLayout(
            ValueLayout.JAVA_INT.withName("fd"),
            ValueLayout.JAVA_SHORT.withName("events"),
            ValueLayout.JAVA_SHORT.withName("revents"));
    private static final long EVENTS = POLLFD.byteOffset(PathElement.groupElement("events"));

    private final MethodHandle syscall;
    private final MethodHandle poll;
    private final MethodHandle close;

    @SuppressWarnings("restricted")
    Kernel() {
        Linker linker = Linker.nativeLinker();
        Linker.Option errno = Linker.Option.captureCallState("errno");
        syscall = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("syscall"),
                FunctionDescriptor.of(
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG),
                Linker.Option.firstVariadicArg(1),
                errno);
        poll = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("poll"),
                FunctionDescriptor.of(
                        ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT),
                errno);
        close = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("close"),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
    }

    /** A descriptor for the process of that number; it is never another's, also when the number is given out again. */
    int open(long pid) {
        return (int) call(PIDFD_OPEN, pid, 0, 0);
    }

    void close(int descriptor) {
        try {
            int _ = (int) close.invokeExact(descriptor);
        } catch (Throwable failure) {
            throw surprising(failure);
        }
    }

    /** Sends a signal to the process that a descriptor stands for. */
    int signal(int descriptor, int number) {
        return (int) call(PIDFD_SEND_SIGNAL, descriptor, number, 0);
    }

    /** Waits until the process of a descriptor has ended; false where that took longer. */
    boolean awaitEnd(int descriptor, int millis) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            MemorySegment watched = arena.allocate(POLLFD);
            watched.set(ValueLayout.JAVA_INT, 0, descriptor);
            watched.set(ValueLayout.JAVA_SHORT, EVENTS, POLLIN);
            int ready = (int) poll.invokeExact(state, watched, 1L, millis);
            return ready > 0;
        } catch (Throwable failure) {
            throw surprising(failure);
        }
    }

    private long call(long number, long a, long b, long c) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            long answer = (long) syscall.invokeExact(state, number, a, b, c, 0L);
            return answer == -1 ? -(int) ERRNO.get(state, 0L) : answer;
        } catch (Throwable failure) {
            throw surprising(failure);
        }
    }

    private static RuntimeException surprising(Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        return failure instanceof RuntimeException known
                ? known
                : new IllegalStateException("the C library throws nothing", failure);
    }
}
