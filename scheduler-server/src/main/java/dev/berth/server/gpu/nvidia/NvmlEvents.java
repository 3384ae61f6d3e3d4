package dev.berth.server.gpu.nvidia;

import dev.berth.core.job.GpuId;
import dev.berth.server.gpu.GpuException;
import dev.berth.server.gpu.GpuFault;
import dev.berth.server.gpu.GpuReader;
import dev.berth.server.gpu.nvidia.nvml.Nvml;
import dev.berth.server.gpu.nvidia.nvml.NvmlException;
import dev.berth.server.upkeep.Attempts;
import dev.berth.server.upkeep.BackgroundWork;
import dev.berth.server.upkeep.Pauses;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Waits for NVML's events on a daemon thread of its own, and tells them of each GPU or MIG device that they are about. */
final class NvmlEvents implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NvmlEvents.class);

    /** The time that an end waits for the thread at most. */
    private static final int TURN_MILLISECONDS = 250;

    private static final GpuFault DOUBLE_BIT_ERROR = new GpuFault(
            "an ECC error of two bits, which cannot be corrected; reset it with the server stopped (nvidia-smi"
                    + " --gpu-reset), or reboot, then berth gpus resume",
            true);

    private final Nvml nvml;
    private final DriverTimeouts patience;
    private final List<NvmlReader.Known> known;
    private final GpuReader.GpuListener listener;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Attempts attempts;
    private final Thread thread;

    NvmlEvents(
            Nvml nvml,
            DriverTimeouts patience,
            Collection<NvmlReader.Known> known,
            GpuReader.GpuListener listener,
            BackgroundWork background) {
        this.nvml = nvml;
        this.patience = patience;
        this.known = List.copyOf(known);
        this.listener = listener;
        this.attempts = background.attempts("errors of the GPUs", Pauses.SHORT);
        this.thread = Thread.ofPlatform()
                .daemon()
                .name("gpu-events")
                .start(() -> background.untilDone("errors of the GPUs", this::run));
    }

    private void run() throws InterruptedException {
        if (closed.getCount() == 0) {
            return;
        }
        try {
            Nvml.EventSet set = nvml.eventSet();
            try {
                if (gpus().stream().filter(gpu -> register(set, gpu)).count() > 0) {
                    listen(set);
                }
            } finally {
                nvml.free(set);
            }
        } catch (NvmlException e) {
            LOG.warn("NVIDIA's library tells of no errors of the GPUs (XID, ECC): {}", e.getMessage());
        }
    }

    /** On the GPU's own line, where it cannot keep the others waiting. */
    private boolean register(Nvml.EventSet set, NvmlGpu gpu) {
        NvmlReader.Known of =
                known.stream().filter(it -> it.found().equals(gpu)).findFirst().orElseThrow();
        String words = gpu.physical().words();
        try {
            return of.line().call(words, patience.call(), () -> {
                nvml.register(set, gpu.device());
                return true;
            });
        } catch (NvmlException | GpuException e) {
            LOG.warn("the driver tells of no errors (XID, ECC) of {}: {}", words, e.getMessage());
            return false;
        }
    }

    private void listen(Nvml.EventSet set) throws InterruptedException {
        while (closed.getCount() > 0) {
            if (!attempts.succeeds(() -> turn(set))) {
                boolean _ = closed.await(attempts.pause().toMillis(), TimeUnit.MILLISECONDS);
            }
        }
    }

    private void turn(Nvml.EventSet set) {
        Nvml.Event event = nvml.await(set, TURN_MILLISECONDS);
        if (event != null && closed.getCount() > 0) {
            tell(event);
        }
    }

    private void tell(Nvml.Event event) {
        long handle = event.device().handle().address();
        for (NvmlGpu source : gpus()) {
            if (source.device().handle().address() != handle) {
                continue;
            }
            // A divided GPU's errors are those of all its parts.
            for (GpuId gpu : source.physical().allocatable()) {
                if (event.type() == Nvml.EVENT_XID) {
                    listener.fault(
                            gpu,
                            Xid.of((int) Math.min(event.number(), Integer.MAX_VALUE))
                                    .fault());
                } else if (event.type() == Nvml.EVENT_DOUBLE_BIT_ERROR) {
                    listener.fault(gpu, DOUBLE_BIT_ERROR);
                }
            }
        }
    }

    private Set<NvmlGpu> gpus() {
        return known.stream().map(NvmlReader.Known::found).collect(Collectors.toSet());
    }

    /** Nothing is told any more once this returns, unless the driver hangs. */
    @Override
    public void close() {
        closed.countDown();
        try {
            boolean _ = thread.join(Duration.ofMillis(2L * TURN_MILLISECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
