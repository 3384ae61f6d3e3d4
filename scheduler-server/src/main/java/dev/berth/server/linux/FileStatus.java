package dev.berth.server.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;

/**
 * The status of a file as stat(2) says it.
 *
 * @param mode the type and the permissions, as st_mode
 * @param owner the number of the user whose it is
 */
public record FileStatus(long device, long inode, int mode, long owner) {
    private static final int TYPE = 0170000;
    private static final int DIRECTORY = 0040000;
    private static final int REGULAR = 0100000;
    private static final int SOCKET = 0140000;
    private static final int LINK = 0120000;
    private static final int STICKY = 01000;
    private static final int WRITE_OF_OTHERS = 0022;
    private static final int SEARCH_OF_OTHERS = 0011;
    private static final int EVERYBODY = 0666;

    /** Status of what a path names itself: a link is not followed. */
    public static FileStatus of(Path path) throws IOException {
        return read(path, LinkOption.NOFOLLOW_LINKS);
    }

    static FileStatus read(Path path, LinkOption... options) throws IOException {
        Map<String, Object> facts = Files.readAttributes(path, "unix:dev,ino,mode,uid", options);
        return new FileStatus(
                number(facts, "dev"), number(facts, "ino"), (int) number(facts, "mode"), Integer.toUnsignedLong((int)
                        number(facts, "uid")));
    }

    private static long number(Map<String, Object> facts, String name) {
        return facts.get(name) instanceof Number number ? number.longValue() : 0;
    }

    public boolean isRegular() {
        return (mode & TYPE) == REGULAR;
    }

    public boolean isDirectory() {
        return (mode & TYPE) == DIRECTORY;
    }

    public boolean isSocket() {
        return (mode & TYPE) == SOCKET;
    }

    public boolean isLink() {
        return (mode & TYPE) == LINK;
    }

    /** Whether it lets others than its owner write: into it, or what is in it. */
    public boolean isWritableByOthers() {
        return (mode & WRITE_OF_OTHERS) != 0;
    }

    /** Whether it lets others than its owner reach what is in it. */
    public boolean isEnterableByOthers() {
        return (mode & SEARCH_OF_OTHERS) != 0;
    }

    /** Whether in a directory that others may write a file can be renamed and removed by its owner alone (inode(7)). */
    public boolean isSticky() {
        return (mode & STICKY) != 0;
    }

    /** Whether everybody may read and write it. */
    public boolean isEverybodys() {
        return (mode & EVERYBODY) == EVERYBODY;
    }

    /**
     * Whether nobody but root and a user can rename or remove what those two have in it: it belongs to one of them, and
     * either nobody else may write to it, or each may do so with what is their own alone.
     */
    public boolean isSoundFor(long user) {
        return (owner == 0 || owner == user) && (!isWritableByOthers() || isSticky());
    }

    /** Whether it is the same file. */
    public boolean isSameFileAs(FileStatus other) {
        return device == other.device && inode == other.inode;
    }
}
