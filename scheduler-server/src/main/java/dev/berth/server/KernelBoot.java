package dev.berth.server;

import dev.berth.server.loop.FoundAtStart.Boot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The present start of the machine, as Linux tells: random(4) for the id, proc_stat(5) for its time. */
final class KernelBoot {
    private static final Logger LOG = LoggerFactory.getLogger(KernelBoot.class);
    private static final Path ID = Path.of("/proc/sys/kernel/random/boot_id");
    private static final Path STATISTICS = Path.of("/proc/stat");
    private static final String TIME = "btime ";

    private KernelBoot() {}

    /** The present start of this machine; null where it does not tell, and a reboot cannot be noticed. */
    static @Nullable Boot read() {
        return read(ID, STATISTICS);
    }

    static @Nullable Boot read(Path idFile, Path statistics) {
        try {
            String id = Files.readString(idFile).strip();
            List<String> times = Files.readAllLines(statistics).stream()
                    .filter(line -> line.startsWith(TIME))
                    .toList();
            if (!id.isEmpty() && times.size() == 1) {
                String seconds = times.getFirst().substring(TIME.length()).strip();
                return new Boot(id, Instant.ofEpochSecond(Long.parseLong(seconds)));
            }
            LOG.warn("{} and {} do not tell which start of the machine this is", idFile, statistics);
        } catch (IOException | NumberFormatException e) {
            LOG.warn("which start of the machine this is cannot be read: {}", e.toString());
        }
        return null;
    }
}
