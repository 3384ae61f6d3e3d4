package dev.berth.server.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;

/**
 * A descriptor that stands for one file and opens nothing (O_PATH, open(2)): what was looked at is what is used,
 * whatever another process puts in its place meanwhile. Closing it drops no record lock of this process. Safe for any
 * thread.
 */
public final class FileHandle implements AutoCloseable {
    private static final long O_PATH = 0x20_0000;
    private static final long O_NONBLOCK = 0x800;
    static final long O_CLOEXEC = 0x8_0000;
    /** fcntl.h of x86 and of Arm differ in these two; the handle is looked at instead of asking for a directory. */
    static final long O_NOFOLLOW = "aarch64".equals(System.getProperty("os.arch")) ? 0x8000 : 0x2_0000;

    private static final char UNREADABLE = '\ufffd';
    static final long AT_FDCWD = -100;
    private static final long AT_EACCESS = 0x200;
    private static final long RENAME_NOREPLACE = 1;
    private static final long AT_SYMLINK_FOLLOW = 0x400;
    private static final long AT_EMPTY_PATH = 0x1000;
    private static final long RESOLVE_NO_MAGICLINKS = 2;
    private static final long OPEN_HOW_BYTES = 24;
    private static final long STATFS_BYTES = 256;

    /** The file systems that are the kernel's own words and no files (statfs(2), magic.h). */
    private static final Set<Long> OF_THE_KERNEL = Set.of(
            0x9fa0L, // proc
            0x6265_6572L, // sysfs
            0x27_e0ebL, // cgroup
            0x6367_7270L, // cgroup2
            0x6462_6720L, // debugfs
            0x7472_6163L, // tracefs
            0x7363_6673L, // securityfs
            0x1cd1L, // devpts
            0x6165_676cL, // pstore
            0xcafe_4a11L, // bpf
            0x6e73_6673L); // nsfs

    private final int descriptor;

    private FileHandle(int descriptor) {
        this.descriptor = descriptor;
    }

    /** The file that a path names; its last name is not followed where it is a link. */
    public static FileHandle of(Path path) throws IOException {
        return open(AT_FDCWD, path.toString());
    }

