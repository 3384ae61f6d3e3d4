package dev.berth.server.gpu.process;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.function.LongFunction;

/**
 * The names of users by their numbers, through the C library, so that those of a directory service are found, too. Such
 * a service may hang: to be asked by whoever can wait. Safe for any thread.
 */
final class UserNames implements LongFunction<String> {
    private static final int BUFFER_BYTES = 1 << 16;
    private static final long PASSWD_BYTES = 48;
    private static final int MAX_NAME_BYTES = 256;

    private final MethodHandle getpwuid;

    @SuppressWarnings("restricted")
    UserNames() {
        Linker linker = Linker.nativeLinker();
        getpwuid = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("getpwuid_r"),
                FunctionDescriptor.of(
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_INT,
                        ValueLayout.ADDRESS,
                        ValueLayout.ADDRESS,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.ADDRESS));
    }

    /** The name, or "uid" and the number where the machine has none for it. */
    @Override
    @SuppressWarnings("restricted")
    public String apply(long uid) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment entry = arena.allocate(PASSWD_BYTES, Long.BYTES);
            MemorySegment found = arena.allocate(ValueLayout.ADDRESS);
            int failure = (int)
                    getpwuid.invokeExact((int) uid, entry, arena.allocate(BUFFER_BYTES), (long) BUFFER_BYTES, found);
            if (failure != 0 || found.get(ValueLayout.ADDRESS, 0).address() == 0) {
                return unnamed(uid);
            }
            // The name is the first member of struct passwd.
            MemorySegment name = entry.get(ValueLayout.ADDRESS, 0).reinterpret(MAX_NAME_BYTES);
            return HarmlessText.of(name.getString(0));
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("the C library's functions throw nothing", e);
        }
    }

    static String unnamed(long uid) {
        return "uid " + uid;
    }
}
