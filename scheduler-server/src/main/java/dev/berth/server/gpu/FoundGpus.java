package dev.berth.server.gpu;

import dev.berth.core.job.Gpu;
import dev.berth.core.machine.GpuLimit;
import dev.berth.core.place.GpuTopology;
import dev.berth.core.text.Utf8;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The GPUs that a server found at its start.
 *
 * @param reader looks at them as long as the server runs
 * @param inventory all that the machine has
 * @param gpus those that may be allocated
 * @param limit what keeps others from being allocated, null where nothing does
 * @param warnings what the operator should know, a sentence each
 */
public record FoundGpus(
        GpuReader reader,
        GpuInventory inventory,
        List<Gpu> gpus,
        @Nullable GpuLimit limit,
        List<String> warnings) {
    /** A list of many UUIDs is not told whole in each refusal. */
    private static final int MAX_SETTING_BYTES = 200;

    public FoundGpus {
        gpus = List.copyOf(gpus);
        warnings = List.copyOf(warnings);
    }

    /** No GPUs, of a server that allocates none. */
    public static FoundGpus none() {
        return new FoundGpus(
                new SimulatedGpus(0),
                new GpuInventory(null, null, List.of(), GpuTopology.UNKNOWN, List.of()),
                List.of(),
                null,
                List.of());
    }

    /**
     * Simulated GPUs.
     *
     * @param visible the value of {@code CUDA_VISIBLE_DEVICES}, null where it is not set
     * @throws GpuException where none is left to allocate, saying why
     */
    public static FoundGpus simulated(int count, @Nullable String visible) {
        return of(new ChosenReader(new SimulatedGpus(count), List.of()), visible);
    }

    /**
     * Looks for them.
     *
     * @param visible the value of {@code CUDA_VISIBLE_DEVICES}, null where it is not set
     * @throws GpuException where none is left to allocate, saying why
     */
    public static FoundGpus of(ChosenReader chosen, @Nullable String visible) {
        GpuInventory inventory = chosen.reader().inventory();
        List<String> warnings = new ArrayList<>(chosen.warnings());
        warnings.addAll(inventory.warnings());
        List<GpuDevice> usable = new ArrayList<>();
        for (GpuDevice device : inventory.devices()) {
            if (device.computeMode() == GpuDevice.ComputeMode.PROHIBITED) {
                warnings.add(
                        "GPU " + device.gpu().index() + " (" + device.gpu().id() + ") is not allocated: its compute"
                                + " mode is Prohibited, so that no program can use it; nvidia-smi -i "
                                + device.gpu().index().physical() + " -c DEFAULT allows them");
            } else {
                usable.add(device);
            }
        }
        if (usable.isEmpty()) {
            throw new GpuException(
                    warnings.isEmpty()
                            ? "no GPU was found: NVIDIA's driver knows of none"
                            : "no GPU is left to allocate: " + String.join("; ", warnings));
        }
        VisibleGpus left = VisibleGpus.of(usable, visible);
        if (left.gpus().isEmpty()) {
            String empty = VisibleGpus.VARIABLE + "=" + visible + " names none";
            throw new GpuException("no GPU is left to allocate: this machine has "
                    + usable.stream()
                            .map(device -> device.gpu().index().toString())
                            .collect(Collectors.joining(", ", usable.size() == 1 ? "GPU " : "GPUs ", ""))
                    + ", and " + left.warnings().stream().findFirst().orElse(empty)
                    + "; name some of these, or unset it, or start without -g");
        }
        warnings.addAll(left.warnings());
        return new FoundGpus(
                chosen.reader(),
                inventory,
                left.gpus(),
                left.gpus().size() == usable.size() ? null : limit(visible, usable.size()),
                warnings);
    }

    private static GpuLimit limit(@Nullable String visible, int all) {
        return new GpuLimit(Utf8.cut(VisibleGpus.VARIABLE + "=" + visible, MAX_SETTING_BYTES), all);
    }
}
