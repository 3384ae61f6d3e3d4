package dev.berth.server.gpu.nvidia;

import dev.berth.server.gpu.GpuException;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls into the driver about one GPU, one after the other, on a daemon thread of their own: a caller that waits for
 * one waits for so long at most. While one hangs, the thread hangs with it and all others are refused at once; when it
 * comes back at last, calls are taken again. Safe for any thread.
 */
final class DriverThread implements AutoCloseable {
    private static final int MAX_WAITING = 64;

    private final BlockingQueue<Call<?>> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
    private final Thread thread;
    private volatile @Nullable Call<?> atWork;

    /** The call that was at work when a caller's patience ended. */
    private volatile @Nullable Call<?> overdue;

    DriverThread(String name) {
        thread = Thread.ofPlatform().daemon().name(name).start(this::run);
    }

    /** Makes a call and waits for what it answers; a {@link GpuException} or another failure of it is the caller's. */
    <T> T call(String subject, Duration patience, Supplier<T> work) {
        return begin(subject, work).await(patience);
    }

    /** Makes a call without waiting. */
    <T> Call<T> begin(String subject, Supplier<T> work) {
        if (isHung()) {
            throw new GpuException(
                    GpuException.Kind.HUNG,
                    "NVIDIA's driver still has not answered an earlier call about " + subject
                            + "; it is asked again when that one comes back, or after a reboot");
        }
        Call<T> call = new Call<>(this, subject, work);
        if (!waiting.offer(call)) {
            throw new GpuException(
                    GpuException.Kind.HUNG,
                    MAX_WAITING + " calls about " + subject + " wait for NVIDIA's driver already");
        }
        return call;
    }

    boolean isHung() {
        Call<?> late = overdue;
        return late != null && late == atWork;
    }

    private void run() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                Call<?> call = waiting.take();
                atWork = call;
                call.answer.run();
                atWork = null;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Takes no further call. One that is at work goes on, and its thread with it. */
    @Override
    public void close() {
        thread.interrupt();
    }

    /** Call into the driver. */
    static final class Call<T> {
        private final DriverThread line;
        private final String subject;
        private final FutureTask<T> answer;

        private Call(DriverThread line, String subject, Supplier<T> work) {
            this.line = line;
            this.subject = subject;
            this.answer = new FutureTask<>(work::get);
        }

        /** The answer of the call; a caller that asks once its time is up is refused. */
        T await(Duration patience) {
            try {
                return answer.get(patience.toMillis(), TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                boolean _ = answer.cancel(false);
                line.overdue = line.atWork;
                throw new GpuException(
                        GpuException.Kind.HUNG,
                        "NVIDIA's driver has not answered within " + inWords(patience) + " about " + subject
                                + "; the kernel's log may say why (dmesg | grep -i nvrm)");
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new GpuException(
                        GpuException.Kind.FAILED, "interrupted while NVIDIA's driver was asked about " + subject);
            } catch (ExecutionException e) {
                throw unwrapped(e);
            }
        }

        private static RuntimeException unwrapped(ExecutionException e) {
            return switch (e.getCause()) {
                case RuntimeException failure -> failure;
                case Error failure -> throw failure;
                case null, default -> new IllegalStateException(e);
            };
        }

        private static String inWords(Duration time) {
            return time.toMillis() % 1_000 == 0 ? time.toSeconds() + " s" : time.toMillis() + " ms";
        }
    }
}
