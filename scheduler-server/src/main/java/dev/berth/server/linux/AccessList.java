package dev.berth.server.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;

/**
 * The access list of a directory (acl(5)), which Java has no words for: the owner has all rights, one user passes
 * through, and nobody else so much as looks. Safe for any thread.
 */
public final class AccessList {
    private static final String NAME = "system.posix_acl_access";
    private static final int VERSION = 2;
    private static final int BYTES = 4 + 5 * 8;
    private static final int NOBODY = -1;
    private static final int ALL = 7;
    private static final int PASS = 1;
    private static final int NONE = 0;

    /** The thing that an entry is about (linux/posix_acl.h), in the order in which the kernel wants them. */
    private static final short OWNER = 0x01;

    private static final short USER = 0x02;
    private static final short GROUP = 0x04;
    private static final short MASK = 0x10;
    private static final short OTHERS = 0x20;

    private AccessList() {}

    /**
     * Lets one user through a directory of the server's own, and nobody else.
     *
     * @return false where the file system has no access lists, and nothing was changed
     */
    public static boolean letThrough(Path directory, long uid) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            long path = arena.allocateFrom(directory.toString()).address();
            long name = arena.allocateFrom(NAME).address();
            MemorySegment list = arena.allocateFrom(ValueLayout.JAVA_BYTE, list((int) uid));
            long answer = SystemCall.SETXATTR.of(path, name, list.address(), list.byteSize(), 0);
            if (answer == -ErrorNumber.EOPNOTSUPP) {
                return false;
            }
            long _ = SystemCall.SETXATTR.require("the access list of " + directory, answer);
            return true;
        }
    }

    private static byte[] list(int uid) {
        ByteBuffer list =
                ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN).putInt(VERSION);
        entry(list, OWNER, ALL, NOBODY);
        entry(list, USER, PASS, uid);
        entry(list, GROUP, NONE, NOBODY);
        entry(list, MASK, PASS, NOBODY);
        entry(list, OTHERS, NONE, NOBODY);
        return list.array();
    }

    private static void entry(ByteBuffer list, short about, int rights, int id) {
        list.putShort(about).putShort((short) rights).putInt(id);
    }
}
