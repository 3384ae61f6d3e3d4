package dev.berth.server.gpu.nvidia;

import dev.berth.core.job.GpuId;
import dev.berth.core.place.GpuLink;
import dev.berth.core.place.GpuTopology;
import dev.berth.server.gpu.LocalCpus;
import dev.berth.server.gpu.nvidia.nvml.Nvml;
import dev.berth.server.gpu.nvidia.nvml.NvmlException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The links between NVML's GPUs. MIG devices are joined as their GPUs are. */
final class NvmlTopology {
    /** nvml.h, NVML_NVLINK_MAX_LINKS, which grows; the driver says where its own end is. */
    private static final int MAX_NVLINKS = 64;

    private NvmlTopology() {}

    /**
     * The links of one GPU, as far as it knows them.
     *
     * @param paths to the GPUs behind it in the list
     * @param direct how many NVLinks go to the GPU at a PCI bus id
     * @param switched how many go to a switch, and so to every GPU that has such links
     */
    record Links(Map<GpuId, GpuLink.Path> paths, Map<String, Integer> direct, int switched) {
        static final Links UNKNOWN = new Links(Map.of(), Map.of(), 0);
    }

    /** Reads them; to be called on the GPU's own line. */
    static Links read(Nvml nvml, NvmlGpu gpu, List<NvmlGpu> behind) {
        Map<GpuId, GpuLink.Path> paths = new HashMap<>();
        for (NvmlGpu other : behind) {
            @Nullable Integer level = NvmlAnswers.told(() -> nvml.commonAncestor(gpu.device(), other.device()));
            if (level != null) {
                paths.put(other.physical().id(), path(level));
            }
        }
        Map<String, Integer> direct = new HashMap<>();
        int switched = 0;
        for (int link = 0; link < MAX_NVLINKS; link++) {
            @Nullable Boolean active = linkActive(nvml, gpu.device(), link);
            if (active == null) {
                break;
            }
            if (active && endsAtSwitch(nvml, gpu.device(), link)) {
                switched++;
            } else if (active) {
                direct.merge(remote(nvml, gpu.device(), link), 1, Integer::sum);
            }
        }
        return new Links(paths, direct, switched);
    }

    /** Null behind the last link. */
    private static @Nullable Boolean linkActive(Nvml nvml, Nvml.Device device, int link) {
        try {
            return NvmlAnswers.told(() -> nvml.linkActive(device, link));
        } catch (NvmlException e) {
            if (e.code() == NvmlException.INVALID_ARGUMENT) {
                return null;
            }
            throw e;
        }
    }

    private static boolean endsAtSwitch(Nvml nvml, Nvml.Device device, int link) {
        return NvmlAnswers.told(() -> nvml.linkEndsAtSwitch(device, link), false);
    }

    private static String remote(Nvml nvml, Nvml.Device device, int link) {
        return NvmlAnswers.told(() -> nvml.linkRemote(device, link), "").toLowerCase(Locale.ROOT);
    }

    /** nvml.h, nvmlGpuTopologyLevel_t. */
    static GpuLink.Path path(int level) {
        return switch (level) {
            case 0 -> GpuLink.Path.INTERNAL;
            case 10 -> GpuLink.Path.SWITCH;
            case 20 -> GpuLink.Path.SWITCHES;
            case 30 -> GpuLink.Path.HOST_BRIDGE;
            case 40 -> GpuLink.Path.NODE;
            default -> GpuLink.Path.SYSTEM;
        };
    }

    /**
     * Puts it together.
     *
     * @param owners the physical GPU of each that can be allocated, itself or what it is a part of
     * @param links what each GPU knows
     */
    static GpuTopology of(SortedMap<GpuId, PhysicalGpu> owners, Map<GpuId, Links> links, LocalCpus localCpus) {
        SortedMap<GpuId, SortedMap<GpuId, GpuLink>> pairs = new TreeMap<>();
        SortedMap<GpuId, List<Integer>> near = new TreeMap<>();
        owners.forEach((gpu, owner) -> {
            SortedMap<GpuId, GpuLink> others = new TreeMap<>();
            owners.tailMap(gpu).forEach((other, itsOwner) -> {
                if (!other.equals(gpu)) {
                    others.put(other, between(owner, itsOwner, links));
                }
            });
            pairs.put(gpu, others);
            List<Integer> cpus = localCpus.of(owner.pciBusId());
            if (!cpus.isEmpty()) {
                near.put(gpu, cpus);
            }
        });
        return new GpuTopology(pairs, near);
    }

    private static GpuLink between(PhysicalGpu one, PhysicalGpu other, Map<GpuId, Links> links) {
        if (one.id().equals(other.id())) {
            return new GpuLink(0, GpuLink.Path.INTERNAL);
        }
        Links ofOne = links.getOrDefault(one.id(), Links.UNKNOWN);
        Links ofOther = links.getOrDefault(other.id(), Links.UNKNOWN);
        GpuLink.@Nullable Path path = ofOne.paths().get(other.id());
        if (path == null) {
            path = ofOther.paths().getOrDefault(one.id(), GpuLink.Path.SYSTEM);
        }
        int direct = Math.max(direct(ofOne, other), direct(ofOther, one));
        return new GpuLink(direct + Math.min(ofOne.switched(), ofOther.switched()), path);
    }

    private static int direct(Links links, PhysicalGpu other) {
        return links.direct().getOrDefault(other.pciBusId().toLowerCase(Locale.ROOT), 0);
    }
}
