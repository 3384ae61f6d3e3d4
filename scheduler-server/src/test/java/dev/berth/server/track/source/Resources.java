package dev.berth.server.track.source;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/** Files beside resources/track/write.py, which says how they were made. */
final class Resources {
    private Resources() {}

    static byte[] bytes(String name) throws IOException {
        try (InputStream file = Objects.requireNonNull(Resources.class.getResourceAsStream("/track/" + name), name)) {
            return file.readAllBytes();
        }
    }

    static List<String> lines(String name) throws IOException {
        return new String(bytes(name), StandardCharsets.UTF_8).lines().toList();
    }
}
