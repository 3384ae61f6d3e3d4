package dev.berth.server.gpu.nvidia;

import dev.berth.server.gpu.GpuException;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Calls of {@code nvidia-smi}, each a process that is ended when its time is up.
 *
 * @param program its path, or a name that is looked for on the PATH
 */
record NvidiaSmi(String program) {
    // nvidia-smi(1), "RETURN VALUE"
    static final int NO_DEVICES = 6;
    static final int NO_DRIVER = 9;
    static final int GPU_LOST = 15;

    /** The most bytes that are read; what a machine full of GPUs and processes prints is a hundredth of that. */
    private static final int MAX_BYTES = 16 << 20;

    /**
     * The output of a run of the program.
     *
     * @param text on its standard output
     * @param complaint the first line of what it has to say where it failed
     */
    record Output(int exit, String text, String complaint) {}

    /**
     * Runs it.
     *
     * @throws GpuException where it is not there, or does not end in time
     */
    Output run(Duration patience, String... arguments) {
        List<String> command = new ArrayList<>(List.of(program));
        command.addAll(List.of(arguments));
        try {
            return output(
                    new ProcessBuilder(command)
                            .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                            .start(),
                    patience);
        } catch (IOException e) {
            throw new GpuException(
                    "no GPU was found: nvidia-smi is not installed; install NVIDIA's driver, or try Berth with"
                            + " --simulate-gpus N",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new GpuException("interrupted while nvidia-smi ran", e);
        }
    }

    private static Output output(Process process, Duration patience) throws IOException, InterruptedException {
        AtomicBoolean late = new AtomicBoolean();
        AtomicReference<String> errors = new AtomicReference<>("");
        Thread reaper = Thread.ofVirtual().start(() -> endLate(process, patience, late));
        Thread complaints = Thread.ofVirtual().start(() -> errors.set(read(process.getErrorStream())));
        try {
            String text = read(process.getInputStream());
            // A program that prints more than that is not read to the end.
            process.getInputStream().close();
            int exit = process.waitFor();
            complaints.join();
            if (late.get()) {
                throw new GpuException(
                        GpuException.Kind.HUNG,
                        "nvidia-smi did not end within " + patience.toSeconds()
                                + " s; the kernel's log may say why (dmesg | grep -i nvrm)");
            }
            return new Output(exit, text, firstLine(errors.get() + "\n" + text));
        } finally {
            process.destroyForcibly();
            reaper.interrupt();
        }
    }

    private static void endLate(Process process, Duration patience, AtomicBoolean late) {
        try {
            if (!process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                late.set(true);
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static String read(InputStream in) {
        try {
            return new String(in.readNBytes(MAX_BYTES), StandardCharsets.UTF_8);
        } catch (IOException e) {
            // The end of a process that was ended.
            return "";
        }
    }

    private static String firstLine(String text) {
        return text.strip().lines().findFirst().orElse("nothing").strip();
    }

    /** The failure that says why there are no GPUs to be had. */
    static GpuException failure(Output output) {
        return new GpuException(
                switch (output.exit()) {
                    case NO_DEVICES -> "no GPU was found: nvidia-smi says: " + output.complaint();
                    case NO_DRIVER ->
                        "no GPU can be used: NVIDIA's driver is not loaded (nvidia-smi: " + output.complaint() + ")";
                    default ->
                        "no GPU can be used: nvidia-smi failed with code " + output.exit() + ": " + output.complaint();
                });
    }
}
