package dev.berth.server.runner.docker;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * The setup of a container engine, as far as GPUs are concerned.
 *
 * @param defaultRuntime the runtime of containers that name none, empty where the engine does not say
 * @param cgroupDriver {@code cgroupfs} or {@code systemd}, empty where the engine does not say
 * @param cgroupVersion 1 or 2, 0 where the engine does not say
 * @param cdiDirectories where it looks for specifications of the Container Device Interface; none where that is off
 * @param cdiDevices the devices it knows by such specifications; none where it does not say (before API 1.50)
 */
public record EngineSetup(
        String defaultRuntime,
        String cgroupDriver,
        int cgroupVersion,
        List<Path> cdiDirectories,
        Set<String> cdiDevices) {
    /** The set-up of an engine that says nothing. */
    public static final EngineSetup UNKNOWN = new EngineSetup("", "", 0, List.of(), Set.of());

    public EngineSetup {
        cdiDirectories = List.copyOf(cdiDirectories);
        cdiDevices = Set.copyOf(cdiDevices);
    }
}
