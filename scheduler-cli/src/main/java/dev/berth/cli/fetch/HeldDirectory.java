package dev.berth.cli.fetch;

import dev.berth.cli.program.CLibrary;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;

/**
 * A directory that is held by a descriptor (O_PATH, open(2)): what is made in it is made there, whatever another
 * process puts in its place meanwhile. For one thread.
 */
final class HeldDirectory implements AutoCloseable {
    private static final int O_PATH = 0x20_0000;
    private static final int O_CLOEXEC = 0x8_0000;
    /** fcntl.h of x86 and of Arm differ in it. */
    private static final int O_NOFOLLOW = "aarch64".equals(System.getProperty("os.arch")) ? 0x8000 : 0x2_0000;

    private static final int AT_FDCWD = -100;
    private static final int ENOENT = 2;
    private static final Path MYSELF = Path.of("/proc/self");

    private final Calls calls;
    private final int descriptor;

    private record Calls(CLibrary.Function openat, CLibrary.Function close) {
        static Calls ofTheLibrary() {
            CLibrary library = new CLibrary();
            return new Calls(
                    library.variadic("openat", 3, CLibrary.INT, CLibrary.POINTER, CLibrary.INT),
                    library.function("close", CLibrary.INT));
        }
    }

    private HeldDirectory(Calls calls, int descriptor) {
        this.calls = calls;
        this.descriptor = descriptor;
    }

    /** The one at a path, links followed. */
    static HeldDirectory followed(Path path) throws IOException {
        return open(Calls.ofTheLibrary(), AT_FDCWD, path.toString(), O_PATH | O_CLOEXEC);
    }

    /** The one at a path, whose last name must be no link. */
    static HeldDirectory unfollowed(Path path) throws IOException {
        return open(Calls.ofTheLibrary(), AT_FDCWD, path.toString(), O_PATH | O_CLOEXEC | O_NOFOLLOW);
    }

    /**
     * A directory in this one, by a single name, which must be no link.
     *
     * @throws NoSuchFileException where there is nothing of that name
     * @throws NotDirectoryException where it is something else
     */
    HeldDirectory child(String name) throws IOException {
        return open(calls, descriptor, name, O_PATH | O_CLOEXEC | O_NOFOLLOW);
    }

    private static HeldDirectory open(Calls calls, int at, String name, int flags) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(name);
            int answer = calls.openat().call(at, text, flags);
            if (answer == -ENOENT) {
                throw new NoSuchFileException(name);
            }
            if (answer < 0) {
                throw new FileSystemException(name, null, "the kernel's error " + -answer);
            }
            HeldDirectory opened = new HeldDirectory(calls, answer);
            if (!Files.isDirectory(opened.path())) {
                opened.close();
                throw new NotDirectoryException(name);
            }
            return opened;
        }
    }

    /** Leads to exactly this directory while it is held, and to an entry of it where one name is appended. */
    Path path() {
        return Path.of("/proc/self/fd/" + descriptor);
    }

    /** Whether it belongs to the user who runs this. */
    boolean isOwn() throws IOException {
        return Files.getAttribute(path(), "unix:uid")
                .equals(Files.getAttribute(MYSELF, "unix:uid", LinkOption.NOFOLLOW_LINKS));
    }

    @Override
    public void close() {
        int _ = calls.close().call(descriptor);
    }
}
