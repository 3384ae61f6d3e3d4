package dev.berth.server.fuzz;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * What this process holds.
 *
 * @param heapBytes after a collection
 * @param threads platform and virtual ones, but for those that run virtual ones: these end after half an idle minute
 * @param descriptors open files and connections
 */
public record ResourceUse(long heapBytes, int threads, int descriptors) {
    private static final String CARRIER = "\"ForkJoinPool-1-worker-";

    /** As it is now. */
    public static ResourceUse now(Path scratch) {
        System.gc();
        System.gc();
        return new ResourceUse(
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(),
                threads(scratch),
                openDescriptors());
    }

    private static int threads(Path scratch) {
        Path dump = scratch.resolve("threads-" + System.nanoTime());
        try {
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                    .dumpThreads(dump.toString(), ThreadDumpFormat.TEXT_PLAIN);
            try (Stream<String> lines = Files.lines(dump)) {
                return (int) lines.filter(line -> line.startsWith("#") && !line.contains(CARRIER))
                        .count();
            } finally {
                Files.delete(dump);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Open files and connections. */
    public static int openDescriptors() {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return (int) open.count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
