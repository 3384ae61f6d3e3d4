package dev.berth.server.mount;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import java.util.List;

/**
 * The system calls that Java has no words for, as the kernel has them: what concerns an identity concerns the calling
 * thread alone (the C library's functions of the same names would change every thread's). Each answers what the kernel
 * answers, and the negative error number where it failed. Safe for any thread.
 */
final class Kernel {
    static final int EPERM = 1;
    static final int ENOENT = 2;
    static final int EACCES = 13;
    static final int ENOTDIR = 20;
    static final int EINVAL = 22;
    static final int ENOSYS = 38;
    static final int ELOOP = 40;

    private static final int O_PATH = 0x20_0000;
    private static final int O_CLOEXEC = 0x8_0000;
    private static final int AT_FDCWD = -100;
    private static final int AT_EACCESS = 0x200;
    private static final int AT_EMPTY_PATH = 0x1000;
    private static final int AT_RECURSIVE = 0x8000;
    private static final int OPEN_TREE_CLONE = 1;
    private static final int MOVE_MOUNT_F_EMPTY_PATH = 4;
    private static final int MNT_DETACH = 2;
    private static final int UMOUNT_NOFOLLOW = 8;
    private static final long NOSUID_NODEV_NOEXEC = 2 | 4 | 8;
    private static final long ATTRIBUTE_RDONLY = 1;
    private static final long ATTRIBUTE_NOSUID_NODEV = 2 | 4;
    private static final long MS_PRIVATE = 1 << 18;
    private static final long MOUNT_ATTR_BYTES = 32;

    /** The numbers that all machines share (asm-generic/unistd.h). */
    private static final int OPEN_TREE = 428;

    private static final int MOVE_MOUNT = 429;
    private static final int FACCESSAT2 = 439;
    private static final int MOUNT_SETATTR = 442;

    /** The numbers that differ (asm/unistd_64.h; asm-generic/unistd.h). None is of no machine, and answers ENOSYS. */
    private record Numbers(
            int openat, int close, int setgroups, int getgroups, int setfsuid, int setfsgid, int mount, int umount2) {
        static Numbers ofThisMachine() {
            return switch (System.getProperty("os.arch")) {
                case "amd64" -> new Numbers(257, 3, 116, 115, 122, 123, 165, 166);
                case "aarch64", "riscv64" -> new Numbers(56, 57, 159, 158, 151, 152, 40, 39);
                default -> new Numbers(-1, -1, -1, -1, -1, -1, -1, -1);
            };
        }
    }

    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = STATE.varHandle(PathElement.groupElement("errno"));
    private static final Numbers NUMBERS = Numbers.ofThisMachine();

    private final MethodHandle syscall;

