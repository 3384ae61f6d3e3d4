package dev.berth.server;

import dev.berth.server.linux.MachineBoot;
import dev.berth.server.loop.FoundAtStart.Boot;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The present start of the machine, as Linux tells. */
final class KernelBoot {
    private static final Logger LOG = LoggerFactory.getLogger(KernelBoot.class);
    private static final Path PROC = Path.of("/proc");

    private KernelBoot() {}

    /** The present start of this machine; null where it does not tell, and a reboot cannot be noticed. */
    static @Nullable Boot read() {
        try {
            String id = MachineBoot.id(PROC);
            if (!id.isEmpty()) {
                return new Boot(id, MachineBoot.began(PROC));
            }
            LOG.warn("{} does not tell which start of the machine this is", PROC);
        } catch (IOException | NumberFormatException e) {
            LOG.warn("which start of the machine this is cannot be read: {}", e.toString());
        }
        return null;
    }
}
