package dev.berth.server.gpu;

import dev.berth.core.job.GpuId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What {@code nvidia-smi -L} prints: the only place where it tells the UUIDs of MIG devices.
 *
 * @param gpus by their places in the list
 * @param parts the MIG devices of each card
 * @param complaints what stands there about cards that cannot be read
 */
record SmiList(SortedMap<Integer, GpuId> gpus, Map<GpuId, List<Part>> parts, List<String> complaints) {
    /** "GPU 0: NVIDIA A100 (UUID: GPU-...)", "  MIG 1g.5gb     Device  0: (UUID: MIG-...)". */
    private static final Pattern GPU = Pattern.compile("GPU (\\d{1,4}): .*\\(UUID: ([^),\\s]+)\\)\\s*");

    private static final Pattern MIG =
            Pattern.compile("\\s+MIG (\\S+)\\s+Device\\s+(\\d{1,4}): \\(UUID: ([^),\\s]+)\\)\\s*");

    /** A MIG device. */
    record Part(GpuId id, int number, String profile) {}

    static SmiList parse(String text) {
        SortedMap<Integer, GpuId> gpus = new TreeMap<>();
        Map<GpuId, List<Part>> parts = new HashMap<>();
        List<String> complaints = new ArrayList<>();
        List<Part> ofLast = new ArrayList<>();
        for (String line : text.lines().toList()) {
            Matcher gpu = GPU.matcher(line);
            Matcher part = MIG.matcher(line);
            if (gpu.matches()) {
                GpuId id = new GpuId(gpu.group(2));
                gpus.put(Integer.parseInt(gpu.group(1)), id);
                ofLast = new ArrayList<>();
                parts.put(id, ofLast);
            } else if (part.matches()) {
                ofLast.add(new Part(new GpuId(part.group(3)), Integer.parseInt(part.group(2)), part.group(1)));
            } else if (!line.isBlank()) {
                complaints.add(line.strip());
            }
        }
        return new SmiList(gpus, parts, complaints);
    }

    List<Part> parts(GpuId gpu) {
        return parts.getOrDefault(gpu, List.of());
    }
}
