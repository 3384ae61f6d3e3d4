package dev.berth.server.gpu.occupy;

import dev.berth.core.job.GpuId;
import dev.berth.server.gpu.GpuException;
import dev.berth.server.gpu.GpuInventory;
import dev.berth.server.gpu.GpuProcess;
import dev.berth.server.gpu.GpuProcess.Kind;
import dev.berth.server.gpu.GpuReader;
import dev.berth.server.gpu.GpuReading;
import dev.berth.server.upkeep.BackgroundWork;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** GPUs whose processes stand in a file, as in that of the stand-in; one that has ended is on none. */
final class CsvGpus implements GpuReader {
    static final GpuId FIRST = new GpuId("GPU-00000000-0000-4000-8000-000000000000");
    static final GpuId SECOND = new GpuId("GPU-00000001-0000-4000-8000-000000000001");

    private final Path file;
    private final Map<GpuId, GpuException> broken = new ConcurrentHashMap<>();
    private final Map<GpuId, Long> usedMiB = new ConcurrentHashMap<>();

    /** So many looks must have begun before any of them is answered. */
    private volatile CountDownLatch atOnce = new CountDownLatch(0);

    CsvGpus(Path folder) {
        this.file = folder.resolve("contexts.csv");
        empty();
    }

    void empty() {
        write("gpu_uuid,pid,process_name,used_memory\n", StandardOpenOption.TRUNCATE_EXISTING);
    }

    /** A process is on a GPU from now on. */
    void put(GpuId gpu, long pid, String mebibytes) {
        write(gpu + "," + pid + ",python3," + mebibytes + "\n", StandardOpenOption.APPEND);
    }

    void breakDown(GpuId gpu, GpuException failure) {
        broken.put(gpu, failure);
    }

    void answerOnlyAtOnce(int looks) {
        atOnce = new CountDownLatch(looks);
    }

    void mend(GpuId gpu) {
        broken.remove(gpu);
    }

    void use(GpuId gpu, long mebibytes) {
        usedMiB.put(gpu, mebibytes);
    }

    private void write(String text, StandardOpenOption how) {
        try {
            Files.writeString(file, text, StandardOpenOption.CREATE, StandardOpenOption.WRITE, how);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public List<GpuProcess> processes(GpuId gpu) {
        GpuException failure = broken.get(gpu);
        if (failure != null) {
            throw failure;
        }
        try {
            return Files.readAllLines(file).stream()
                    .map(line -> line.split(","))
                    .filter(fields -> fields[0].equals(gpu.uuid()) && Files.exists(Path.of("/proc", fields[1])))
                    .map(fields -> new GpuProcess(Long.parseLong(fields[1]), Kind.COMPUTE, bytes(fields[3])))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static @Nullable Long bytes(String mebibytes) {
        return mebibytes.startsWith("[") ? null : Long.parseLong(mebibytes) << 20;
    }

    @Override
    public GpuReading read(GpuId gpu) {
        atOnce.countDown();
        try {
            if (!atOnce.await(10, TimeUnit.SECONDS)) {
                throw new GpuException(GpuException.Kind.HUNG, "nobody has asked about another GPU meanwhile");
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        List<GpuProcess> processes = processes(gpu);
        Long used = usedMiB.get(gpu);
        return new GpuReading(null, used == null ? null : used << 20, null, null, null, processes);
    }

    @Override
    public GpuInventory inventory() {
        throw new UnsupportedOperationException();
    }

    @Override
    public AutoCloseable watch(GpuListener listener, BackgroundWork background) {
        return () -> {};
    }

    @Override
    public void close() {
        // Nothing is open.
    }
}
