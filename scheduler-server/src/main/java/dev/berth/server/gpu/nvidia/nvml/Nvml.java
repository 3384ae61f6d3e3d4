package dev.berth.server.gpu.nvidia.nvml;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * NVML's calls, of which each may hang with its GPU. Safe for any thread, as NVML is. Structures and numbers: nvml.h of
 * NVML API 12 (github.com/NVIDIA/go-nvml, gen/nvml/nvml.h). Every call throws {@link NvmlException}; the functions that
 * came late may be missing in an old driver's library, which is one of its codes.
 */
public final class Nvml {
    public static final long EVENT_DOUBLE_BIT_ERROR = 2;
    public static final long EVENT_XID = 8;

    private static final int TEXT_BYTES = 96;
    private static final int TEMPERATURE_OF_GPU = 0;
    private static final int MAX_MIG_DEVICES = 64;
    private static final int NVLINK_SWITCH = 2;

    /** NVML_VALUE_NOT_AVAILABLE. */
    private static final long NOT_AVAILABLE = -1;

    private final NvmlLibrary library;

    /**
     * Loads the library; it is started by {@link #start}.
     *
     * @param name a path, or a name that the loader looks for in its own places
     * @throws IllegalArgumentException where it cannot be loaded
     */
    public Nvml(String name) {
        library = new NvmlLibrary(name);
    }

    /** nvmlInit_v2. Takes seconds where the driver has to wake the GPUs first. */
    public void start() {
        library.call("nvmlInit_v2");
    }

    /** nvmlShutdown. */
    public void end() {
        library.call("nvmlShutdown");
    }

    public String driverVersion() {
        return text((buffer, bytes) -> library.call("nvmlSystemGetDriverVersion", buffer, bytes));
    }

    /** A thousand times the major and ten times the minor version of the newest CUDA that the driver runs. */
    public int cudaVersion() {
        return number(out -> library.call("nvmlSystemGetCudaDriverVersion_v2", out));
    }

    public int count() {
        return number(out -> library.call("nvmlDeviceGetCount_v2", out));
    }

    /** The GPU at a place in NVML's list, which is not the same after each boot. */
    public Device device(int index) {
        return handle(out -> library.call("nvmlDeviceGetHandleByIndex_v2", index, out));
    }

    // ---- what a GPU is -------------------------------------------------------------------------------------------

    public String uuid(Device device) {
        return text((buffer, bytes) -> library.call("nvmlDeviceGetUUID", device.handle(), buffer, bytes));
    }

    public String name(Device device) {
        return text((buffer, bytes) -> library.call("nvmlDeviceGetName", device.handle(), buffer, bytes));
    }

