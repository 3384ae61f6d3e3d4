package dev.berth.server.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.berth.core.job.Submitter;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The machine's user database, through the C library, so that users of a directory service are found as well as those
 * of {@code /etc/passwd}. Such a service may hang: to be asked by callers that can wait. Safe for any thread.
 */
public final class Users {
    private static final int MAX_GROUPS = 4_096;
    private static final int MAX_NAME_BYTES = 256;

    /**
     * {@code struct passwd} of 64-bit Linux: name, password (pointers), uid, gid (32 bits each), comment, home, shell
     * (pointers).
     */
    private static final Entry USER = new Entry(48, 1 << 16);

    private static final long UID_OFFSET = 16;
    private static final long GID_OFFSET = 20;
    private static final long HOME_OFFSET = 32;
    private static final long SHELL_OFFSET = 40;

    /** {@code struct group}: name, password (pointers), gid (32 bits), members. */
    private static final Entry GROUP = new Entry(32, 1 << 20);

    private static final long GROUP_GID_OFFSET = 16;
    private static final long UNSIGNED = 0xffff_ffffL;

    /**
     * The sizes of the record of one user or group.
     *
     * @param bytes of the structure
     * @param bufferBytes for the texts that it points to
     */
    private record Entry(long bytes, int bufferBytes) {}

    private final NativeFunction getpwnam = lookUp("getpwnam_r", ADDRESS);
    private final NativeFunction getpwuid = lookUp("getpwuid_r", JAVA_INT);
    private final NativeFunction getgrnam = lookUp("getgrnam_r", ADDRESS);
    private final NativeFunction getgrouplist = NativeFunction.ofTheCLibrary(
            "getgrouplist", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, ADDRESS, ADDRESS));

    private static NativeFunction lookUp(String function, MemoryLayout key) {
        return NativeFunction.ofTheCLibrary(
                function, FunctionDescriptor.of(JAVA_INT, key, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS));
    }

    /** A user with all groups, empty where the database has none of that name. */
    public Optional<Submitter> find(String name) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment nameC = arena.allocateFrom(name);
            return find(getpwnam, nameC, USER, arena).map(entry -> {
                long gid = entry.get(JAVA_INT, GID_OFFSET) & UNSIGNED;
                return new Submitter(entry.get(JAVA_INT, UID_OFFSET) & UNSIGNED, gid, groups(arena, nameC, gid), name);
            });
        }
    }

    /** The name of a user, empty where the database has none of that number. */
    @SuppressWarnings("restricted")
    public Optional<String> name(long uid) {
        try (Arena arena = Arena.ofConfined()) {
            // The name is the first member.
            return find(getpwuid, (int) uid, USER, arena)
                    .map(entry ->
                            entry.get(ADDRESS, 0).reinterpret(MAX_NAME_BYTES).getString(0));
        }
    }

    /** The surroundings in which a user's programs run, empty where the database has no user of that number. */
    public Optional<Login> login(long uid) {
        try (Arena arena = Arena.ofConfined()) {
            return find(getpwuid, (int) uid, USER, arena)
                    .map(entry -> new Login(
                            text(entry, 0),
                            entry.get(JAVA_INT, UID_OFFSET) & UNSIGNED,
                            entry.get(JAVA_INT, GID_OFFSET) & UNSIGNED,
                            text(entry, HOME_OFFSET),
                            text(entry, SHELL_OFFSET)));
        }
    }

    @SuppressWarnings("restricted")
    private static String text(MemorySegment entry, long offset) {
        return entry.get(ADDRESS, offset).reinterpret(USER.bufferBytes).getString(0);
    }

    /** The number of a group, empty where the database has none of that name. */
    public Optional<Long> group(String name) {
        try (Arena arena = Arena.ofConfined()) {
            return find(getgrnam, arena.allocateFrom(name), GROUP, arena)
                    .map(entry -> entry.get(JAVA_INT, GROUP_GID_OFFSET) & UNSIGNED);
        }
    }

    /** Whether a user is in the group of that name. */
    public boolean isMember(Submitter user, String group) {
        return group(group)
                .filter(gid -> gid == user.gid() || user.groups().contains(gid))
                .isPresent();
    }

    private static Optional<MemorySegment> find(NativeFunction lookUp, Object key, Entry kind, Arena arena) {
        MemorySegment entry = arena.allocate(kind.bytes, Long.BYTES);
        MemorySegment found = arena.allocate(ADDRESS);
        int failure = (int) lookUp.call(key, entry, arena.allocate(kind.bufferBytes), (long) kind.bufferBytes, found);
        return failure != 0 || found.get(ADDRESS, 0).address() == 0 ? Optional.empty() : Optional.of(entry);
    }

    private List<Long> groups(Arena arena, MemorySegment name, long gid) {
        MemorySegment list = arena.allocate(JAVA_INT, MAX_GROUPS);
        MemorySegment count = arena.allocateFrom(JAVA_INT, MAX_GROUPS);
        int found = (int) getgrouplist.call(name, (int) gid, list, count);
        List<Long> groups = new ArrayList<>();
        for (int i = 0; i < Math.min(found, MAX_GROUPS); i++) {
            long group = list.getAtIndex(JAVA_INT, i) & UNSIGNED;
            if (group != gid) {
                groups.add(group);
            }
        }
        return groups;
    }
}
