package dev.berth.server.gpu;

import dev.berth.core.job.GpuId;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Listener that has GPUs that are sick taken out of service, and writes down what else they report. */
public final class GpuHealth implements GpuReader.GpuListener {
    private static final Logger LOG = LoggerFactory.getLogger(GpuHealth.class);

    private static final String LOST = "it has fallen off the bus; reboot the machine, then berth gpus resume";

    private final BiConsumer<GpuId, String> drain;

    /** {@code drain} takes a GPU out of service, and hears the reason; called on a thread of the reader's. */
    public GpuHealth(BiConsumer<GpuId, String> drain) {
        this.drain = drain;
    }

    @Override
    public void fault(GpuId gpu, GpuFault fault) {
        if (fault.isFatal()) {
            drain(gpu, fault.sentence());
        } else {
            LOG.info("gpu={} stays in service: {}", gpu, fault.sentence());
        }
    }

    @Override
    public void lost(GpuId gpu) {
        drain(gpu, LOST);
    }

    private void drain(GpuId gpu, String reason) {
        LOG.warn("gpu={} is taken out of service: {}", gpu, reason);
        drain.accept(gpu, reason);
    }
}
