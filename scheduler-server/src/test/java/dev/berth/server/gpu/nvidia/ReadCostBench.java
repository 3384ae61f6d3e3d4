package dev.berth.server.gpu.nvidia;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.GpuId;
import dev.berth.server.gpu.GpuReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a look at all GPUs costs, against one call of {@code nvidia-smi}. Run by bench/gpu-look. */
@Tag("bench")
class ReadCostBench {
    private static final int ROUNDS = Integer.getInteger("berth.look.rounds", 40);
    private static final int GPUS = 8;
    private static final int WARM_UP = 5;

    /** A machine's own library and program, where that is set to anything. */
    private static final boolean REAL = System.getProperty("berth.look.real") != null;

    @TempDir
    private Path folder;

    @Test
    void aLookAtAllGpusAgainstOneCallOfNvidiaSmi() throws Exception {
        StandInNvml machine = new StandInNvml(folder, GPUS);
        for (int gpu = 0; gpu < GPUS; gpu++) {
            machine.process(gpu, 1_000 + gpu, 512);
        }
        String library = REAL ? NvidiaReaders.LIBRARY : machine.library().toString();
        NvidiaSmi program =
                new NvidiaSmi(REAL ? "nvidia-smi" : machine.nvidiaSmi().toString());
        try (GpuReader reader = NvidiaReaders.nvml(library)) {
            List<GpuId> gpus = reader.inventory().devices().stream()
                    .map(device -> device.gpu().id())
                    .toList();
            List<Long> looks = new ArrayList<>();
            List<Long> readings = new ArrayList<>();
            List<Long> calls = new ArrayList<>();
            for (int round = -WARM_UP; round < ROUNDS; round++) {
                long look = nanos(() -> gpus.forEach(reader::processes));
                long reading = nanos(() -> gpus.forEach(reader::read));
                long call = nanos(() -> assertThat(program.run(
                                        DriverTimeouts.WITH_PROGRAM.start(),
                                        "--query-compute-apps=gpu_uuid,pid,used_memory",
                                        "--format=csv,noheader,nounits")
                                .exit())
                        .isZero());
                if (round >= 0) {
                    looks.add(look);
                    readings.add(reading);
                    calls.add(call);
                }
            }
            Files.writeString(
                    Path.of("target", "gpu-look.md"),
                    row("the processes of all " + gpus.size() + " GPUs", looks, calls)
                            + row("the same with all numbers of each", readings, calls));
        }
    }

    private static String row(String what, List<Long> ours, List<Long> theirs) {
        return "| %s | %.3f ms | one call of `nvidia-smi --query-compute-apps`: %.2f ms | %.2f | %d | |%n"
                .formatted(what, median(ours) / 1e6, median(theirs) / 1e6, median(ours) / median(theirs), ours.size());
    }

    private static double median(List<Long> values) {
        long[] sorted = values.stream().mapToLong(Long::longValue).sorted().toArray();
        return Arrays.stream(sorted, (sorted.length - 1) / 2, sorted.length / 2 + 1)
                .average()
                .orElseThrow();
    }

    private static long nanos(Runnable work) {
        long began = System.nanoTime();
        work.run();
        return System.nanoTime() - began;
    }
}
