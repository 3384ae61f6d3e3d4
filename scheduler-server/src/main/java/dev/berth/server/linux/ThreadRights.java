package dev.berth.server.linux;

import dev.berth.core.job.Submitter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/** The calling thread's rights to files, and its capabilities (setfsuid(2), capset(2), capabilities(7)). */
final class ThreadRights {
    private static final int CAPABILITY_VERSION = 0x2008_0522;
    private static final long HEADER_BYTES = 8;
    private static final long DATA_BYTES = 24;
    private static final long NOBODY = -1;

    /** The rights that make root root where files are concerned: CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH. */
    private static final int ROOTS_FILES = 1 << 1 | 1 << 2;

    private ThreadRights() {}

    /**
     * Makes the thread a user's as far as files go, and takes every capability from it, for good. Root keeps what
     * lets it read and write others' files, and nothing else.
     *
     * @return whether the kernel let it
     */
    static boolean become(Submitter who) {
        boolean done =
                setGroups(who.groups()) && setFileSystemIds(who) && setCapabilities(who.isRoot() ? ROOTS_FILES : 0);
        return done && SystemCall.GETGROUPS.of(0, 0) == who.groups().size();
    }

    private static boolean setGroups(List<Long> groups) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment list = arena.allocate(ValueLayout.JAVA_INT, Math.max(1, groups.size()));
            for (int i = 0; i < groups.size(); i++) {
                list.setAtIndex(ValueLayout.JAVA_INT, i, groups.get(i).intValue());
            }
            return SystemCall.SETGROUPS.of(groups.size(), list.address()) == 0;
        }
    }

    /** The calls tell no error; one with an id that does not exist changes nothing, and so asks (setfsuid(2)). */
    private static boolean setFileSystemIds(Submitter who) {
        long _ = SystemCall.SETFSGID.of(who.gid());
        long _ = SystemCall.SETFSUID.of(who.uid());
        return Integer.toUnsignedLong((int) SystemCall.SETFSGID.of(NOBODY)) == who.gid()
                && Integer.toUnsignedLong((int) SystemCall.SETFSUID.of(NOBODY)) == who.uid();
    }

    private static boolean setCapabilities(int low) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment header = arena.allocate(HEADER_BYTES, Long.BYTES);
            header.set(ValueLayout.JAVA_INT, 0, CAPABILITY_VERSION);
            // Effective, permitted, inheritable; the second three are of the capabilities from 32 on.
            MemorySegment data = arena.allocate(DATA_BYTES, Long.BYTES);
            MemorySegment before = arena.allocate(DATA_BYTES, Long.BYTES);
            if (SystemCall.CAPGET.of(header.address(), before.address()) != 0) {
                return false;
            }
            int kept = low & before.getAtIndex(ValueLayout.JAVA_INT, 1);
            data.setAtIndex(ValueLayout.JAVA_INT, 0, kept);
            data.setAtIndex(ValueLayout.JAVA_INT, 1, kept);
            return SystemCall.CAPSET.of(header.address(), data.address()) == 0;
        }
    }
}
