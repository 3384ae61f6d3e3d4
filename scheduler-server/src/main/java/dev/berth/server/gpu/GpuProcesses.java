package dev.berth.server.gpu;

import dev.berth.server.gpu.GpuProcess.Kind;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Processes as lists of them tell, each once: one may be in several lists, and in several parts of a GPU. */
public final class GpuProcesses {
    private GpuProcesses() {}

    /** By their numbers. */
    public static List<GpuProcess> merged(Stream<GpuProcess> processes) {
        Map<Long, GpuProcess> merged = new TreeMap<>();
        processes.forEach(process -> merged.merge(process.pid(), process, GpuProcesses::both));
        return List.copyOf(merged.values());
    }

    private static GpuProcess both(GpuProcess one, GpuProcess other) {
        Kind kind = one.kind() == other.kind() ? one.kind() : Kind.COMPUTE_AND_GRAPHICS;
        return new GpuProcess(one.pid(), kind, larger(one.memoryBytes(), other.memoryBytes()));
    }

    private static @Nullable Long larger(@Nullable Long one, @Nullable Long other) {
        if (one == null) {
            return other;
        }
        return other == null ? one : Long.valueOf(Math.max(one, other));
    }
}
