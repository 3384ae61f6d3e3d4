package dev.berth.server.config;

import dev.berth.core.machine.QueueRules;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** How this server was asked to run: every setting, good by itself and together with the others. */
public record Settings(
        ServerSettings server,
        GpuSettings gpus,
        OccupancySettings occupancy,
        TlsSettings tls,
        GpuAccessSettings gpuAccess,
        JobSettings jobs,
        BookingSettings booking,
        AccessSettings access,
        MountSettings mounts,
        PrivilegeSettings privileges,
        SnapshotSettings snapshots,
        LogSettings logs,
        RetentionSettings retention,
        BackupSettings backups,
        SharingSettings sharing,
        QueueRules order,
        Origins origins) {

    /**
     * The settings with these {@code section.name=value} assignments and no files or variables.
     *
     * @throws ConfigurationException with every problem there is
     */
    public static Settings of(String... assignments) {
        List<String> options =
                Stream.of(assignments).map(assignment -> "--set=" + assignment).toList();
        Path nowhere = Path.of("/nonexistent");
        return Configuration.read(
                        options, new Surroundings(Map.of(), Path.of("/"), Path.of("/var/lib/berth"), nowhere, 0))
                .settings();
    }

    static Settings of(Values values) {
        Map<String, Origin> origins = new HashMap<>();
        Keys.ALL.forEach(key -> origins.put(key.name(), values.origin(key)));
        return new Settings(
                ServerSettings.of(values),
                GpuSettings.of(values),
                OccupancySettings.of(values),
                TlsSettings.of(values),
                GpuAccessSettings.of(values),
                JobSettings.of(values),
                BookingSettings.of(values),
                AccessSettings.of(values),
                MountSettings.of(values),
                PrivilegeSettings.of(values),
                SnapshotSettings.of(values),
                LogSettings.of(values),
                RetentionSettings.of(values),
                BackupSettings.of(values),
                SharingSettings.of(values),
                new QueueRules(
                        values.get(Keys.PASS_WHILE_PULLING),
                        values.get(Keys.START_ONE_BY_ONE),
                        values.get(Keys.DROP_UNFIT)),
                new Origins(origins));
    }
}
