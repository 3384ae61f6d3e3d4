package dev.berth.server.gpu.occupy;

import dev.berth.core.job.GpuId;
import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The program of a placeholder, and the words by which a running one is known again.
 *
 * @param server the server's id
 * @param variables what its environment has beside the server's own
 */
record PlaceholderProgram(String server, Map<String, String> variables) {
    /** The word that one says once its contexts are there; anything else is why they are not. */
    static final String READY = "ready";

    private static final String SCRIPT = "placeholder.py";
    private static final String MARK = "berth-placeholder";

    /** Isolated from the user's own Python modules and variables. The program comes by standard input. */
    private static final List<String> PYTHON = List.of("python3", "-I", "-");

    private static final int JOB = PYTHON.size() + 2;

    /** Starts one. Its last words are the GPUs, for people who see it in a list of processes. */
    Process start(Attempt attempt, List<GpuId> gpus) throws IOException {
        List<String> uuids = gpus.stream().map(GpuId::uuid).toList();
        List<String> command = new ArrayList<>(PYTHON);
        command.addAll(List.of(MARK, server, attempt.job().toString(), Integer.toString(attempt.number())));
        command.addAll(uuids);
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(variables);
        builder.environment().put("CUDA_VISIBLE_DEVICES", String.join(",", uuids));
        builder.environment().put("CUDA_DEVICE_ORDER", "PCI_BUS_ID");
        Process process = builder.start();
        try (OutputStream in = process.getOutputStream()) {
            in.write(script());
        } catch (IOException e) {
            // It has ended already, and its own words say why.
        }
        return process;
    }

    private static byte[] script() throws IOException {
        try (InputStream in =
                Objects.requireNonNull(PlaceholderProgram.class.getResourceAsStream(SCRIPT), SCRIPT + " is missing")) {
            return in.readAllBytes();
        }
    }

    /** The first line of one that was just started; where there is none in time, a sentence that says why. */
    static String firstLine(Process process, Duration patience) {
        FutureTask<String> reading = new FutureTask<>(() -> {
            try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
                return Objects.requireNonNullElse(lines.readLine(), "it ended without a word");
            }
        });
        Thread _ = Thread.startVirtualThread(reading);
        try {
            return reading.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            return "it has not come up within " + patience.toSeconds() + " s";
        } catch (ExecutionException e) {
            return "it could not be heard: " + e.getCause();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "the server is stopping";
        }
    }

    /** The attempt whose placeholder a process of these words is; empty for one that is none of this server's. */
    Optional<Attempt> attempt(List<String> words) {
        List<String> beginning = new ArrayList<>(PYTHON.subList(1, PYTHON.size()));
        beginning.addAll(List.of(MARK, server));
        if (words.size() <= JOB + 1 || !words.subList(1, JOB).equals(beginning)) {
            return Optional.empty();
        }
        try {
            return Optional.of(
                    new Attempt(new JobId(Long.parseLong(words.get(JOB))), Integer.parseInt(words.get(JOB + 1))));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
