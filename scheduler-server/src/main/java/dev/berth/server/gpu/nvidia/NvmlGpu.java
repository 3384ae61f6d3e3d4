package dev.berth.server.gpu.nvidia;

import static dev.berth.server.gpu.nvidia.NvmlAnswers.told;

import dev.berth.core.job.GpuId;
import dev.berth.server.gpu.GpuDevice;
import dev.berth.server.gpu.GpuException;
import dev.berth.server.gpu.nvidia.nvml.Nvml;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A GPU as NVML describes it.
 *
 * @param migDevices its MIG devices, for NVML
 */
record NvmlGpu(PhysicalGpu physical, Nvml.Device device, Map<GpuId, Nvml.Device> migDevices) {
    NvmlGpu {
        migDevices = Map.copyOf(migDevices);
    }

    /** Reads it; to be called on the GPU's own line. */
    static NvmlGpu read(Nvml nvml, int index) {
        Nvml.Device device = nvml.device(index);
        boolean migOn = told(() -> nvml.migEnabled(device), false);
        List<PhysicalGpu.MigDevice> migDevices = new ArrayList<>();
        Map<GpuId, Nvml.Device> devices = new HashMap<>();
        if (migOn) {
            told(() -> nvml.migDevices(device), Collections.<Integer, Nvml.Device>emptySortedMap())
                    .forEach((number, part) -> {
                        GpuId id = id(nvml.uuid(part));
                        migDevices.add(new PhysicalGpu.MigDevice(
                                id,
                                number,
                                told(() -> nvml.gpuInstance(part) + "/" + nvml.computeInstance(part), ""),
                                told(() -> nvml.name(part), "MIG device"),
                                memory(nvml, part)));
                        devices.put(id, part);
                    });
        }
        PhysicalGpu physical = new PhysicalGpu(
                index,
                id(nvml.uuid(device)),
                told(() -> nvml.name(device), "NVIDIA GPU"),
                memory(nvml, device),
                told(() -> nvml.pciBusId(device), ""),
                told(() -> nvml.minorNumber(device), -1),
                mode(told(() -> nvml.computeMode(device), 0)),
                told(() -> nvml.displayActive(device), false),
                migOn,
                migDevices,
                told(() -> nvml.computing(device)) != null);
        return new NvmlGpu(physical, device, devices);
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
    private static GpuDevice.ComputeMode mode(int number) {
        return switch (number) {
            case 1, 3 -> GpuDevice.ComputeMode.EXCLUSIVE_PROCESS;
            case 2 -> GpuDevice.ComputeMode.PROHIBITED;
            default -> GpuDevice.ComputeMode.DEFAULT;
        };
    }
}
