package dev.berth.server.gpu;

import static dev.berth.server.gpu.NvmlAnswers.told;

import dev.berth.core.job.GpuId;
import dev.berth.server.gpu.nvml.Nvml;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What NVML says a card is.
 *
 * @param parts its MIG devices, for NVML
 */
record NvmlCard(FoundCard card, Nvml.Device device, Map<GpuId, Nvml.Device> parts) {
    NvmlCard {
        parts = Map.copyOf(parts);
    }

    /** Reads it; to be called on the card's own line. */
    static NvmlCard read(Nvml nvml, int index) {
        Nvml.Device device = nvml.device(index);
        boolean migOn = told(() -> nvml.migEnabled(device), false);
        List<FoundCard.Part> parts = new ArrayList<>();
        Map<GpuId, Nvml.Device> devices = new HashMap<>();
        if (migOn) {
            told(() -> nvml.migDevices(device), Collections.<Integer, Nvml.Device>emptySortedMap())
                    .forEach((number, part) -> {
                        GpuId id = id(nvml.uuid(part));
                        parts.add(new FoundCard.Part(
                                id,
                                number,
                                told(() -> nvml.gpuInstance(part) + "/" + nvml.computeInstance(part), ""),
                                told(() -> nvml.name(part), "MIG device"),
                                memory(nvml, part)));
                        devices.put(id, part);
                    });
        }
        FoundCard card = new FoundCard(
                index,
                id(nvml.uuid(device)),
                told(() -> nvml.name(device), "NVIDIA GPU"),
                memory(nvml, device),
                told(() -> nvml.pciBusId(device), ""),
                told(() -> nvml.minorNumber(device), -1),
                mode(told(() -> nvml.computeMode(device), 0)),
                told(() -> nvml.displayActive(device), false),
                migOn,
                parts,
                told(() -> nvml.computing(device)) != null);
        return new NvmlCard(card, device, devices);
    }

    private static GpuId id(String uuid) {
        try {
            return new GpuId(uuid);
        } catch (IllegalArgumentException e) {
            throw new GpuException(
                    GpuException.Kind.FAILED, "NVIDIA's library says '" + uuid + "' where its UUID is asked");
        }
    }

    private static long memory(Nvml nvml, Nvml.Device device) {
        Nvml.@Nullable Memory memory = told(() -> nvml.memory(device));
        return memory == null ? 0 : memory.total();
    }

    /** nvml.h, nvmlComputeMode_t; 1 is an exclusive mode of before CUDA 8. */
    private static GpuCard.ComputeMode mode(int number) {
        return switch (number) {
            case 1, 3 -> GpuCard.ComputeMode.EXCLUSIVE_PROCESS;
            case 2 -> GpuCard.ComputeMode.PROHIBITED;
            default -> GpuCard.ComputeMode.DEFAULT;
        };
    }
}
