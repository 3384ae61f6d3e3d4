package dev.berth.server.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The rights of root's that a process has (capabilities(7), {@code /proc/PID/status}), a bit each.
 *
 * @param effective what it may do
 * @param bounding what it could ever get
 */
public record Capabilities(long effective, long bounding) {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String EFFECTIVE = "CapEff:";
    private static final String BOUNDING = "CapBnd:";

    public static Capabilities ofThisProcess() throws IOException {
        List<String> status = Files.readAllLines(STATUS);
        return new Capabilities(bits(status, EFFECTIVE), bits(status, BOUNDING));
    }

    private static long bits(List<String> status, String name) throws IOException {
        for (String line : status) {
            if (line.startsWith(name)) {
                return Long.parseUnsignedLong(line.substring(name.length()).strip(), 16);
            }
        }
        throw new IOException(STATUS + " has no " + name);
    }
}
