package dev.berth.server.gpu.nvidia;

import dev.berth.core.job.GpuId;
import dev.berth.core.place.GpuTopology;
import dev.berth.server.gpu.GpuException;
import dev.berth.server.gpu.GpuInventory;
import dev.berth.server.gpu.GpuProcess;
import dev.berth.server.gpu.GpuReader;
import dev.berth.server.gpu.GpuReading;
import dev.berth.server.gpu.LocalCpus;
import dev.berth.server.gpu.LostGpus;
import dev.berth.server.upkeep.BackgroundWork;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The GPUs by {@code nvidia-smi -q -x}, where NVIDIA's library cannot be had: each look is a process, which takes
 * tenths of a second. It tells of no errors (XID, ECC), and not how the GPUs are joined.
 */
public final class NvidiaSmiReader implements GpuReader {
    private static final String GPUS = "the GPUs";

    private final NvidiaSmi program;
    private final DriverTimeouts patience;
    private final LocalCpus localCpus;
    private final DriverThread system = new DriverThread("gpus");
    private final Map<GpuId, DriverThread> lines = new ConcurrentHashMap<>();
    private final LostGpus lost = new LostGpus();
    /** The GPUs that did not answer, and the sentences of that. */
    private final Map<GpuId, String> hung = new ConcurrentHashMap<>();

    /** GPUs that answered after all once a job was not to wait any longer: they are slow, and are waited for. */
    private final Set<GpuId> slow = ConcurrentHashMap.newKeySet();

    /** GPUs that are asked whether they still do. */
    private final Set<GpuId> askedAgain = ConcurrentHashMap.newKeySet();

    private volatile Map<GpuId, NvidiaSmiGpu> known = Map.of();

    NvidiaSmiReader(NvidiaSmi program, DriverTimeouts patience, LocalCpus localCpus) {
        this.program = program;
        this.patience = patience;
        this.localCpus = localCpus;
    }

    // ---- what there is --------------------------------------------------------------------------------------------

    @Override
    public GpuInventory inventory() {
        return system.call(GPUS, patience.start().multipliedBy(4), this::find);
    }

    private GpuInventory find() {
        List<String> warnings = new ArrayList<>();
        NvidiaSmi.Output all = program.run(patience.start(), "-q", "-x");
        List<XmlElement> documents = new ArrayList<>();
        List<NvidiaSmiGpu> gpus;
        if (all.exit() == 0) {
            documents.add(XmlElement.parse(all.text()));
            gpus = gpus(documents.getFirst());
        } else {
            gpus = oneByOne(all, documents, warnings);
        }
        Map<GpuId, NvidiaSmiGpu> seen = new HashMap<>(known);
        gpus.forEach(it -> {
            seen.put(it.physical().id(), it);
            it.migDevices().keySet().forEach(part -> seen.put(part, it));
        });
        known = Map.copyOf(seen);
        AllocatableGpus allocatable =
                AllocatableGpus.of(gpus.stream().map(NvidiaSmiGpu::physical).toList(), warnings);
        String driver = documents.getFirst().at("driver_version");
        String cuda = documents.getFirst().at("cuda_version");
        return new GpuInventory(
                driver.matches("[0-9.]+") ? driver : null,
                cuda.matches("[0-9]+\\.[0-9]+") ? cuda : null,
                allocatable.devices(),
                topology(allocatable),
                warnings);
    }

    private List<NvidiaSmiGpu> gpus(XmlElement document) {
        List<XmlElement> elements = document.all("gpu").toList();
        NvidiaSmiList listed = elements.stream().anyMatch(NvidiaSmiReader::isDivided)
                ? NvidiaSmiList.parse(program.run(patience.start(), "-L").text())
                : NvidiaSmiList.parse("");
        List<NvidiaSmiGpu> gpus = new ArrayList<>();
        for (int i = 0; i < elements.size(); i++) {
            gpus.add(gpu(i, elements.get(i), listed));
        }
        return gpus;
    }

    private static boolean isDivided(XmlElement gpu) {
        return gpu.at("mig_mode", "current_mig").equals("Enabled");
    }

    private static NvidiaSmiGpu gpu(int index, XmlElement element, NvidiaSmiList listed) {
        String uuid = element.at("uuid");
        return NvidiaSmiGpu.of(index, element, uuid.isBlank() ? List.of() : listed.migDevices(new GpuId(uuid)));
    }

    /** A GPU that cannot be read fails the call about all. */
    private List<NvidiaSmiGpu> oneByOne(NvidiaSmi.Output all, List<XmlElement> documents, List<String> warnings) {
        if (all.exit() == NvidiaSmi.NO_DEVICES || all.exit() == NvidiaSmi.NO_DRIVER) {
            throw NvidiaSmi.failure(all);
        }
        NvidiaSmiList listed =
                NvidiaSmiList.parse(program.run(patience.start(), "-L").text());
        List<NvidiaSmiGpu> gpus = new ArrayList<>();
        listed.gpus().forEach((index, id) -> {
            NvidiaSmi.Output one = program.run(patience.start(), "-q", "-x", "-i", id.uuid());
            if (one.exit() == 0) {
                XmlElement document = XmlElement.parse(one.text());
                documents.add(document);
                document.all("gpu").findFirst().ifPresent(element -> gpus.add(gpu(index, element, listed)));
            } else {
                warnings.add("GPU " + index + " is not allocated: nvidia-smi says: " + one.complaint());
            }
        });
        if (gpus.isEmpty()) {
            throw NvidiaSmi.failure(all);
        }
        listed.complaints().forEach(it -> warnings.add("a GPU is not allocated: nvidia-smi says: " + it));
        return gpus;
    }

