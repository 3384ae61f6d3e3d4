package dev.berth.server.gpu.nvidia.nvml;

import static java.lang.foreign.MemoryLayout.paddingLayout;
import static java.lang.foreign.MemoryLayout.sequenceLayout;
import static java.lang.foreign.MemoryLayout.structLayout;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/** The structures of nvml.h. */
final class Structures {
    private static final int BUS_ID_BYTES = 32;

    /**
     * nvmlPciInfo_t: {@code char busIdLegacy[16]; unsigned int domain, bus, device, pciDeviceId, pciSubSystemId; char
     * busId[32];}.
     */
    static final StructLayout PCI_INFO = structLayout(
            sequenceLayout(16, JAVA_BYTE),
            JAVA_INT.withName("domain"),
            JAVA_INT.withName("bus"),
            JAVA_INT.withName("device"),
            JAVA_INT.withName("pciDeviceId"),
            JAVA_INT.withName("pciSubSystemId"),
            sequenceLayout(BUS_ID_BYTES, JAVA_BYTE).withName("busId"));

    /** nvmlMemory_t: {@code unsigned long long total, free, used;}. */
    static final StructLayout MEMORY =
            structLayout(JAVA_LONG.withName("total"), JAVA_LONG.withName("free"), JAVA_LONG.withName("used"));

    /** nvmlMemory_v2_t: {@code unsigned int version; unsigned long long total, reserved, free, used;}. */
    static final StructLayout MEMORY_V2 = structLayout(
            JAVA_INT.withName("version"),
            paddingLayout(4),
            JAVA_LONG.withName("total"),
            JAVA_LONG.withName("reserved"),
            JAVA_LONG.withName("free"),
            JAVA_LONG.withName("used"));

    /** nvmlMemory_v2: NVML_STRUCT_VERSION, the number of the version above its size. */
    private static final int MEMORY_V2_VERSION = 2 << 24 | (int) MEMORY_V2.byteSize();

    /** nvmlUtilization_t: {@code unsigned int gpu, memory;}. */
    static final StructLayout UTILIZATION = structLayout(JAVA_INT.withName("gpu"), JAVA_INT.withName("memory"));

    /**
     * nvmlProcessInfo_v2_t, which the third version of the functions fills, too: {@code unsigned int pid; unsigned long
     * long usedGpuMemory; unsigned int gpuInstanceId, computeInstanceId;}.
     */
    static final StructLayout PROCESS_INFO = structLayout(
            JAVA_INT.withName("pid"),
            paddingLayout(4),
            JAVA_LONG.withName("usedGpuMemory"),
            JAVA_INT.withName("gpuInstanceId"),
            JAVA_INT.withName("computeInstanceId"));

    /**
     * nvmlEventData_t: {@code nvmlDevice_t device; unsigned long long eventType, eventData; unsigned int gpuInstanceId,
     * computeInstanceId;}.
     */
    static final StructLayout EVENT_DATA = structLayout(
            ADDRESS.withName("device"),
            JAVA_LONG.withName("eventType"),
            JAVA_LONG.withName("eventData"),
            JAVA_INT.withName("gpuInstanceId"),
            JAVA_INT.withName("computeInstanceId"));

    private static final long PID = offset(PROCESS_INFO, "pid");
    private static final long USED_GPU_MEMORY = offset(PROCESS_INFO, "usedGpuMemory");

    private Structures() {}

    private static long offset(StructLayout structure, String name) {
        return structure.byteOffset(PathElement.groupElement(name));
    }

    static String busId(MemorySegment pci) {
        byte[] bytes = pci.asSlice(offset(PCI_INFO, "busId"), BUS_ID_BYTES).toArray(JAVA_BYTE);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < bytes.length && bytes[i] != 0; i++) {
            text.append((char) (bytes[i] & 0xff));
        }
        return text.toString();
    }

    /** An empty one of the second version, which the library wants to be told. */
    static MemorySegment memoryV2(Arena arena) {
        MemorySegment memory = arena.allocate(MEMORY_V2);
        memory.set(JAVA_INT, offset(MEMORY_V2, "version"), MEMORY_V2_VERSION);
        return memory;
    }

    /**
     * Reads one.
     *
     * @param layout of which version it is
     */
    static Nvml.Memory memory(MemorySegment memory, StructLayout layout) {
        return new Nvml.Memory(
                memory.get(JAVA_LONG, offset(layout, "total")), memory.get(JAVA_LONG, offset(layout, "used")));
    }

    static Nvml.RunningProcess process(MemorySegment infos, long index) {
        long base = index * PROCESS_INFO.byteSize();
        return Nvml.RunningProcess.of(
                Integer.toUnsignedLong(infos.get(JAVA_INT, base + PID)), infos.get(JAVA_LONG, base + USED_GPU_MEMORY));
    }

    static Nvml.Event event(MemorySegment event) {
        return new Nvml.Event(
                new Nvml.Device(event.get(ADDRESS, offset(EVENT_DATA, "device"))),
                event.get(JAVA_LONG, offset(EVENT_DATA, "eventType")),
                event.get(JAVA_LONG, offset(EVENT_DATA, "eventData")));
    }
}
