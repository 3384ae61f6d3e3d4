package dev.berth.server.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;

/**
 * Mounts of files that are held by a {@link FileHandle} (open_tree(2), mount_setattr(2), move_mount(2); Linux 5.12). Each
 * call answers what the kernel answers, and the negative error number where it failed. Safe for any thread.
 */
public final class Mounting {
    private static final long O_CLOEXEC = 0x8_0000;
    private static final long AT_FDCWD = -100;
    private static final long AT_EMPTY_PATH = 0x1000;
    private static final long AT_RECURSIVE = 0x8000;
    private static final long OPEN_TREE_CLONE = 1;
    private static final long MOVE_MOUNT_F_EMPTY_PATH = 4;
    private static final long MNT_DETACH = 2;
    private static final long UMOUNT_NOFOLLOW = 8;
    private static final long NOSUID_NODEV_NOEXEC = 2 | 4 | 8;
    private static final long ATTRIBUTE_RDONLY = 1;
    private static final long ATTRIBUTE_NOSUID_NODEV = 2 | 4;
    private static final long MS_PRIVATE = 1 << 18;
    private static final long MOUNT_ATTR_BYTES = 32;

    private Mounting() {}

    /** A new memory file system at a directory, for its owner alone. */
    public static int mountMemory(Path at) {
        try (Arena arena = Arena.ofConfined()) {
            long type = arena.allocateFrom("tmpfs").address();
            long place = arena.allocateFrom(at.toString()).address();
            long options = arena.allocateFrom("mode=0700,size=16m").address();
            return (int) SystemCall.MOUNT.of(type, place, type, NOSUID_NODEV_NOEXEC, options);
        }
    }

    /** A copy of the mounts at and below a file, that is nowhere yet; to be closed by {@link #close}. */
    public static int cloneTree(FileHandle file) {
        try (Arena arena = Arena.ofConfined()) {
            long nothing = arena.allocateFrom("").address();
            long flags = OPEN_TREE_CLONE | O_CLOEXEC | AT_EMPTY_PATH | AT_RECURSIVE;
            return (int) SystemCall.OPEN_TREE.of(file.descriptor(), nothing, flags, 0, 0);
        }
    }

    /** Makes all mounts of a copy private, without devices and set-user-id programs, and perhaps read-only. */
    public static int restrict(int tree, boolean readOnly) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = arena.allocate(MOUNT_ATTR_BYTES, Long.BYTES);
            long set = readOnly ? ATTRIBUTE_NOSUID_NODEV | ATTRIBUTE_RDONLY : ATTRIBUTE_NOSUID_NODEV;
            attributes.setAtIndex(ValueLayout.JAVA_LONG, 0, set);
            attributes.setAtIndex(ValueLayout.JAVA_LONG, 2, MS_PRIVATE);
            long nothing = arena.allocateFrom("").address();
            long flags = AT_EMPTY_PATH | AT_RECURSIVE;
            return (int) SystemCall.MOUNT_SETATTR.of(tree, nothing, flags, attributes.address(), MOUNT_ATTR_BYTES);
        }
    }

    /** Puts a copy in its place. */
    public static int attach(int tree, Path at) {
        try (Arena arena = Arena.ofConfined()) {
            long nothing = arena.allocateFrom("").address();
            long place = arena.allocateFrom(at.toString()).address();
            return (int) SystemCall.MOVE_MOUNT.of(tree, nothing, AT_FDCWD, place, MOVE_MOUNT_F_EMPTY_PATH);
        }
    }

    public static void close(int tree) {
        long _ = SystemCall.CLOSE.of(tree);
    }

    /** Takes the mount at a path away, with all below it. */
    public static int unmount(Path at) {
        try (Arena arena = Arena.ofConfined()) {
            long place = arena.allocateFrom(at.toString()).address();
            return (int) SystemCall.UMOUNT2.of(place, MNT_DETACH | UMOUNT_NOFOLLOW);
        }
    }
}