    private GpuTopology topology(AllocatableGpus allocatable) {
        SortedMap<GpuId, List<Integer>> near = new TreeMap<>();
        allocatable.owners().forEach((gpu, owner) -> {
            List<Integer> cpus = localCpus.of(owner.pciBusId());
            if (!cpus.isEmpty()) {
                near.put(gpu, cpus);
            }
        });
        return new GpuTopology(new TreeMap<>(), near);
    }

    // ---- how it is ------------------------------------------------------------------------------------------------

    @Override
    public GpuReading read(GpuId gpu) {
        return askUnlessHung(known(gpu)).reading(gpu);
    }

    @Override
    public List<GpuProcess> processes(GpuId gpu) {
        return askUnlessHung(known(gpu)).processes(gpu);
    }

    @Override
    public GpuReading sample(GpuId gpu) {
        return ask(known(gpu), longest()).reading(gpu);
    }

    /**
     * A caller may have a job that waits for the answer: one that hung is not waited for again, and asked beside.
     */
    private NvidiaSmiGpu askUnlessHung(NvidiaSmiGpu gpu) {
        String sentence = hung.get(gpu.physical().id());
        if (sentence == null) {
            return ask(gpu, slow.contains(gpu.physical().id()) ? longest() : patience.job());
        }
        askBeside(gpu);
        throw new GpuException(GpuException.Kind.HUNG, sentence);
    }

    private void askBeside(NvidiaSmiGpu gpu) {
        GpuId id = gpu.physical().id();
        if (!askedAgain.add(id)) {
            return;
        }
        try {
            var _ = line(gpu).begin(gpu.physical().words(), () -> {
                try {
                    return answer(gpu);
                } finally {
                    askedAgain.remove(id);
                }
            });
        } catch (GpuException e) {
            askedAgain.remove(id);
        }
    }

    private DriverThread line(NvidiaSmiGpu gpu) {
        return lines.computeIfAbsent(
                gpu.physical().id(),
                _ -> new DriverThread("gpu-" + gpu.physical().index()));
    }

    private NvidiaSmiGpu known(GpuId gpu) {
        NvidiaSmiGpu before = known.get(gpu);
        if (before == null) {
            throw new GpuException("this machine has no GPU " + gpu);
        }
        return before;
    }

    /** Longer than the process may take, so that what is said is the process's. */
    private Duration longest() {
        return patience.call().multipliedBy(2);
    }

    private NvidiaSmiGpu ask(NvidiaSmiGpu before, Duration longest) {
        GpuId id = before.physical().id();
        try {
            return line(before).call(before.physical().words(), longest, () -> answer(before));
        } catch (GpuException e) {
            if (e.kind() == GpuException.Kind.HUNG) {
                hung.put(id, String.valueOf(e.getMessage()));
            } else {
                hung.remove(id);
            }
            throw e;
        }
    }

    /** Runs on the GPU's thread; the caller that waited for it may have given up meanwhile. */
    private NvidiaSmiGpu answer(NvidiaSmiGpu before) {
        GpuId id = before.physical().id();
        boolean wasHung = hung.containsKey(id);
        try {
            NvidiaSmiGpu now = now(before);
            if (hung.remove(id) != null && !wasHung) {
                slow.add(id);
            }
            return now;
        } catch (GpuException e) {
            slow.remove(id);
            throw e;
        }
    }

    private NvidiaSmiGpu now(NvidiaSmiGpu before) {
        PhysicalGpu physical = before.physical();
        NvidiaSmi.Output output =
                program.run(patience.call(), "-q", "-x", "-i", physical.id().uuid());
        if (output.exit() == NvidiaSmi.GPU_LOST) {
            lost.add(physical.id(), physical.allocatable());
            throw NvmlAnswers.lost(physical.words());
        }
        if (output.exit() != 0) {
            throw new GpuException(
                    GpuException.Kind.FAILED,
                    physical.words() + " cannot be read: nvidia-smi says: " + output.complaint());
        }
        lost.remove(physical.id());
        XmlElement gpu = XmlElement.parse(output.text())
                .all("gpu")
                .findFirst()
                .orElseThrow(() -> new GpuException(
                        GpuException.Kind.FAILED, "nvidia-smi prints nothing about " + physical.words()));
        return before.with(gpu);
    }

    /** Only losses that a look finds. */
    @Override
    public AutoCloseable watch(GpuListener listener, BackgroundWork background) {
        return lost.tell(listener);
    }

    @Override
    public void close() {
        lines.values().forEach(DriverThread::close);
        system.close();
    }
}
