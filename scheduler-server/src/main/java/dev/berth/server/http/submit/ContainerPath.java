package dev.berth.server.http.submit;

import dev.berth.server.http.exchange.PrintableText;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Paths in a container, which has the last word on what is there. */
final class ContainerPath {
    /** The longest path the kernel takes, without its end (limits.h, PATH_MAX). */
    private static final int MAX_BYTES = 4_095;

    /** The NVIDIA runtime's hook, the engine and the program loader work there, partly as root. */
    private static final List<String> SYSTEM = List.of(
            "/proc",
            "/sys",
            "/dev",
            "/etc",
            "/usr",
            "/bin",
            "/sbin",
            "/lib",
            "/lib32",
            "/lib64",
            "/libx32",
            "/run",
            "/var/run",
            "/boot");

    private ContainerPath() {}

    /** The path without a slash at its end. */
    static String trimmed(String path) {
        return path.length() > 1 && path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    }

    /** The rule that an absolute path breaks. */
    static Optional<String> problem(String path) {
        if (PrintableText.hasInvisible(path)) {
            return Optional.of("must not hold control or formatting characters");
        }
        if (path.getBytes(StandardCharsets.UTF_8).length > MAX_BYTES) {
            return Optional.of("must have at most " + MAX_BYTES + " bytes");
        }
        boolean clean = path.equals("/")
                || Arrays.stream(path.substring(1).split("/", -1))
                        .noneMatch(part -> part.isEmpty() || part.equals(".") || part.equals(".."));
        return clean ? Optional.empty() : Optional.of("must be a path without empty parts, '.' and '..'");
    }

    /**
     * The reason why nothing may be mounted at a clean path; empty where it may.
     *
     * @param own where Berth itself mounts something
     */
    static Optional<String> closed(String target, List<String> own) {
        if (own.contains(target)) {
            return Optional.of("is a place of Berth's own; mount below it, or elsewhere, as at /data");
        }
        for (String place : Stream.concat(SYSTEM.stream(), own.stream()).toList()) {
            if (place.startsWith(target.equals("/") ? "/" : target + "/")) {
                return Optional.of("holds " + place + "; mount elsewhere, as at /data");
            }
        }
        boolean system = SYSTEM.stream().anyMatch(place -> isAtOrBelow(target, place));
        return system
                ? Optional.of("is a place of the container's system, where the engine works as root; mount elsewhere,"
                        + " as at /data")
                : Optional.empty();
    }

    static boolean isAtOrBelow(String path, String place) {
        return path.equals(place) || path.startsWith(place + "/");
    }
}
