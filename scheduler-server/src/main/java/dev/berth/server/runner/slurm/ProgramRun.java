package dev.berth.server.runner.slurm;

import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.EngineException.Scope;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
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
 * @param late what it is where it has not ended by then: of everybody, or with {@code LATE} of its user alone
 */
record ProgramRun(Duration deadline, int mostBytes, String name, Kind late) {
    /** More than Slurm's programs say about thousands of jobs. */
    static final int SMALL = 8 << 20;

    static final Input NOTHING = _ -> {};

    /** More than they say of as many jobs as one call has, where each of them has failed. */
    private static final int MAX_ERROR_BYTES = 64 << 10;

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
            kill(process);
            process.destroyForcibly();
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
        Heard output = new Heard(process.getInputStream(), mostBytes + 1);
        Heard error = new Heard(process.getErrorStream(), MAX_ERROR_BYTES);
        CompletableFuture<Void> written =
                CompletableFuture.runAsync(() -> write(process.getOutputStream(), input), Thread::startVirtualThread);
        boolean hasEnded = process.waitFor(deadline.toMillis(), TimeUnit.MILLISECONDS);
        if (!hasEnded) {
            kill(process);
            boolean _ = error.awaitEnd();
            throw new EngineException(
                    late,
                    late == Kind.LATE ? Scope.USER : Scope.ONE,
                    SlurmSentences.late(name, deadline, error.text()));
        }
        // Where nobody was reading as it ended, the virtual machine has taken all that it said itself; that is its
        // answer then.
        if (!output.awaitEnd()) {
            // To take nothing for its answer would be to believe that Slurm has none of our jobs.
            throw new EngineException(Kind.FAILING, name + " ended, and its output could not be read to its end");
        }
        byte[] said = output.bytes();
        if (said.length > mostBytes) {
            throw new EngineException(
                    Kind.FAILING,
                    name + " said more than " + mostBytes + " bytes, and was not listened to any further");
        }
        if (process.exitValue() == 0) {
            // Its errors are not waited for: what it leaves behind may keep them open (ssh_config(5), ControlPersist).
            check(written);
        } else {
            boolean _ = error.awaitEnd();
        }
        return new Said(process.exitValue(), said, error.text());
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

    private static void write(OutputStream to, Input input) {
        try (to) {
            input.writeTo(to);
        } catch (IOException e) {
            throw new CompletionException(e);
        }
    }

    /**
     * Children first, while their parent still tells of them: one that has ended has none any more, and all processes would be looked
     * at for that. {@link Process#destroyForcibly()} would close what is still to be read from it.
     */
    private static void kill(Process process) {
        if (process.isAlive()) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.toHandle().destroyForcibly();
        }
    }

    /** The first bytes of what a program writes. All is read, so that it is not held up by what nobody reads. */
    private static final class Heard {
        private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
        private final CompletableFuture<Void> end;

        Heard(InputStream from, int most) {
            end = CompletableFuture.runAsync(() -> keep(from, most), Thread::startVirtualThread);
        }

        private void keep(InputStream from, int most) {
            byte[] part = new byte[8 << 10];
            try (from) {
                for (int count = from.read(part); count >= 0; count = from.read(part)) {
                    kept.write(part, 0, Math.min(count, most - kept.size()));
                }
            } catch (IOException e) {
                throw new CompletionException(e);
            }
        }

        /** Whether all was read, in time. Something that the program has left behind may keep it open. */
        boolean awaitEnd() throws InterruptedException {
            try {
                end.get(AFTER_END.toMillis(), TimeUnit.MILLISECONDS);
                return true;
            } catch (TimeoutException | ExecutionException e) {
                return false;
            }
        }

        byte[] bytes() {
            return kept.toByteArray();
        }

        String text() {
            return kept.toString(StandardCharsets.UTF_8);
        }
    }
}
