package dev.berth.server.http.view;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Facts about this server that are true as long as it runs.
 *
 * @param uid whom it runs as
 * @param url where it listens over TCP, null where it does not
 * @param simulated whether its GPUs are made up
 * @param driver the version of NVIDIA's driver, null where it is not known
 * @param cuda the newest CUDA that the driver runs, null where it is not known
 * @param gpuWay how its GPUs come into containers, for people; empty where none does
 * @param image the image of a job that names none
 */
public record ServerFacts(
        String version,
        long pid,
        long uid,
        Path socket,
        @Nullable String url,
        Path dataDirectory,
        Instant since,
        String image,
        String engine,
        boolean simulated,
        @Nullable String driver,
        @Nullable String cuda,
        String gpuWay,
        List<String> warnings) {
    public ServerFacts {
        warnings = List.copyOf(warnings);
    }
}
