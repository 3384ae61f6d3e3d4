package dev.berth.server.http;

import dev.berth.core.job.Submitter;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The machine's user database, through the C library, so that users of a directory service are found as well as those
 * of {@code /etc/passwd}. Safe for any thread.
 */
final class Accounts {
    private static final int BUFFER_BYTES = 1 << 16;
    private static final int MAX_GROUPS = 4_096;

    /** {@code struct passwd} of 64-bit Linux: name, password (pointers), uid, gid (32 bits each), and more. */
    private static final long UID_OFFSET = 16;

    private static final long GID_OFFSET = 20;

    /** {@code struct group}: name, password (pointers), gid (32 bits), members. */
    private static final long GROUP_GID_OFFSET = 16;

    private static final long GROUP_BYTES = 32;
    private static final int GROUP_BUFFER_BYTES = 1 << 20;
    private static final long PASSWD_BYTES = 48;
    private static final long UNSIGNED = 0xffff_ffffL;

    private final MethodHandle getpwnam;
    private final MethodHandle getgrouplist;
    private final MethodHandle getgrnam;

    @SuppressWarnings("restricted")
    Accounts() {
        Linker linker = Linker.nativeLinker();
        SymbolLookup library = linker.defaultLookup();
        FunctionDescriptor lookUp = FunctionDescriptor.of(
                ValueLayout.JAVA_INT,
                ValueLayout.ADDRESS,
                ValueLayout.ADDRESS,
                ValueLayout.ADDRESS,
                ValueLayout.JAVA_LONG,
                ValueLayout.ADDRESS);
        getpwnam = linker.downcallHandle(library.findOrThrow("getpwnam_r"), lookUp);
        getgrnam = linker.downcallHandle(library.findOrThrow("getgrnam_r"), lookUp);
        getgrouplist = linker.downcallHandle(
                library.findOrThrow("getgrouplist"),
                FunctionDescriptor.of(
                        ValueLayout.JAVA_INT,
                        ValueLayout.ADDRESS,
                        ValueLayout.JAVA_INT,
                        ValueLayout.ADDRESS,
                        ValueLayout.ADDRESS));
    }

    /** A user with all groups, empty where the database has none of that name. */
    Optional<Submitter> find(String name) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment nameC = arena.allocateFrom(name);
            MemorySegment entry = arena.allocate(PASSWD_BYTES);
            MemorySegment found = arena.allocate(ValueLayout.ADDRESS);
            int failure =
                    (int) getpwnam.invokeExact(nameC, entry, arena.allocate(BUFFER_BYTES), (long) BUFFER_BYTES, found);
            if (failure != 0 || found.get(ValueLayout.ADDRESS, 0).address() == 0) {
                return Optional.empty();
            }
            long uid = entry.get(ValueLayout.JAVA_INT, UID_OFFSET) & UNSIGNED;
            long gid = entry.get(ValueLayout.JAVA_INT, GID_OFFSET) & UNSIGNED;
            return Optional.of(new Submitter(uid, gid, groups(arena, nameC, gid), name));
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("the C library's functions throw nothing", e);
        }
    }

    /** The number of a group, empty where the database has none of that name. */
    Optional<Long> group(String name) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment entry = arena.allocate(GROUP_BYTES);
            MemorySegment found = arena.allocate(ValueLayout.ADDRESS);
            int failure = (int) getgrnam.invokeExact(
                    arena.allocateFrom(name),
                    entry,
                    arena.allocate(GROUP_BUFFER_BYTES),
                    (long) GROUP_BUFFER_BYTES,
                    found);
            return failure != 0 || found.get(ValueLayout.ADDRESS, 0).address() == 0
                    ? Optional.empty()
                    : Optional.of(entry.get(ValueLayout.JAVA_INT, GROUP_GID_OFFSET) & UNSIGNED);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("the C library's functions throw nothing", e);
        }
    }

    private List<Long> groups(Arena arena, MemorySegment name, long gid) throws Throwable {
        MemorySegment list = arena.allocate(ValueLayout.JAVA_INT, MAX_GROUPS);
        MemorySegment count = arena.allocateFrom(ValueLayout.JAVA_INT, MAX_GROUPS);
        int found = (int) getgrouplist.invokeExact(name, (int) gid, list, count);
        List<Long> groups = new ArrayList<>();
        for (int i = 0; i < Math.min(found, MAX_GROUPS); i++) {
            long group = list.getAtIndex(ValueLayout.JAVA_INT, i) & UNSIGNED;
            if (group != gid) {
                groups.add(group);
            }
        }
        return groups;
    }
}
