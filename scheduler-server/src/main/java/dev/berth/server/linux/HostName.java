package dev.berth.server.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The name of this machine, as the kernel has it. */
public final class HostName {
    private static final Path FILE = Path.of("/proc/sys/kernel/hostname");

    private HostName() {}

    public static Optional<String> read() {
        try {
            return Optional.of(Files.readString(FILE).strip());
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
