package dev.berth.server.runner.slurm;

import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * One run of a program, within a time and with so much output. What is not over by then is ended, with all below it.
 *
 * @param deadline from its start to its end
 * @param mostBytes of its standard output; where there are more, it has failed
 * @param name for people: {@code sbatch on login1}
 */
record ProgramRun(Duration deadline, int mostBytes, String name) {
    /** More than Slurm's programs say about thousands of jobs. */
    static final int SMALL = 8 << 20;

    static final Input NOTHING = _ -> {};

    private static final int MAX_ERROR_BYTES = 8 << 10;
    private static final Duration AFTER_END = Duration.ofSeconds(10);

    /** Writes what a program reads from its standard input. */
    @FunctionalInterface
    interface Input {
        void writeTo(OutputStream to) throws IOException;

        static Input of(String text) {
            return to -> to.write(text.getBytes(StandardCharsets.UTF_8));
        }
    }

    /**
     * Runs it and waits for its end.
     *
     * @throws EngineException where it cannot be started, says too much, or does not end in time
     */
    Said run(List<String> words, Map<String, String> environment, Input input) {
        Process process = start(words, environment);
        try {
            return followed(process, input);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EngineException(Kind.INTERRUPTED, name + " was ended: the server ends", e);
        } finally {
            end(process);
        }
    }

    private Process start(List<String> words, Map<String, String> environment) {
        ProcessBuilder builder =
                new ProcessBuilder(words).directory(Path.of("/").toFile());
        builder.environment().clear();
        builder.environment().putAll(environment);
        try {
            return builder.start();
        } catch (IOException e) {
            throw UserPrograms.failure(name, e);
        }
    }

    private Said followed(Process process, Input input) throws InterruptedException {
        CompletableFuture<byte[]> output = read(process.getInputStream(), mostBytes + 1);
        CompletableFuture<byte[]> error = read(process.getErrorStream(), MAX_ERROR_BYTES);
        CompletableFuture<Void> written =
                CompletableFuture.runAsync(() -> write(process.getOutputStream(), input), Thread::startVirtualThread);
        boolean hasEnded = process.waitFor(deadline.toMillis(), TimeUnit.MILLISECONDS);
        end(process);
        byte[] said = within(output).orElse(null);
        String complaint = new String(within(error).orElse(new byte[0]), StandardCharsets.UTF_8);
        if (!hasEnded) {
            throw new EngineException(Kind.UNREACHABLE, SlurmSentences.late(name, deadline, complaint));
        }
        if (said == null) {
            // To take nothing for its answer would be to believe that Slurm has none of our jobs.
            throw new EngineException(Kind.FAILING, name + " ended, and its output could not be read to its end");
        }
        if (said.length > mostBytes) {
            throw new EngineException(
                    Kind.FAILING,
                    name + " said more than " + mostBytes + " bytes, and was not listened to any further");
        }
        if (process.exitValue() == 0) {
            check(written);
        }
        return new Said(process.exitValue(), said, complaint);
    }

    /** What could not be read here is not there for the program either; that it did not want it all is its own business. */
    private void check(CompletableFuture<Void> written) throws InterruptedException {
        try {
            written.get(AFTER_END.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new EngineException(Kind.FAILING, name + " ended before it had all that it was given", e);
        } catch (ExecutionException e) {
            throw new EngineException(
                    Kind.FAILING, name + " was not given all that it was to have: " + e.getCause(), e);
        }
    }

    /** What was read, once that is all; empty where something that it left behind keeps its output open. */
    private static Optional<byte[]> within(CompletableFuture<byte[]> reader) throws InterruptedException {
        try {
            return Optional.of(reader.get(AFTER_END.toMillis(), TimeUnit.MILLISECONDS));
        } catch (TimeoutException e) {
            return Optional.empty();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Reads it all, so that the program is not held up by what nobody reads, and keeps the first bytes. */
    private static CompletableFuture<byte[]> read(InputStream from, int most) {
        return CompletableFuture.supplyAsync(
                () -> {
                    ByteArrayOutputStream kept = new ByteArrayOutputStream();
                    try (from) {
                        kept.write(from.readNBytes(most));
                        from.transferTo(OutputStream.nullOutputStream());
                    } catch (IOException e) {
                        // It was ended while it was read: what came before counts.
                    }
                    return kept.toByteArray();
                },
                Thread::startVirtualThread);
    }

    private static void write(OutputStream to, Input input) {
        try (to) {
            input.writeTo(to);
        } catch (IOException e) {
            throw new CompletionException(e);
        }
    }

    /** Children first, while their parent still tells of them. */
    private static void end(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
