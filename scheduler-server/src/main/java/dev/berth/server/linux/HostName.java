package dev.berth.server.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The name that this machine has for itself; nothing is looked up. */
public final class HostName {
    private static final Path FILE = Path.of("/proc/sys/kernel/hostname");

    private HostName() {}

    /** The name; empty where the kernel does not say it. */
    public static Optional<String> ofThisMachine() {
        try {
            return Optional.of(Files.readString(FILE).strip()).filter(name -> !name.isEmpty());
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
