package dev.berth.server.runner.docker;

import dev.berth.core.job.Job;
import dev.berth.core.machine.Attempt;
import dev.berth.server.code.UserDatabase;
import dev.berth.server.code.Workspaces;
import dev.berth.server.mount.Granted;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The places within a job's own directories that mounts come to. An engine makes those that are missing as root, and a
 * server that is not root could not remove them again; one that is must leave it to the engine, as it must not walk
 * paths in a directory that is another's.
 */
final class MountPoints {
    private MountPoints() {}

    /** Makes those that are missing, as the server's own user. */
    static void make(Workspaces workspaces, Job job, List<Granted.Source> sources) throws IOException {
        Path place = workspaces.of(Attempt.of(job));
        Map<String, Path> own = Map.of(
                ContainerPlans.WORKING_DIRECTORY,
                place.resolve("workspace"),
                ContainerPlans.OUTPUT_DIRECTORY,
                workspaces.output(job),
                ContainerPlans.CHECKPOINT_DIRECTORY,
                workspaces.checkpoint(job),
                UserDatabase.home(job.owner()),
                place.resolve("home"));
        for (Granted.Source source : sources) {
            for (Map.Entry<String, Path> entry : own.entrySet()) {
                String above = entry.getKey() + "/";
                if (source.target().startsWith(above)) {
                    make(entry.getValue().resolve(source.target().substring(above.length())), source.path());
                }
            }
        }
    }

    private static void make(Path target, Path source) throws IOException {
        if (Files.exists(target)) {
            return;
        }
        if (Files.isDirectory(source)) {
            Files.createDirectories(target);
        } else {
            Files.createDirectories(target.resolveSibling("."));
            Files.createFile(target);
        }
    }
}
