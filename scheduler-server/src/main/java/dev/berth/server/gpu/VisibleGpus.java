package dev.berth.server.gpu;

import dev.berth.core.job.Gpu;
import dev.berth.core.job.GpuId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The GPUs that a {@code CUDA_VISIBLE_DEVICES} leaves, by CUDA's own rules (CUDA C++ Programming Guide, "CUDA
 * Environment Variables"; MIG User Guide, "CUDA Device Enumeration"): unset means all, the first entry that names no
 * GPU cuts the list off there. Integers count GPUs in NVML's order, as with {@code CUDA_DEVICE_ORDER=PCI_BUS_ID}. A GPU
 * in MIG mode stands for all of its MIG devices: CUDA gives a process the first one, and each job here is a process of
 * its own.
 *
 * @param gpus what is left, in the order of the list
 * @param warnings what the operator should know, a sentence each
 */
public record VisibleGpus(List<Gpu> gpus, List<String> warnings) {
    public static final String VARIABLE = "CUDA_VISIBLE_DEVICES";

    public VisibleGpus {
        gpus = List.copyOf(gpus);
        warnings = List.copyOf(warnings);
    }

    /**
     * Applies the variable to the GPUs of the machine.
     *
     * @param value the variable's value, null where it is not set
     * @throws GpuException where an entry names a GPU twice, or matches several
     */
    static VisibleGpus of(List<GpuDevice> all, @Nullable String value) {
        if (value == null) {
            return new VisibleGpus(all.stream().map(GpuDevice::gpu).toList(), List.of());
        }
        List<Gpu> visible = new ArrayList<>();
        String[] entries = value.isBlank() ? new String[0] : value.split(",", -1);
        for (int place = 0; place < entries.length; place++) {
            String entry = entries[place].strip();
            List<Gpu> named = named(all, entry);
            if (named.isEmpty()) {
                return new VisibleGpus(visible, List.of(cutOff(value, entry, entries.length - place)));
            }
            named.stream().filter(visible::contains).findFirst().ifPresent(twice -> {
                throw new GpuException(
                        VARIABLE + "=" + value + " names GPU " + twice.index() + " twice; name each GPU once");
            });
            visible.addAll(named);
        }
        return new VisibleGpus(visible, List.of());
    }

    private static String cutOff(String value, String entry, int ignored) {
        return VARIABLE + "=" + value + ": '" + entry + "' names no GPU that can be allocated here, so that entry"
                + (ignored > 1 ? " and the " + (ignored - 1) + " after it are" : " is") + " ignored, as CUDA does";
    }

    /** The GPUs that an entry names: a single GPU, the MIG devices of a single GPU, or none. */
    private static List<Gpu> named(List<GpuDevice> all, String entry) {
        String wanted = entry.toUpperCase(Locale.ROOT);
        if (entry.matches("\\d{1,9}")) {
            int physical = Integer.parseInt(entry);
            return all.stream()
                    .map(GpuDevice::gpu)
                    .filter(gpu -> gpu.index().physical() == physical)
                    .toList();
        }
        if (wanted.startsWith("GPU-")) {
            return byPrefix(all, GpuDevice::physicalId, entry);
        }
        if (wanted.startsWith("MIG-GPU-")) {
            List<GpuDevice> called = all.stream()
                    .filter(device -> device.mig() != null && device.mig().isCalled(wanted))
                    .toList();
            return called.isEmpty()
                    ? byPrefix(all, GpuDevice::id, entry)
                    : called.stream().map(GpuDevice::gpu).toList();
        }
        return wanted.startsWith("MIG-")
                ? byPrefix(all, GpuDevice::id, entry)
                : all.stream()
                        .map(GpuDevice::gpu)
                        .filter(gpu -> gpu.index().isMigDevice()
                                && gpu.index().toString().equals(entry))
                        .toList();
    }

    /** GPUs of one UUID, which may be the GPU's of several MIG devices. */
    private static List<Gpu> byPrefix(List<GpuDevice> all, Function<GpuDevice, GpuId> id, String entry) {
        String wanted = entry.toUpperCase(Locale.ROOT);
        List<GpuId> matching = all.stream()
                .map(id)
                .filter(it -> it.uuid().toUpperCase(Locale.ROOT).startsWith(wanted))
                .distinct()
                .toList();
        List<GpuId> exact = matching.stream()
                .filter(it -> it.uuid().equalsIgnoreCase(entry))
                .toList();
        List<GpuId> meant = exact.isEmpty() ? matching : exact;
        if (meant.size() > 1) {
            throw new GpuException(
                    VARIABLE + ": '" + entry + "' begins the UUIDs of " + meant.size() + " GPUs; write more of it");
        }
        return all.stream()
                .filter(device -> meant.contains(id.apply(device)))
                .map(GpuDevice::gpu)
                .toList();
    }
}