    @SuppressWarnings("restricted")
    Kernel() {
        Linker linker = Linker.nativeLinker();
        syscall = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("syscall"),
                FunctionDescriptor.of(
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG),
                Linker.Option.firstVariadicArg(1),
                Linker.Option.captureCallState("errno"));
    }

    private long call(long number, long a, long b, long c, long d, long e) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            long answer = (long) syscall.invokeExact(state, number, a, b, c, d, e);
            return answer == -1 ? -(int) ERRNO.get(state, 0L) : answer;
        } catch (RuntimeException | Error failure) {
            throw failure;
        } catch (Throwable failure) {
            throw new IllegalStateException("syscall(2) throws nothing", failure);
        }
    }

    /** A descriptor that stands for a path and opens nothing; links are followed with the thread's own rights. */
    int open(String path) {
        try (Arena arena = Arena.ofConfined()) {
            long name = arena.allocateFrom(path).address();
            return (int) call(NUMBERS.openat(), AT_FDCWD, name, O_PATH | O_CLOEXEC, 0, 0);
        }
    }

    void close(int descriptor) {
        call(NUMBERS.close(), descriptor, 0, 0, 0, 0);
    }

    /** 0 where the thread may do that (access(2)'s R_OK and so on) with what the descriptor stands for. */
    int access(int descriptor, int mode) {
        try (Arena arena = Arena.ofConfined()) {
            long nothing = arena.allocateFrom("").address();
            return (int) call(FACCESSAT2, descriptor, nothing, mode, AT_EACCESS | AT_EMPTY_PATH, 0);
        }
    }

    int setGroups(List<Long> groups) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment list = arena.allocate(ValueLayout.JAVA_INT, Math.max(1, groups.size()));
            for (int i = 0; i < groups.size(); i++) {
                list.setAtIndex(ValueLayout.JAVA_INT, i, groups.get(i).intValue());
            }
            return (int) call(NUMBERS.setgroups(), groups.size(), list.address(), 0, 0, 0);
        }
    }

    int countGroups() {
        return (int) call(NUMBERS.getgroups(), 0, 0, 0, 0, 0);
    }

    /** Answers what it was before; an id that does not exist changes nothing, and so asks (setfsuid(2)). */
    long setFileSystemUid(long uid) {
        return call(NUMBERS.setfsuid(), uid, 0, 0, 0, 0);
    }

    long setFileSystemGid(long gid) {
        return call(NUMBERS.setfsgid(), gid, 0, 0, 0, 0);
    }

    /** A new memory file system at a directory, for its owner alone. */
    int mountMemory(Path at) {
        try (Arena arena = Arena.ofConfined()) {
            long type = arena.allocateFrom("tmpfs").address();
            long place = arena.allocateFrom(at.toString()).address();
            long options = arena.allocateFrom("mode=0700,size=16m").address();
            return (int) call(NUMBERS.mount(), type, place, type, NOSUID_NODEV_NOEXEC, options);
        }
    }

    /** A copy of the mounts at and below what a descriptor stands for, that is nowhere yet (Linux 5.2). */
    int cloneTree(int descriptor) {
        try (Arena arena = Arena.ofConfined()) {
            long nothing = arena.allocateFrom("").address();
            int flags = OPEN_TREE_CLONE | O_CLOEXEC | AT_EMPTY_PATH | AT_RECURSIVE;
            return (int) call(OPEN_TREE, descriptor, nothing, flags, 0, 0);
        }
    }

    /** Makes all mounts of a copy private, without devices and set-user-id programs, and perhaps read-only (5.12). */
    int restrict(int tree, boolean readOnly) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = arena.allocate(MOUNT_ATTR_BYTES, Long.BYTES);
            long set = readOnly ? ATTRIBUTE_NOSUID_NODEV | ATTRIBUTE_RDONLY : ATTRIBUTE_NOSUID_NODEV;
            attributes.setAtIndex(ValueLayout.JAVA_LONG, 0, set);
            attributes.setAtIndex(ValueLayout.JAVA_LONG, 2, MS_PRIVATE);
            long nothing = arena.allocateFrom("").address();
            int flags = AT_EMPTY_PATH | AT_RECURSIVE;
            return (int) call(MOUNT_SETATTR, tree, nothing, flags, attributes.address(), MOUNT_ATTR_BYTES);
        }
    }

    /** Puts a copy in its place. */
    int attach(int tree, Path at) {
        try (Arena arena = Arena.ofConfined()) {
            long nothing = arena.allocateFrom("").address();
            long place = arena.allocateFrom(at.toString()).address();
            return (int) call(MOVE_MOUNT, tree, nothing, AT_FDCWD, place, MOVE_MOUNT_F_EMPTY_PATH);
        }
    }

    /** Takes the mount at a path away, with all below it. */
    int unmount(Path at) {
        try (Arena arena = Arena.ofConfined()) {
            long place = arena.allocateFrom(at.toString()).address();
            return (int) call(NUMBERS.umount2(), place, MNT_DETACH | UMOUNT_NOFOLLOW, 0, 0, 0);
        }
    }
}
