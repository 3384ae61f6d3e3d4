package dev.berth.server.gpu.nvidia.nvml;

import java.util.Set;

/** NVML answered with an error; the message is {@code nvmlErrorString}'s. */
public final class NvmlException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    // nvml.h, nvmlReturn_t
    public static final int INVALID_ARGUMENT = 2;
    public static final int NOT_SUPPORTED = 3;
    public static final int NO_PERMISSION = 4;
    public static final int NOT_FOUND = 6;
    public static final int INSUFFICIENT_SIZE = 7;
    public static final int DRIVER_NOT_LOADED = 9;
    public static final int TIMEOUT = 10;
    public static final int FUNCTION_NOT_FOUND = 13;
    public static final int GPU_IS_LOST = 15;
    public static final int VERSION_MISMATCH = 18;
    private static final int NO_DATA = 21;
    private static final int ARGUMENT_VERSION_MISMATCH = 25;
    private static final int DEPRECATED = 26;

    private static final Set<Integer> NOT_TOLD =
            Set.of(NOT_SUPPORTED, NO_PERMISSION, FUNCTION_NOT_FOUND, NO_DATA, ARGUMENT_VERSION_MISMATCH, DEPRECATED);

    private final int code;

    NvmlException(int code, String words) {
        super(words);
        this.code = code;
    }

    /** The number in nvml.h. */
    public int code() {
        return code;
    }

    /** Whether this GPU or this driver does not tell what was asked, and all is well. */
    public boolean isNotTold() {
        return NOT_TOLD.contains(code);
    }
}
