package dev.berth.server.gpu.nvidia;

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
 * The output of {@code nvidia-smi -L}: the only place where it tells the UUIDs of MIG devices.
 *
 * @param gpus by their places in the list
 * @param migDevices the MIG devices of each GPU
 * @param complaints what stands there about GPUs that cannot be read
 */
record NvidiaSmiList(SortedMap<Integer, GpuId> gpus, Map<GpuId, List<MigDevice>> migDevices, List<String> complaints) {
    /** "GPU 0: NVIDIA A100 (UUID: GPU-...)", "  MIG 1g.5gb     Device  0: (UUID: MIG-...)". */
    private static final Pattern GPU = Pattern.compile("GPU (\\d{1,4}): .*\\(UUID: ([^),\\s]+)\\)\\s*");

    private static final Pattern MIG =
            Pattern.compile("\\s+MIG (\\S+)\\s+Device\\s+(\\d{1,4}): \\(UUID: ([^),\\s]+)\\)\\s*");

    /** A MIG device. */
    record MigDevice(GpuId id, int number, String profile) {}

    static NvidiaSmiList parse(String text) {
        SortedMap<Integer, GpuId> gpus = new TreeMap<>();
        Map<GpuId, List<MigDevice>> migDevices = new HashMap<>();
        List<String> complaints = new ArrayList<>();
        List<MigDevice> ofLast = new ArrayList<>();
        for (String line : text.lines().toList()) {
            Matcher gpu = GPU.matcher(line);
            Matcher part = MIG.matcher(line);
            if (gpu.matches()) {
                GpuId id = new GpuId(gpu.group(2));
                gpus.put(Integer.parseInt(gpu.group(1)), id);
                ofLast = new ArrayList<>();
                migDevices.put(id, ofLast);
            } else if (part.matches()) {
                ofLast.add(new MigDevice(new GpuId(part.group(3)), Integer.parseInt(part.group(2)), part.group(1)));
            } else if (!line.isBlank()) {
                complaints.add(line.strip());
            }
        }
        return new NvidiaSmiList(gpus, migDevices, complaints);
    }

    List<MigDevice> migDevices(GpuId gpu) {
        return migDevices.getOrDefault(gpu, List.of());
    }
}
