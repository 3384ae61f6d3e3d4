package dev.berth.server.gpu.nvidia;

import dev.berth.core.job.GpuId;
import dev.berth.server.gpu.GpuDevice;
import dev.berth.server.gpu.GpuException;
import dev.berth.server.gpu.GpuProcess;
import dev.berth.server.gpu.GpuProcesses;
import dev.berth.server.gpu.GpuReading;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A GPU as {@code nvidia-smi -q -x} describes it. Units stand behind the numbers, and what a GPU does not tell is a
 * word: N/A, [N/A], [Not Supported], Requested functionality has been deprecated.
 *
 * @param migDevices the instances of its MIG devices
 */
record NvidiaSmiGpu(PhysicalGpu physical, XmlElement gpu, Map<GpuId, Instance> migDevices) {
    private static final Pattern NUMBER = Pattern.compile("(\\d{1,12}(?:\\.\\d{1,6})?)(?: .*)?");

    NvidiaSmiGpu {
        migDevices = Map.copyOf(migDevices);
    }

    /** A MIG device's numbers within its GPU, as the list of processes has them. */
    record Instance(String gpu, String compute, XmlElement element) {
        /** Whether such numbers in an element are these. */
        boolean isOf(XmlElement other) {
            return other.at("gpu_instance_id").equals(gpu)
                    && other.at("compute_instance_id").equals(compute);
        }
    }

    /**
     * Reads it.
     *
     * @param listed the MIG devices of the GPU by {@code nvidia-smi -L}
     * @throws GpuException where it has no UUID
     */
    static NvidiaSmiGpu of(int index, XmlElement gpu, List<NvidiaSmiList.MigDevice> listed) {
        List<XmlElement> instances =
                gpu.all("mig_devices").flatMap(it -> it.all("mig_device")).toList();
        Map<GpuId, Instance> migDevices = new HashMap<>();
        List<PhysicalGpu.MigDevice> found = listed.stream()
                .flatMap(part -> {
                    Optional<XmlElement> instance = instances.stream()
                            .filter(it -> it.at("index").equals(Integer.toString(part.number())))
                            .findFirst();
                    instance.ifPresent(it -> migDevices.put(
                            part.id(), new Instance(it.at("gpu_instance_id"), it.at("compute_instance_id"), it)));
                    return instance.stream()
                            .map(it -> new PhysicalGpu.MigDevice(
                                    part.id(),
                                    part.number(),
                                    it.at("gpu_instance_id") + "/" + it.at("compute_instance_id"),
                                    gpu.at("product_name") + " MIG " + part.profile(),
                                    zeroIfNull(total(it))));
                })
                .toList();
        return new NvidiaSmiGpu(physical(index, gpu, found), gpu, migDevices);
    }

    private static PhysicalGpu physical(int index, XmlElement gpu, List<PhysicalGpu.MigDevice> migDevices) {
        return new PhysicalGpu(
                index,
                id(gpu),
                gpu.at("product_name").isEmpty() ? "NVIDIA GPU" : gpu.at("product_name"),
                zeroIfNull(total(gpu)),
                gpu.at("pci", "pci_bus_id"),
                gpu.at("minor_number").matches("\\d{1,9}") ? Integer.parseInt(gpu.at("minor_number")) : -1,
                switch (gpu.at("compute_mode")) {
                    case "Prohibited" -> GpuDevice.ComputeMode.PROHIBITED;
                    case "Exclusive_Process", "Exclusive_Thread" -> GpuDevice.ComputeMode.EXCLUSIVE_PROCESS;
                    default -> GpuDevice.ComputeMode.DEFAULT;
                },
                gpu.at("display_active").equals("Enabled"),
                gpu.at("mig_mode", "current_mig").equals("Enabled"),
                migDevices,
                gpu.all("processes").anyMatch(it -> it.text().isEmpty()));
    }

    private static GpuId id(XmlElement gpu) {
        try {
            return new GpuId(gpu.at("uuid"));
        } catch (IllegalArgumentException e) {
            throw new GpuException("nvidia-smi prints a GPU without a UUID: '" + gpu.at("uuid") + "'", e);
        }
    }

    /** The GPU at another moment. */
    NvidiaSmiGpu with(XmlElement now) {
        Map<GpuId, Instance> renewed = new HashMap<>();
        migDevices.forEach((id, part) -> now.all("mig_devices")
                .flatMap(it -> it.all("mig_device"))
                .filter(part::isOf)
                .findFirst()
                .ifPresent(it -> renewed.put(id, new Instance(part.gpu(), part.compute(), it))));
        return new NvidiaSmiGpu(physical, now, renewed);
    }

    /** The reading of it, or of a part of it: which has a memory of its own, and no utilisation. */
    GpuReading reading(GpuId id) {
        Instance part = migDevices.get(id);
        XmlElement memory = part == null ? gpu : part.element();
        return new GpuReading(
                part == null ? whole(number(gpu.at("utilization", "gpu_util"))) : null,
                used(memory),
                total(memory),
                whole(number(gpu.at("temperature", "gpu_temp"))),
                milliwatts(),
                processes(id));
    }

    List<GpuProcess> processes(GpuId id) {
        Instance part = migDevices.get(id);
        return GpuProcesses.merged(gpu.all("processes")
                .flatMap(it -> it.all("process_info"))
                .filter(it -> part == null || part.isOf(it))
                .flatMap(NvidiaSmiGpu::process));
    }

    /** M is for clients of MPS's server. */
    private static Stream<GpuProcess> process(XmlElement info) {
        String type = info.at("type");
        boolean computes = !type.equals("G");
        boolean draws = type.contains("G");
        return info.at("pid").matches("\\d{1,10}")
                ? Stream.of(new GpuProcess(
                        Long.parseLong(info.at("pid")),
                        computes && draws
                                ? GpuProcess.Kind.COMPUTE_AND_GRAPHICS
                                : draws ? GpuProcess.Kind.GRAPHICS : GpuProcess.Kind.COMPUTE,
                        bytes(info.at("used_memory"))))
                : Stream.of();
    }

    /** The element's name has changed with the driver. */
    private @Nullable Integer milliwatts() {
        return Stream.of("gpu_power_readings", "power_readings")
                .flatMap(readings -> Stream.of("power_draw", "instant_power_draw", "average_power_draw")
                        .map(draw -> gpu.at(readings, draw)))
                .flatMap(text -> Optional.ofNullable(number(text)).stream())
                .map(watts -> watts.movePointRight(3).intValue())
                .findFirst()
                .orElse(null);
    }

    private static @Nullable Long total(XmlElement of) {
        return bytes(of.at("fb_memory_usage", "total"));
    }

    /** Old drivers count what they keep for themselves as used. */
    private static @Nullable Long used(XmlElement of) {
        return bytes(of.at("fb_memory_usage", "used"));
    }

    private static @Nullable Long bytes(String mebibytes) {
        BigDecimal number = number(mebibytes);
        return number == null ? null : Long.valueOf(number.longValue() << 20);
    }

    private static long zeroIfNull(@Nullable Long number) {
        return number == null ? 0 : number;
    }

    private static @Nullable Integer whole(@Nullable BigDecimal number) {
        return number == null ? null : Integer.valueOf(number.intValue());
    }

    private static @Nullable BigDecimal number(String text) {
        Matcher match = NUMBER.matcher(text);
        return match.matches() ? new BigDecimal(match.group(1)) : null;
    }
}
