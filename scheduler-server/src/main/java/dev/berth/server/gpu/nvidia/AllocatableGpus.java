package dev.berth.server.gpu.nvidia;

import dev.berth.core.job.Gpu;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.GpuIndex;
import dev.berth.server.gpu.GpuDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * GPUs of a machine that can be allocated: a GPU in MIG mode is not usable itself, its MIG devices stand in its place.
 *
 * @param owners the physical GPU of each, itself or what it is a part of
 */
record AllocatableGpus(List<GpuDevice> devices, SortedMap<GpuId, PhysicalGpu> owners) {

    /**
     * The GPUs of these that can be allocated.
     *
     * @param warnings gets a sentence for each GPU that is not as it should be
     */
    static AllocatableGpus of(List<PhysicalGpu> found, List<String> warnings) {
        List<GpuDevice> devices = new ArrayList<>();
        SortedMap<GpuId, PhysicalGpu> owners = new TreeMap<>();
        for (PhysicalGpu physical : found) {
            warn(physical, warnings);
            if (!physical.migOn()) {
                devices.add(allocatable(
                        physical,
                        new Gpu(
                                physical.id(),
                                GpuIndex.ofPhysical(physical.index()),
                                physical.name(),
                                mib(physical.memoryBytes())),
                        null));
                owners.put(physical.id(), physical);
                continue;
            }
            for (PhysicalGpu.MigDevice part : physical.migDevices()) {
                GpuIndex index = new GpuIndex(physical.index(), part.number());
                devices.add(allocatable(
                        physical,
                        new Gpu(part.id(), index, part.name(), mib(part.memoryBytes())),
                        new GpuDevice.Mig(physical.id(), part.instances())));
                owners.put(part.id(), physical);
            }
        }
        return new AllocatableGpus(devices, owners);
    }

    private static void warn(PhysicalGpu physical, List<String> warnings) {
        if (!physical.tellsProcesses()) {
            warnings.add(physical.words() + " does not tell what runs on it: processes of others are not seen there");
        }
        if (physical.migOn() && physical.migDevices().isEmpty()) {
            warnings.add(physical.words()
                    + " is not allocated: it is in MIG mode and has no MIG device, so that nothing can"
                    + " run on it; make some (nvidia-smi mig -i " + physical.index()
                    + " -cgi ... -C), or switch the mode"
                    + " off (nvidia-smi -i " + physical.index() + " -mig 0)");
        }
    }

    private static GpuDevice allocatable(PhysicalGpu physical, Gpu gpu, GpuDevice.@Nullable Mig mig) {
        return new GpuDevice(
                gpu, physical.pciBusId(), physical.minor(), mig, physical.computeMode(), physical.display());
    }

    private static long mib(long bytes) {
        return bytes >> 20;
    }
}
