package dev.berth.server.gpu.nvidia;

import dev.berth.core.job.GpuId;
import dev.berth.server.gpu.GpuException;
import dev.berth.server.gpu.GpuInventory;
import dev.berth.server.gpu.GpuProcess;
import dev.berth.server.gpu.GpuProcesses;
import dev.berth.server.gpu.GpuReader;
import dev.berth.server.gpu.GpuReading;
import dev.berth.server.gpu.LocalCpus;
import dev.berth.server.gpu.LostGpus;
import dev.berth.server.gpu.nvidia.nvml.Nvml;
import dev.berth.server.gpu.nvidia.nvml.NvmlException;
import dev.berth.server.upkeep.BackgroundWork;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The GPUs by NVIDIA's library, which stays open. Each GPU has a {@link DriverThread} of its own, so that one that hangs
 * takes nobody else along.
 */
public final class NvmlReader implements GpuReader {
    private static final String GPUS = "the GPUs";
    private static final Duration END_PATIENCE = Duration.ofMillis(500);

    private final Nvml nvml;
    private final DriverTimeouts patience;
    private final LocalCpus localCpus;
    private final DriverThread system = new DriverThread("gpus");
    private final Map<Integer, DriverThread> lines = new ConcurrentHashMap<>();
    private final List<NvmlEvents> watches = new CopyOnWriteArrayList<>();
    private final LostGpus lost = new LostGpus();
    private volatile Map<GpuId, Known> known = Map.of();

    /**
     * A GPU or MIG device that can be read.
     *
     * @param device the GPU itself or a part of it
     */
    record Known(DriverThread line, NvmlGpu found, Nvml.Device device) {
        boolean isMigDevice() {
            return !device.equals(found.device());
        }

        PhysicalGpu physical() {
            return found.physical();
        }
    }

    private NvmlReader(Nvml nvml, DriverTimeouts patience, LocalCpus localCpus) {
        this.nvml = nvml;
        this.patience = patience;
        this.localCpus = localCpus;
    }

    /**
     * Loads NVIDIA's library.
     *
     * @param library a path, or a name that the loader looks for in its own places
     * @throws GpuException where there is none
     */
    static Nvml load(String library) {
        try {
            return new Nvml(library);
        } catch (IllegalArgumentException e) {
            throw new GpuException(
                    "NVIDIA's library " + library + " cannot be loaded; NVIDIA's driver brings it along", e);
        }
    }

    /**
     * Starts the library.
     *
     * @throws GpuException saying why no GPU can be used
     */
    static NvmlReader start(Nvml nvml, DriverTimeouts patience, LocalCpus localCpus) {
        NvmlReader reader = new NvmlReader(nvml, patience, localCpus);
        try {
            reader.system.call(GPUS, patience.start(), () -> {
                nvml.start();
                return true;
            });
            return reader;
        } catch (NvmlException e) {
            reader.system.close();
            throw NvmlAnswers.noStart(e);
        } catch (GpuException e) {
            reader.system.close();
            throw e;
        }
    }

    // ---- what there is --------------------------------------------------------------------------------------------

    @Override
    public GpuInventory inventory() {
        int count = ofSystem(nvml::count);
        List<String> warnings = new ArrayList<>();
        List<NvmlGpu> gpus = gpus(count, warnings);
        AllocatableGpus allocatable =
                AllocatableGpus.of(gpus.stream().map(NvmlGpu::physical).toList(), warnings);
        remember(gpus);
        return new GpuInventory(
                ofSystem(() -> NvmlAnswers.told(nvml::driverVersion)),
                cuda(ofSystem(() -> NvmlAnswers.told(nvml::cudaVersion))),
                allocatable.devices(),
                NvmlTopology.of(allocatable.owners(), links(gpus, warnings), localCpus),
                warnings);
    }

    /** GPUs that could be read before and cannot now stay known: what is asked about them gets their sentence. */
    private void remember(List<NvmlGpu> gpus) {
        Map<GpuId, Known> seen = new HashMap<>(known);
        for (NvmlGpu it : gpus) {
            DriverThread line = line(it.physical().index());
            seen.put(it.physical().id(), new Known(line, it, it.device()));
            it.migDevices().forEach((gpu, part) -> seen.put(gpu, new Known(line, it, part)));
        }
        known = Map.copyOf(seen);
    }

    private <T> T ofSystem(Supplier<T> question) {
        try {
            return system.call(GPUS, patience.start(), question);
        } catch (NvmlException e) {
            throw NvmlAnswers.failure("the list of GPUs", e);
        }
    }

    /** 12080 is 12.8. */
    private static @Nullable String cuda(@Nullable Integer version) {
        return version == null ? null : version / 1_000 + "." + version % 1_000 / 10;
    }

