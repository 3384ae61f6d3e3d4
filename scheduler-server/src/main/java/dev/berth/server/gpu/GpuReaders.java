package dev.berth.server.gpu;

import java.util.List;

/** Which of the ways to read the cards is taken. */
public final class GpuReaders {
    private static final String PROGRAM = "nvidia-smi";

    private GpuReaders() {}

    /** What the operator wants them read by. */
    public enum Way {
        AUTO,
        NVML,
        NVIDIA_SMI
    }

    /**
     * A reader, and what the operator should know of it.
     *
     * @param warnings a sentence each
     */
    public record Chosen(GpuReader reader, List<String> warnings) {
        public Chosen {
            warnings = List.copyOf(warnings);
        }
    }

    /**
     * NVIDIA's library.
     *
     * @param library a path, or a name that the loader looks for in its own places
     * @throws GpuException where there is none, or its driver does not work
     */
    public static GpuReader nvml(String library) {
        return NvmlReader.start(NvmlReader.load(library), Patience.WITH_LIBRARY, LocalCpus.ofThisMachine());
    }

    /** {@code nvidia-smi}, as the PATH has it. */
    public static GpuReader nvidiaSmi() {
        return new NvidiaSmiReader(new NvidiaSmi(PROGRAM), Patience.WITH_PROGRAM, LocalCpus.ofThisMachine());
    }

    /**
     * The library, and where it cannot be loaded the program. One that loads and fails is no reason to ask the program,
     * which would fail with it.
     */
    public static Chosen either(String library) {
        try {
            NvmlReader.load(library);
        } catch (GpuException e) {
            return new Chosen(
                    nvidiaSmi(),
                    List.of(e.getMessage() + ". The GPUs are read by nvidia-smi instead, which takes tenths of a second"
                            + " each time and tells neither of their errors (XID, ECC) nor how they are joined"));
        }
        return new Chosen(nvml(library), List.of());
    }
}
