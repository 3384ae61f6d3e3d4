package dev.berth.violations.server.store;

import dev.berth.violations.server.log.Writes;

/** Half of a cycle; the other half is {@link Writes}. */
public final class Reads {
    private Reads() {}

    public static String something() {
        return Writes.something();
    }
}
