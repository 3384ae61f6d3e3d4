package dev.berth.server;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** What the files of this process are like unless it says otherwise: its owner's alone (umask(2)). */
final class Umask {
    private static final int OWNER_ONLY = 077;

    private Umask() {}

    @SuppressWarnings("restricted")
    static void ownerOnly() {
        Linker linker = Linker.nativeLinker();
        MethodHandle umask = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("umask"),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
        try {
            int _ = (int) umask.invokeExact(OWNER_ONLY);
        } catch (Throwable e) {
            throw new IllegalStateException("umask(2) throws nothing", e);
        }
    }
}
