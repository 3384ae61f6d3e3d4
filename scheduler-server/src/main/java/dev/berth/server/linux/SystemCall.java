package dev.berth.server.linux;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * The kernel's calls by number (syscall(2)): what concerns an identity concerns the calling thread alone, whereas the C
 * library's functions of the same names would change every thread's. Safe for any thread.
 */
enum SystemCall {
    // The numbers that all machines share (asm-generic/unistd.h).
    OPEN_TREE(428, 428),
    MOVE_MOUNT(429, 429),
    PIDFD_SEND_SIGNAL(424, 424),
    PIDFD_OPEN(434, 434),
    OPENAT2(437, 437),
    FACCESSAT2(439, 439),
    MOUNT_SETATTR(442, 442),
    // Those that differ (asm/unistd_64.h, asm-generic/unistd.h).
    OPENAT(257, 56),
    CLOSE(3, 57),
    SOCKET(41, 198),
    CONNECT(42, 203),
    GETSOCKOPT(55, 209),
    DUP3(292, 24),
    FSTATFS(138, 44),
    LINKAT(265, 37),
    RENAMEAT2(316, 276),
    SETGROUPS(116, 159),
    GETGROUPS(115, 158),
    SETFSUID(122, 151),
    SETFSGID(123, 152),
    CAPGET(125, 90),
    CAPSET(126, 91),
    MOUNT(165, 40),
    UMOUNT2(166, 39),
    PPOLL(271, 73),
    SETXATTR(188, 5),
    UMASK(95, 166);

    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = STATE.varHandle(PathElement.groupElement("errno"));
    private static final NativeFunction SYSCALL = NativeFunction.ofTheCLibrary(
            "syscall",
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
            Linker.Option.firstVariadicArg(1),
            Linker.Option.captureCallState("errno"));
    private static final String MACHINE = System.getProperty("os.arch", "");

    private final long amd64;
    private final long generic;

    SystemCall(long amd64, long generic) {
        this.amd64 = amd64;
        this.generic = generic;
    }

    /** The number on this machine; -1, which no call has and the kernel answers with ENOSYS, on one that is not known. */
    private long number() {
        return switch (MACHINE) {
            case "amd64" -> amd64;
            case "aarch64", "riscv64" -> generic;
            default -> -1;
        };
    }

    /** The answer of the kernel, and the negative error number where the call failed. */
    long of(long a, long b, long c, long d, long e) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            long answer = (long) SYSCALL.call(state, number(), a, b, c, d, e);
            return answer == -1 ? -(int) ERRNO.get(state, 0L) : answer;
        }
    }

    long of(long a) {
        return of(a, 0, 0, 0, 0);
    }

    long of(long a, long b) {
        return of(a, b, 0, 0, 0);
    }

    /**
     * The answer itself where it is none of an error.
     *
     * @param subject what the call was about, for the message
     * @throws IOException where the call failed, as {@link SystemCallException#of} has it
     */
    long require(String subject, long answer) throws IOException {
        if (answer < 0) {
            throw SystemCallException.of(this, (int) -answer, subject);
        }
        return answer;
    }
}