    /**
     * The file that a path leads to, links followed with the thread's own rights, except those of {@code /proc} that
     * lead to open files, working directories and roots of processes (openat2(2), RESOLVE_NO_MAGICLINKS; Linux 5.6).
     *
     * @throws SystemCallException {@link ErrorNumber#ELOOP} for such a link, {@link ErrorNumber#ENOSYS} for a kernel
     *     that cannot leave them out
     */
    public static FileHandle followed(String path) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment how = arena.allocate(OPEN_HOW_BYTES, Long.BYTES);
            how.setAtIndex(ValueLayout.JAVA_LONG, 0, O_PATH | O_CLOEXEC);
            how.setAtIndex(ValueLayout.JAVA_LONG, 2, RESOLVE_NO_MAGICLINKS);
            long name = arena.allocateFrom(path).address();
            return of(
                    SystemCall.OPENAT2, path, SystemCall.OPENAT2.of(AT_FDCWD, name, how.address(), OPEN_HOW_BYTES, 0));
        }
    }

    /** Handle of a path with all links followed: for who has no more rights than the one who named the path. */
    public static FileHandle followedAnywhere(String path) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            long name = arena.allocateFrom(path).address();
            return of(SystemCall.OPENAT, path, SystemCall.OPENAT.of(AT_FDCWD, name, O_PATH | O_CLOEXEC, 0, 0));
        }
    }

    /**
     * An entry of this directory, which is not followed where it is a link.
     *
     * @param name one name, without a slash
     */
    public FileHandle child(String name) throws IOException {
        if (name.isEmpty() || name.equals(".") || name.equals("..") || name.indexOf('/') >= 0) {
            throw new IllegalArgumentException("not the name of an entry: '" + name + "'");
        }
        return open(descriptor, name);
    }

    /** Handle of a name that was read from a directory, whatever its bytes are. */
    public FileHandle child(Path name) throws IOException {
        String text = name.toString();
        return text.indexOf(UNREADABLE) < 0 ? child(text) : open(descriptor, text, bytes(name));
    }

    /** Java shows a name that is no text in the machine's encoding with a mark for it; its URI has the bytes. */
    private static byte[] bytes(Path name) {
        String all = MountedFileSystems.bytes(name.toAbsolutePath());
        return all.substring(all.lastIndexOf('/') + 1).getBytes(StandardCharsets.ISO_8859_1);
    }

    private static FileHandle open(long directory, String name) throws IOException {
        return open(directory, name, name.getBytes(StandardCharsets.UTF_8));
    }

    private static FileHandle open(long directory, String shown, byte[] name) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocate(name.length + 1L);
            MemorySegment.copy(name, 0, text, ValueLayout.JAVA_BYTE, 0, name.length);
            long answer = SystemCall.OPENAT.of(directory, text.address(), O_PATH | O_CLOEXEC | O_NOFOLLOW, 0, 0);
            return of(SystemCall.OPENAT, shown, answer);
        }
    }

    private static FileHandle of(SystemCall call, String subject, long answer) throws IOException {
        return new FileHandle((int) call.require(subject, answer));
    }

    /**
     * A path that leads to exactly this file for as long as the handle is open, and to an entry where one is appended.
     */
    public Path path() {
        return Path.of("/proc/self/fd/" + descriptor);
    }

    /** The number of the descriptor, for system calls. */
    public int descriptor() {
        return descriptor;
    }

    /** The path where it is now, without any link. */
    public Path real() throws IOException {
        return Files.readSymbolicLink(path());
    }

    public FileStatus status() throws IOException {
        return FileStatus.read(path());
    }

    /** Opens it, with the thread's own rights; it is for the caller to have looked that it is a regular file. */
    public FileChannel open(OpenOption... options) throws IOException {
        return FileChannel.open(path(), options);
    }

    /**
     * Opens it for reading, with the thread's own rights, or fails at once where another process has a lease on it: an open would
     * wait for that, up to 45 seconds (fcntl(2), F_SETLEASE). It is for the caller to have looked that it is a regular file.
     */
    public FileChannel openAtOnce() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            String path = path().toString();
            long name = arena.allocateFrom(path).address();
            long answer = SystemCall.OPENAT.of(AT_FDCWD, name, O_NONBLOCK | O_CLOEXEC, 0, 0);
            // While this one is open nobody is given a lease that would hold up the next one.
            try (FileHandle _ = of(SystemCall.OPENAT, path, answer)) {
                return open(StandardOpenOption.READ);
            }
        }
    }

    /** Changes its permissions (chmod(2)). */
    public void permit(Set<PosixFilePermission> permissions) throws IOException {
        Files.setPosixFilePermissions(path(), permissions);
    }

    /** Gives it one more name, in that directory; fails where the name is taken (linkat(2)). */
    public void linkInto(FileHandle directory, String name) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            long from = arena.allocateFrom(path().toString()).address();
            long to = arena.allocateFrom(name).address();
            long answer = SystemCall.LINKAT.of(AT_FDCWD, from, directory.descriptor, to, AT_SYMLINK_FOLLOW);
            long _ = SystemCall.LINKAT.require(name, answer);
        }
    }

    /**
     * Gives an entry of this directory another name (renameat2(2), RENAME_NOREPLACE). On file systems that do not know
     * of that, what takes the name at the same moment may be replaced where it is an empty directory.
     *
     * @throws FileAlreadyExistsException where the name is taken
     */
    public void rename(String entry, String name) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            long from = arena.allocateFrom(entry).address();
            long to = arena.allocateFrom(name).address();
            long answer = SystemCall.RENAMEAT2.of(descriptor, from, descriptor, to, RENAME_NOREPLACE);
            if (answer == -ErrorNumber.EINVAL || answer == -ErrorNumber.ENOSYS) {
                Path place = path().resolve(name);
                if (Files.exists(place, LinkOption.NOFOLLOW_LINKS)) {
                    throw new FileAlreadyExistsException(name);
                }
                Path _ = Files.move(path().resolve(entry), place, StandardCopyOption.ATOMIC_MOVE);
            } else {
                long _ = SystemCall.RENAMEAT2.require(name, answer);
            }
        }
    }

    /** Whether the thread may do that (access(2)'s R_OK and so on) with it. */
    public boolean allows(int mode) {
        try (Arena arena = Arena.ofConfined()) {
            long nothing = arena.allocateFrom("").address();
            return SystemCall.FACCESSAT2.of(descriptor, nothing, mode, AT_EACCESS | AT_EMPTY_PATH, 0) == 0;
        }
    }

    /** Whether it is in one of the kernel's own file systems, such as {@code /proc}, wherever that is mounted. */
    public boolean isOfTheKernel() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment facts = arena.allocate(STATFS_BYTES, Long.BYTES);
            long answer = SystemCall.FSTATFS.of(descriptor, facts.address());
            long _ = SystemCall.FSTATFS.require(path().toString(), answer);
            return OF_THE_KERNEL.contains(facts.get(ValueLayout.JAVA_LONG, 0) & 0xffff_ffffL);
        }
    }

    @Override
    public void close() {
        long _ = SystemCall.CLOSE.of(descriptor);
    }
}
