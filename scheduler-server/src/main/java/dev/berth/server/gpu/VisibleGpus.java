package dev.berth.server.gpu;

import dev.berth.core.job.Gpu;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which GPUs a {@code CUDA_VISIBLE_DEVICES} leaves, by CUDA's own rules (CUDA C++ Programming Guide, "CUDA Environment
 * Variables"): unset means all, the first entry that names no GPU cuts the list off there. Integers count in NVML's
 * order, as with {@code CUDA_DEVICE_ORDER=PCI_BUS_ID}.
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
    public static VisibleGpus of(List<Gpu> all, @Nullable String value) {
        if (value == null) {
            return new VisibleGpus(all, List.of());
        }
        List<Gpu> visible = new ArrayList<>();
        String[] entries = value.isBlank() ? new String[0] : value.split(",", -1);
        for (int place = 0; place < entries.length; place++) {
            String entry = entries[place].strip();
            Optional<Gpu> gpu = find(all, entry);
            if (gpu.isEmpty()) {
                return new VisibleGpus(visible, List.of(cutOff(value, entry, entries.length - place)));
            }
            if (visible.contains(gpu.get())) {
                throw new GpuException(
                        VARIABLE + "=" + value + " names GPU " + gpu.get().index() + " twice; name each GPU once");
            }
            visible.add(gpu.get());
        }
        return new VisibleGpus(visible, List.of());
    }

    private static String cutOff(String value, String entry, int ignored) {
        return VARIABLE + "=" + value + ": '" + entry + "' names no GPU of this machine, so that entry"
                + (ignored > 1 ? " and the " + (ignored - 1) + " after it are" : " is") + " ignored, as CUDA does";
    }

    private static Optional<Gpu> find(List<Gpu> all, String entry) {
        String wanted = entry.toUpperCase(Locale.ROOT);
        if (wanted.startsWith("GPU-") || wanted.startsWith("MIG-")) {
            return byPrefix(all, entry, wanted);
        }
        return entry.matches("\\d{1,9}")
                ? all.stream()
                        .filter(gpu -> gpu.index() == Integer.parseInt(entry))
                        .findFirst()
                : Optional.empty();
    }

    private static Optional<Gpu> byPrefix(List<Gpu> all, String entry, String wanted) {
        List<Gpu> matching = all.stream()
                .filter(gpu -> gpu.id().uuid().toUpperCase(Locale.ROOT).startsWith(wanted))
                .toList();
        Optional<Gpu> exact = matching.stream()
                .filter(gpu -> gpu.id().uuid().equalsIgnoreCase(entry))
                .findFirst();
        if (exact.isPresent()) {
            return exact;
        }
        if (matching.size() > 1) {
            throw new GpuException(
                    VARIABLE + ": '" + entry + "' begins the UUIDs of " + matching.size() + " GPUs; write more of it");
        }
        return matching.stream().findFirst();
    }
}
