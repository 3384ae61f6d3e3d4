package dev.berth.server.runner.docker.engine;

import dev.berth.server.cgroup.CgroupMakers;
import dev.berth.server.linux.ProcessTable;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Processes of a container that its engine has lost sight of: it was killed between starting them and writing that down.
 * The kernel knows them by their control group, whose name ends in the container's id; one that a user made, who can give it
 * any name, is none.
 */
final class OrphanProcesses {
    private static final Path PROCESSES = Path.of("/proc");

    private OrphanProcesses() {}

    /**
     * Ends them with KILL; none is left when this returns.
     *
     * @throws EngineException of kind UNABLE where that may not be done, or has not worked yet
     */
    static void end(String container) {
        List<Long> left = of(container);
        if (left.isEmpty()) {
            return;
        }
        left.forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
        throw new EngineException(
                Kind.UNABLE,
                "the engine was killed while it started the container, and does not know of its processes " + left
                        + "; they are ended first (if they stay, end them as root: kill -9 PID)");
    }

    private static List<Long> of(String container) {
        ProcessTable table = new ProcessTable(PROCESSES);
        CgroupMakers makers = CgroupMakers.of(PROCESSES);
        Pattern name = Pattern.compile(Pattern.quote(container));
        try {
            return table.numbers().stream()
                    .filter(pid -> table.cgroups(pid)
                            .filter(cgroups -> !makers.names(cgroups, name).isEmpty())
                            .isPresent())
                    .toList();
        } catch (UncheckedIOException e) {
            throw new EngineException(Kind.UNABLE, "the machine's processes cannot be looked at: " + e.getMessage(), e);
        }
    }
}
