package dev.berth.server.gpu.lock;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Which file a path names now. Only asked by stat(2), which opens nothing.
 *
 * @param owner the number of the user whose it is
 */
record FileIdentity(long device, long inode, boolean isRegular, boolean isDirectory, int owner) {
    private static final int TYPE_MASK = 0xf000;
    private static final int REGULAR = 0x8000;
    private static final int DIRECTORY = 0x4000;

    /** The file itself, not what a link leads to; empty where there is none. */
    static Optional<FileIdentity> of(Path path) throws IOException {
        try {
            Map<String, Object> facts = Files.readAttributes(path, "unix:dev,ino,mode,uid", LinkOption.NOFOLLOW_LINKS);
            int type = (int) number(facts, "mode") & TYPE_MASK;
            return Optional.of(new FileIdentity(
                    number(facts, "dev"), number(facts, "ino"), type == REGULAR, type == DIRECTORY, (int)
                            number(facts, "uid")));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    private static long number(Map<String, Object> facts, String name) {
        return facts.get(name) instanceof Number number ? number.longValue() : 0;
    }

    boolean isSameFileAs(FileIdentity other) {
        return device == other.device && inode == other.inode;
    }

    /** As {@code /proc/locks} names it: the two halves of the device in hexadecimal, and the inode. */
    String inLocks() {
        long major = ((device >> 8) & 0xfff) | ((device >> 32) & ~0xfffL);
        long minor = (device & 0xff) | ((device >> 12) & ~0xffL);
        return "%02x:%02x:%d".formatted(major, minor, inode);
    }
}
