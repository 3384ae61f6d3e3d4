package dev.berth.server.http;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is true of this server as long as it runs.
 *
 * @param uid whom it runs as
 * @param url where it listens over TCP, null where it does not
 * @param simulated whether its GPUs are made up
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
        List<String> warnings) {
    public ServerFacts {
        warnings = List.copyOf(warnings);
    }
}