    /** As in {@code 00000000:01:00.0}. */
    public String pciBusId(Device device) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment pci = arena.allocate(Structures.PCI_INFO);
            library.call("nvmlDeviceGetPciInfo_v3", device.handle(), pci);
            return Structures.busId(pci);
        }
    }

    public int minorNumber(Device device) {
        return number(out -> library.call("nvmlDeviceGetMinorNumber", device.handle(), out));
    }

    /** nvmlComputeMode_t: 0 default, 2 prohibited, 3 exclusive process. */
    public int computeMode(Device device) {
        return number(out -> library.call("nvmlDeviceGetComputeMode", device.handle(), out));
    }

    public boolean displayActive(Device device) {
        return number(out -> library.call("nvmlDeviceGetDisplayActive", device.handle(), out)) == 1;
    }

    public boolean migEnabled(Device device) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment current = arena.allocate(ValueLayout.JAVA_INT);
            MemorySegment pending = arena.allocate(ValueLayout.JAVA_INT);
            library.call("nvmlDeviceGetMigMode", device.handle(), current, pending);
            return current.get(ValueLayout.JAVA_INT, 0) == 1;
        }
    }

    /** The MIG devices of a GPU by their indices, which have gaps. */
    public SortedMap<Integer, Device> migDevices(Device device) {
        int max = number(out -> library.call("nvmlDeviceGetMaxMigDeviceCount", device.handle(), out));
        SortedMap<Integer, Device> devices = new TreeMap<>();
        for (int i = 0; i < Math.min(max, MAX_MIG_DEVICES); i++) {
            int index = i;
            migDevice(device, i).ifPresent(it -> devices.put(index, it));
        }
        return devices;
    }

    /** In which GPU instance of its GPU a MIG device lies. */
    public int gpuInstance(Device device) {
        return number(out -> library.call("nvmlDeviceGetGpuInstanceId", device.handle(), out));
    }

    /** The number of the compute instance of its GPU instance that a MIG device is. */
    public int computeInstance(Device device) {
        return number(out -> library.call("nvmlDeviceGetComputeInstanceId", device.handle(), out));
    }

    private Optional<Device> migDevice(Device device, int index) {
        try {
            return Optional.of(
                    handle(out -> library.call("nvmlDeviceGetMigDeviceHandleByIndex", device.handle(), index, out)));
        } catch (NvmlException e) {
            if (e.code() == NvmlException.NOT_FOUND || e.code() == NvmlException.INVALID_ARGUMENT) {
                return Optional.empty();
            }
            throw e;
        }
    }

    // ---- how it is ------------------------------------------------------------------------------------------------

    /**
     * As {@code nvidia-smi} shows it: what the driver keeps for itself is not in use. Old drivers have the first version
     * alone, by which it is (nvml.h, nvmlMemory_t).
     */
    public Memory memory(Device device) {
        String newest = "nvmlDeviceGetMemoryInfo_v2";
        try (Arena arena = Arena.ofConfined()) {
            if (library.has(newest)) {
                MemorySegment memory = Structures.memoryV2(arena);
                library.call(newest, device.handle(), memory);
                return Structures.memory(memory, Structures.MEMORY_V2);
            }
            MemorySegment memory = arena.allocate(Structures.MEMORY);
            library.call("nvmlDeviceGetMemoryInfo", device.handle(), memory);
            return Structures.memory(memory, Structures.MEMORY);
        }
    }

    public int utilisationPercent(Device device) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment rates = arena.allocate(Structures.UTILIZATION);
            library.call("nvmlDeviceGetUtilizationRates", device.handle(), rates);
            return rates.get(ValueLayout.JAVA_INT, 0);
        }
    }

    public int temperatureCelsius(Device device) {
        return number(out -> library.call("nvmlDeviceGetTemperature", device.handle(), TEMPERATURE_OF_GPU, out));
    }

    public int powerMilliwatts(Device device) {
        return number(out -> library.call("nvmlDeviceGetPowerUsage", device.handle(), out));
    }

    /** Processes that compute, by themselves or as clients of MPS's server. */
    public List<RunningProcess> computing(Device device) {
        List<RunningProcess> processes = processes("nvmlDeviceGetComputeRunningProcesses", device);
        try {
            processes.addAll(processes("nvmlDeviceGetMPSComputeRunningProcesses", device));
        } catch (NvmlException e) {
            if (!e.isNotTold()) {
                throw e;
            }
        }
        return processes;
    }

    public List<RunningProcess> drawing(Device device) {
        return processes("nvmlDeviceGetGraphicsRunningProcesses", device);
    }

    private List<RunningProcess> processes(String function, Device device) {
        String newest = function + "_v3";
        return ProcessList.read(library, library.has(newest) ? newest : function + "_v2", device);
    }

    // ---- how GPUs are joined -------------------------------------------------------------------------------------

    /** nvmlGpuTopologyLevel_t: 0, 10 and so on to 50. */
    public int commonAncestor(Device one, Device other) {
        return number(out -> library.call("nvmlDeviceGetTopologyCommonAncestor", one.handle(), other.handle(), out));
    }

    public boolean linkActive(Device device, int link) {
        return number(out -> library.call("nvmlDeviceGetNvLinkState", device.handle(), link, out)) == 1;
    }

    /** The PCI bus id of what is at the other end of an NVLink. */
    public String linkRemote(Device device, int link) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment pci = arena.allocate(Structures.PCI_INFO);
            library.call("nvmlDeviceGetNvLinkRemotePciInfo_v2", device.handle(), link, pci);
            return Structures.busId(pci);
        }
    }

    /** Whether a switch is at the other end of an NVLink: nvmlIntNvLinkDeviceType_t 2. */
    public boolean linkEndsAtSwitch(Device device, int link) {
        return number(out -> library.call("nvmlDeviceGetNvLinkRemoteDeviceType", device.handle(), link, out))
                == NVLINK_SWITCH;
    }

    // ---- events ---------------------------------------------------------------------------------------------------

    public EventSet eventSet() {
        return new EventSet(handle(out -> library.call("nvmlEventSetCreate", out)));
    }

    public void register(EventSet set, Device device) {
        library.call(
                "nvmlDeviceRegisterEvents",
                device.handle(),
                EVENT_XID | EVENT_DOUBLE_BIT_ERROR,
                set.device().handle());
    }

    /** The next event, null where none came in time. */
    public @Nullable Event await(EventSet set, int milliseconds) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment event = arena.allocate(Structures.EVENT_DATA);
            int code = library.answer("nvmlEventSetWait_v2", set.device().handle(), event, milliseconds);
            if (code == NvmlException.TIMEOUT) {
                return null;
            }
            if (code != 0) {
                throw new NvmlException(code, library.words(code));
            }
            return Structures.event(event);
        }
    }

    public void free(EventSet set) {
        library.call("nvmlEventSetFree", set.device().handle());
    }

    // ---- values ---------------------------------------------------------------------------------------------------

    /** A GPU or a MIG device, by the library's own handle. */
    public record Device(MemorySegment handle) {}

    /** The set that one waits with for a device's events. */
    public record EventSet(Device device) {}

    /** A device's memory, in bytes. */
    public record Memory(long total, long used) {}

    /** A process on a device; its memory in bytes, null where it is not told. */
    public record RunningProcess(long pid, @Nullable Long memory) {
        static RunningProcess of(long pid, long memory) {
            return new RunningProcess(pid, memory == NOT_AVAILABLE ? null : memory);
        }
    }

    /** An event of a device; {@code number} is that of the XID. */
    public record Event(Device device, long type, long number) {}

    // ---- how C hands values out -----------------------------------------------------------------------------------

    private interface Out {
        void call(MemorySegment out);
    }

    private interface Text {
        void call(MemorySegment buffer, int bytes);
    }

    private static int number(Out function) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(ValueLayout.JAVA_INT);
            function.call(out);
            return out.get(ValueLayout.JAVA_INT, 0);
        }
    }

    private static Device handle(Out function) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(ValueLayout.ADDRESS);
            function.call(out);
            return new Device(out.get(ValueLayout.ADDRESS, 0));
        }
    }

    private static String text(Text function) {
        try (Arena arena = Arena.ofConfined()) {
            // One byte more than told, so that it always ends.
            MemorySegment buffer = arena.allocate(TEXT_BYTES + 1L);
            function.call(buffer, TEXT_BYTES);
            return buffer.getString(0);
        }
    }
}
