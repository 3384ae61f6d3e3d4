package dev.berth.server.gpu.nvidia;

import dev.berth.server.gpu.GpuException;
import dev.berth.server.gpu.nvidia.nvml.NvmlException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The meaning of NVML's errors: what a GPU does not tell is null, everything else is a {@link GpuException}. */
final class NvmlAnswers {
    private NvmlAnswers() {}

    static <T> @Nullable T told(Supplier<T> question) {
        try {
            return question.get();
        } catch (NvmlException e) {
            if (e.isNotTold()) {
                return null;
            }
            throw e;
        }
    }

    static <T> T told(Supplier<T> question, T otherwise) {
        @Nullable T answer = told(question);
        return answer == null ? otherwise : answer;
    }

    /** About one GPU. */
    static GpuException failure(String subject, NvmlException e) {
        return e.code() == NvmlException.GPU_IS_LOST
                ? lost(subject)
                : new GpuException(
                        GpuException.Kind.FAILED,
                        subject + " cannot be read: NVIDIA's library says: " + e.getMessage());
    }

    static GpuException lost(String subject) {
        return new GpuException(
                GpuException.Kind.LOST,
                subject + " has fallen off the bus: NVIDIA's driver has lost it; reboot the machine to have it back");
    }

    /** About the library's start. */
    static GpuException noStart(NvmlException e) {
        return new GpuException(
                switch (e.code()) {
                    case NvmlException.DRIVER_NOT_LOADED ->
                        "no GPU can be used: NVIDIA's driver is not loaded; load it (modprobe nvidia), or see why it"
                                + " does not load: dmesg | grep -i nvrm";
                    case NvmlException.VERSION_MISMATCH ->
                        "no GPU can be used: NVIDIA's driver in the kernel and its library have different versions,"
                                + " as after an update; reboot the machine";
                    case NvmlException.NO_PERMISSION ->
                        "no GPU can be used: this user may not open NVIDIA's devices; see the rights of"
                                + " /dev/nvidiactl and /dev/nvidia0";
                    default -> "no GPU can be used: NVIDIA's library could not be started: " + e.getMessage();
                });
    }
}
