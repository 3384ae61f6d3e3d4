package dev.berth.server.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;

/** The place where this process, its virtual machine, and what it starts from then on write their errors. */
public final class StandardError {
    private static final long O_WRONLY = 0x1;
    private static final long O_CREAT = 0x40;
    private static final long O_APPEND = 0x400;
    private static final long OWNER_ONLY = 0600;
    private static final int DESCRIPTOR = 2;

    private StandardError() {}

    /**
     * From now on they are appended to a file, which is made for its owner alone where it is missing (dup3(2)).
     *
     * @throws IOException where it cannot be opened, or is a link
     */
    public static void appendTo(Path file) throws IOException {
        long opened;
        try (Arena arena = Arena.ofConfined()) {
            long flags = O_WRONLY | O_CREAT | O_APPEND | FileHandle.O_CLOEXEC | FileHandle.O_NOFOLLOW;
            long name = arena.allocateFrom(file.toString()).address();
            opened = SystemCall.OPENAT.require(
                    file.toString(), SystemCall.OPENAT.of(FileHandle.AT_FDCWD, name, flags, OWNER_ONLY, 0));
        }
        try {
            long _ = SystemCall.DUP3.require(file.toString(), SystemCall.DUP3.of(opened, DESCRIPTOR, 0, 0, 0));
        } finally {
            long _ = SystemCall.CLOSE.of(opened);
        }
    }
}
