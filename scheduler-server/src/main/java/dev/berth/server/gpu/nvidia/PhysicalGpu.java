package dev.berth.server.gpu.nvidia;

import dev.berth.core.job.GpuId;
import dev.berth.server.gpu.GpuDevice;
import java.util.List;

/**
 * GPU in one piece, as the driver describes it.
 *
 * @param index its place in the driver's list
 * @param memoryBytes 0 where it is not told
 * @param pciBusId empty where it is not told
 * @param minor -1 where it is not told
 * @param migOn whether it is divided, perhaps into nothing
 * @param migDevices the MIG devices that it is divided into
 * @param tellsProcesses whether it can be known who is on it
 */
record PhysicalGpu(
        int index,
        GpuId id,
        String name,
        long memoryBytes,
        String pciBusId,
        int minor,
        GpuDevice.ComputeMode computeMode,
        boolean display,
        boolean migOn,
        List<MigDevice> migDevices,
        boolean tellsProcesses) {
    PhysicalGpu {
        migDevices = List.copyOf(migDevices);
    }

    /**
     * A MIG device.
     *
     * @param number its place on the GPU
     * @param instances its GPU instance and its compute instance, {@code 1/0}; empty where they are not told
     */
    record MigDevice(GpuId id, int number, String instances, String name, long memoryBytes) {}

    /** The ids of what of it can be allocated. */
    List<GpuId> allocatable() {
        return migOn ? migDevices.stream().map(MigDevice::id).toList() : List.of(id);
    }

    /** For people. */
    String words() {
        return "GPU " + index + " (" + id + ")";
    }
}
