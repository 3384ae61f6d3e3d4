package dev.berth.server.gpu.nvidia;

import dev.berth.server.gpu.ChosenReader;
import dev.berth.server.gpu.GpuException;
import dev.berth.server.gpu.GpuReader;
import dev.berth.server.gpu.LocalCpus;
import java.util.List;

/** Ways to read NVIDIA's GPUs: by their library, or by nvidia-smi. */
public final class NvidiaReaders {
    /** Name under which the driver puts NVIDIA's library where the loader finds it. */
    public static final String LIBRARY = "libnvidia-ml.so.1";

    private static final String PROGRAM = "nvidia-smi";

    private NvidiaReaders() {}

    /** The way by which the operator wants the GPUs read. */
    public enum Way {
        AUTO,
        NVML,
        NVIDIA_SMI
    }

    /**
     * NVIDIA's library.
     *
     * @param library a path, or a name that the loader looks for in its own places
     * @throws GpuException where there is none, or its driver does not work
     */
    public static GpuReader nvml(String library) {
        return NvmlReader.start(NvmlReader.load(library), DriverTimeouts.WITH_LIBRARY, LocalCpus.ofThisMachine());
    }

    /** {@code nvidia-smi}, as the PATH has it. */
    public static GpuReader nvidiaSmi() {
        return new NvidiaSmiReader(new NvidiaSmi(PROGRAM), DriverTimeouts.WITH_PROGRAM, LocalCpus.ofThisMachine());
    }

    /**
     * The library, and where it cannot be loaded the program. One that loads and fails is no reason to ask the program,
     * which would fail with it.
     */
    public static ChosenReader either(String library) {
        try {
            NvmlReader.load(library);
        } catch (GpuException e) {
            return new ChosenReader(
                    nvidiaSmi(),
                    List.of(e.getMessage() + ". The GPUs are read by nvidia-smi instead, which takes tenths of a second"
                            + " each time and tells neither of their errors (XID, ECC) nor how they are joined"));
        }
        return new ChosenReader(nvml(library), List.of());
    }
}
