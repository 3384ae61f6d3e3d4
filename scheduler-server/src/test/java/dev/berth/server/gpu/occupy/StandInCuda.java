package dev.berth.server.gpu.occupy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;

/** The stand-in for NVIDIA's driver library, built by the C compiler. */
final class StandInCuda {
    private static final Path SOURCE = Path.of("../docker/nvidia-stand-in/cuda/libcuda.c");

    private StandInCuda() {}

    /** The variables with which a program finds it, and with which its contexts show in the state of that folder. */
    static Map<String, String> in(Path folder) {
        try {
            Process compiler = new ProcessBuilder(
                            "cc",
                            "-Wall",
                            "-Wextra",
                            "-Werror",
                            "-shared",
                            "-fPIC",
                            "-o",
                            folder.resolve("libcuda.so.1").toString(),
                            SOURCE.toString())
                    .inheritIO()
                    .start();
            assertThat(compiler.waitFor()).as("cc " + SOURCE).isZero();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        return Map.of("LD_LIBRARY_PATH", folder.toString(), "BERTH_STAND_IN_STATE", folder.toString());
    }
}