    /** All at once, so that those that do not answer are waited for together. */
    private List<NvmlGpu> gpus(int count, List<String> warnings) {
        List<Supplier<NvmlGpu>> answers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int index = i;
            try {
                DriverThread.Call<NvmlGpu> call = line(i).begin(named(i), () -> NvmlGpu.read(nvml, index));
                answers.add(() -> call.await(patience.start()));
            } catch (GpuException e) {
                answers.add(() -> {
                    throw e;
                });
            }
        }
        List<NvmlGpu> gpus = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            try {
                gpus.add(answers.get(i).get());
            } catch (NvmlException e) {
                warnings.add(leftOut(i, NvmlAnswers.failure(named(i), e)));
            } catch (GpuException e) {
                warnings.add(leftOut(i, e));
            }
        }
        return gpus;
    }

    private static String named(int index) {
        return "GPU " + index;
    }

    private static String leftOut(int index, GpuException e) {
        return named(index) + " is not allocated: " + e.getMessage();
    }

    private DriverThread line(int index) {
        return lines.computeIfAbsent(index, number -> new DriverThread("gpu-" + number));
    }

    private Map<GpuId, NvmlTopology.Links> links(List<NvmlGpu> gpus, List<String> warnings) {
        Map<GpuId, NvmlTopology.Links> links = new HashMap<>();
        for (int i = 0; i < gpus.size(); i++) {
            NvmlGpu it = gpus.get(i);
            PhysicalGpu physical = it.physical();
            List<NvmlGpu> behind = gpus.subList(i + 1, gpus.size());
            try {
                links.put(
                        physical.id(),
                        line(physical.index())
                                .call(physical.words(), patience.start(), () -> NvmlTopology.read(nvml, it, behind)));
            } catch (NvmlException | GpuException e) {
                warnings.add("how " + physical.words() + " is joined with the others is not known: " + e.getMessage());
            }
        }
        return links;
    }

    // ---- how it is ------------------------------------------------------------------------------------------------

    @Override
    public GpuReading read(GpuId gpu) {
        Known asked = known(gpu);
        return ask(asked, () -> reading(asked));
    }

    @Override
    public List<GpuProcess> processes(GpuId gpu) {
        Known asked = known(gpu);
        return ask(asked, () -> processes(asked));
    }

    private Known known(GpuId gpu) {
        Known asked = known.get(gpu);
        if (asked == null) {
            throw new GpuException("this machine has no GPU " + gpu);
        }
        return asked;
    }

    private <T> T ask(Known known, Supplier<T> question) {
        return known.line().call(known.physical().words(), patience.call(), () -> {
            try {
                T answer = question.get();
                lost.remove(known.physical().id());
                return answer;
            } catch (NvmlException e) {
                if (e.code() == NvmlException.GPU_IS_LOST) {
                    lost.add(known.physical().id(), known.physical().allocatable());
                }
                throw NvmlAnswers.failure(known.physical().words(), e);
            }
        });
    }

    /** A part has no utilisation, temperature or power of its own; the latter two are its GPU's. */
    private GpuReading reading(Known known) {
        Nvml.Device physical = known.found().device();
        Nvml.@Nullable Memory memory = NvmlAnswers.told(() -> nvml.memory(known.device()));
        return new GpuReading(
                NvmlAnswers.told(() -> nvml.utilisationPercent(known.device())),
                memory == null ? null : memory.used(),
                memory == null ? null : memory.total(),
                NvmlAnswers.told(() -> nvml.temperatureCelsius(physical)),
                NvmlAnswers.told(() -> nvml.powerMilliwatts(physical)),
                processes(known));
    }

    private List<GpuProcess> processes(Known known) {
        @Nullable List<Nvml.RunningProcess> computing = NvmlAnswers.told(() -> nvml.computing(known.device()));
        if (computing == null && known.isMigDevice()) {
            return processes(
                    new Known(known.line(), known.found(), known.found().device()));
        }
        return GpuProcesses.merged(Stream.concat(
                computing == null ? Stream.of() : computing.stream().map(it -> of(it, GpuProcess.Kind.COMPUTE)),
                NvmlAnswers.told(() -> nvml.drawing(known.device()), List.<Nvml.RunningProcess>of()).stream()
                        .map(it -> of(it, GpuProcess.Kind.GRAPHICS))));
    }

    private static GpuProcess of(Nvml.RunningProcess process, GpuProcess.Kind kind) {
        return new GpuProcess(process.pid(), kind, process.memory());
    }

    // ---- what happens ---------------------------------------------------------------------------------------------

    @Override
    public AutoCloseable watch(GpuListener listener, BackgroundWork background) {
        NvmlEvents watch = new NvmlEvents(nvml, patience, known.values(), listener, background);
        watches.add(watch);
        AutoCloseable told = lost.tell(listener);
        return () -> {
            told.close();
            boolean _ = watches.remove(watch);
            watch.close();
        };
    }

    /** The library is not ended where a call into it hangs: it would wait for that. */
    @Override
    public void close() {
        watches.forEach(NvmlEvents::close);
        watches.clear();
        boolean hung = system.isHung() || lines.values().stream().anyMatch(DriverThread::isHung);
        lines.values().forEach(DriverThread::close);
        try {
            if (!hung) {
                system.call(GPUS, END_PATIENCE, () -> {
                    nvml.end();
                    return true;
                });
            }
        } catch (NvmlException | GpuException e) {
            // It ends with the process, then.
        } finally {
            system.close();
        }
    }
}
