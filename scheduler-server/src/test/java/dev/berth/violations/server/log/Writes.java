package dev.berth.violations.server.log;

import dev.berth.violations.server.store.Reads;

/** Half of a cycle; the other half is {@link Reads}. */
public final class Writes {
    private Writes() {}

    public static String something() {
        return Reads.something();
    }
}
