package dev.berth.server.gpu.nvidia;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.GpuId;
import dev.berth.server.gpu.GpuFault;
import dev.berth.server.gpu.GpuInventory;
import dev.berth.server.gpu.GpuProcess;
import dev.berth.server.gpu.GpuReader;
import dev.berth.server.gpu.GpuReading;
import dev.berth.server.upkeep.BackgroundWork;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * NVIDIA's own library on a machine with a GPU, held against NVIDIA's own {@code nvidia-smi}. Left out of the usual run;
 * docs/gpu-proof.md has the command. Processes on the GPUs are made by Python and the driver's libcuda.so.1 alone.
 */
@Tag("gpu")
class RealGpuTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final long MIB = 1 << 20;

    @TempDir
    private Path folder;

    private final List<Process> programs = new ArrayList<>();
    private GpuReader reader;
    private GpuInventory inventory;

    @BeforeEach
    void open() {
        reader = NvidiaReaders.nvml(NvidiaReaders.LIBRARY);
        inventory = reader.inventory();
    }

    @AfterEach
    void close() {
        programs.forEach(Process::destroyForcibly);
        reader.close();
    }

    private static List<String[]> nvidiaSmi(String query) {
        NvidiaSmi.Output output = new NvidiaSmi("nvidia-smi").run(PATIENCE, query, "--format=csv,noheader,nounits");
        assertThat(output.exit()).as(output.complaint()).isZero();
        return output.text().lines().map(line -> line.split(", ", -1)).toList();
    }

    private GpuId first() {
        return inventory.devices().getFirst().gpu().id();
    }

    @Test
    void theInventoryIsThatOfNvidiaSmi() {
        List<String[]> listed = nvidiaSmi("--query-gpu=index,uuid,name,memory.total,pci.bus_id,driver_version");
        assertThat(inventory.devices()).isNotEmpty();
        assertThat(inventory.devices().stream()
                        .filter(device -> device.mig() == null)
                        .map(device -> List.of(
                                device.gpu().id().uuid(),
                                device.gpu().name(),
                                Long.toString(device.gpu().memoryMiB()),
                                device.pciBusId())))
                .containsExactlyElementsOf(listed.stream()
                        .map(line -> List.of(line[1], line[2], line[3], line[4]))
                        .toList());
        assertThat(inventory.driver()).isEqualTo(listed.getFirst()[5]);
        assertThat(inventory.cuda()).matches("[0-9]+\\.[0-9]+");
        System.Logger log = System.getLogger("gpu-proof");
        inventory.devices().forEach(device -> log.log(System.Logger.Level.INFO, "{0}", device));
        log.log(System.Logger.Level.INFO, "driver {0}, CUDA {1}", inventory.driver(), inventory.cuda());
        log.log(System.Logger.Level.INFO, "topology {0}", inventory.topology());
        log.log(System.Logger.Level.INFO, "warnings {0}", inventory.warnings());
    }

    @Test
    void bothReadersTellTheSame() {
        try (GpuReader program = NvidiaReaders.nvidiaSmi()) {
            GpuInventory printed = program.inventory();
            assertThat(printed.devices()).isEqualTo(inventory.devices());
            assertThat(printed.driver()).isEqualTo(inventory.driver());
            assertThat(printed.cuda()).isEqualTo(inventory.cuda());
            assertThat(printed.topology().localCpus())
                    .isEqualTo(inventory.topology().localCpus());
            GpuReading one = reader.read(first());
            GpuReading other = program.read(first());
            assertThat(one.memoryTotalBytes()).isEqualTo(other.memoryTotalBytes());
            assertThat(Math.abs(value(one.memoryUsedBytes()) - value(other.memoryUsedBytes())))
                    .isLessThan(64 * MIB);
            assertThat(one.processes()).isEqualTo(other.processes());
        }
    }

    private static long value(@Nullable Long number) {
        return Objects.requireNonNull(number, "the GPU does not tell");
    }

    @Test
    void aForeignProcessComesAndGoes() throws Exception {
        Process program = python("hold.py", """
            import ctypes, sys
            cuda = ctypes.CDLL("libcuda.so.1")
            def check(code): assert code == 0, code
            check(cuda.cuInit(0))
            device, context, memory = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
            check(cuda.cuDeviceGet(ctypes.byref(device), 0))
            check(cuda.cuCtxCreate_v2(ctypes.byref(context), 0, device))
            check(cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(256 << 20)))
            print("here", flush=True)
            sys.stdin.read()
            """);
        List<GpuProcess> seen = reader.processes(first());
        assertThat(seen).anySatisfy(process -> {
            assertThat(process.pid()).isEqualTo(program.pid());
            assertThat(process.kind()).isEqualTo(GpuProcess.Kind.COMPUTE);
            assertThat(value(process.memoryBytes())).isGreaterThanOrEqualTo(256 * MIB);
        });
        List<String[]> printed = nvidiaSmi("--query-compute-apps=pid,used_memory");
        assertThat(seen.stream().map(process -> Long.toString(process.pid())))
                .containsAll(printed.stream().map(line -> line[0]).toList());
        program.destroyForcibly().waitFor();
        assertThat(reader.processes(first())).noneMatch(process -> process.pid() == program.pid());
    }

    /** An access to address 0 in a program of its own: XID 31 or 13, which leave the GPU well. */
    @Test
    void aProgramsErrorIsTold() throws Exception {
        BlockingQueue<GpuFault> told = new LinkedBlockingQueue<>();
        GpuReader.GpuListener listener = new GpuReader.GpuListener() {
            @Override
            public void fault(GpuId gpu, GpuFault fault) {
                told.add(fault);
            }
        };
        try (AutoCloseable _ = reader.watch(listener, BackgroundWork.onVirtualThreads(InstantSource.system()))) {
            // The watch begins on a thread of its own, in which it needs a moment.
            assertThat(told.poll(2, TimeUnit.SECONDS)).isNull();
            python("fault.py", """
                import ctypes, sys
                cuda = ctypes.CDLL("libcuda.so.1")
                code = b'''.version 6.0
                .target sm_50
                .address_size 64
                .visible .entry fault() {
                  .reg .u64 a; .reg .u32 v;
                  mov.u64 a, 0; mov.u32 v, 1;
                  st.global.u32 [a], v;
                  ret;
                }'''
                device, context, module, function = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
                def check(code): assert code == 0, code
                check(cuda.cuInit(0))
                check(cuda.cuDeviceGet(ctypes.byref(device), 0))
                check(cuda.cuCtxCreate_v2(ctypes.byref(context), 0, device))
                check(cuda.cuModuleLoadData(ctypes.byref(module), code))
                check(cuda.cuModuleGetFunction(ctypes.byref(function), module, b"fault"))
                check(cuda.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, None, None, None))
                print("here", cuda.cuCtxSynchronize(), flush=True)
                sys.stdin.read()
                """);
            GpuFault fault = told.poll(20, TimeUnit.SECONDS);
            assertThat(fault).isIn(Xid.of(13).fault(), Xid.of(31).fault());
            assertThat(fault.isFatal()).isFalse();
        }
    }

    @Test
    void theCoresNearAGpuAreKnown() {
        assertThat(inventory.topology().localCpus()).containsKey(first());
    }

    /** Runs until the test is finished, and has begun when this returns. */
    private Process python(String name, String source) throws IOException {
        Path script = Files.writeString(folder.resolve(name), source);
        Process program = new ProcessBuilder("python3", script.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        programs.add(program);
        BufferedReader out =
                new BufferedReader(new InputStreamReader(program.getInputStream(), StandardCharsets.UTF_8));
        assertThat(Stream.of(line(out))).allMatch(line -> line.startsWith("here"));
        return program;
    }

    private static String line(BufferedReader from) {
        try {
            return String.valueOf(from.readLine());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
