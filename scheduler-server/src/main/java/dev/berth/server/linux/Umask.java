package dev.berth.server.linux;

/** The default permissions of the files of this process (umask(2)). */
public final class Umask {
    private static final int OWNER_ONLY = 077;

    private Umask() {}

    /** Makes the files of this process their owner's alone. */
    public static void ownerOnly() {
        long _ = SystemCall.UMASK.of(OWNER_ONLY);
    }
}
