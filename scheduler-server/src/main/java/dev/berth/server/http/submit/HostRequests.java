package dev.berth.server.http.submit;

import dev.berth.core.api.SubmitRequest;
import dev.berth.core.job.HostRun;
import dev.berth.core.job.Utf8;
import dev.berth.server.http.ApiException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is different about a request for a job that is a process of the machine itself and no container. */
public final class HostRequests {
    /** What such a job shows where others show their image, and the network that they are on. */
    static final String HOST = "host";

    private static final int MAX_DIRECTORY = 4_096;

    private HostRequests() {}

    public static boolean isHost(SubmitRequest request) {
        return Boolean.TRUE.equals(request.host());
    }

    /** What the job is, or null for a container. */
    static @Nullable HostRun of(SubmitRequest request) {
        return isHost(request)
                ? new HostRun(
                        directory(request.directory()),
                        Boolean.TRUE.equals(request.shell()),
                        Boolean.TRUE.equals(request.noWait()))
                : null;
    }

    /** It is the client that is there already; the server only tells others where. */
    private static String directory(@Nullable String path) {
        String directory = path == null ? "" : path;
        if (Utf8.length(directory) > MAX_DIRECTORY || Labels.hasInvisible(directory)) {
            throw ApiException.field(
                    "directory",
                    Labels.printable(directory),
                    "must be a path of at most " + MAX_DIRECTORY + " bytes in UTF-8, without control or formatting"
                            + " characters");
        }
        return directory;
    }

    /** Throws where something is asked for that only a container has, or only a process. */
    static void check(SubmitRequest request) {
        if (!isHost(request)) {
            Map<String, Boolean> given = new LinkedHashMap<>();
            given.put("shell", Boolean.TRUE.equals(request.shell()));
            given.put("noWait", Boolean.TRUE.equals(request.noWait()));
            refuseFirst(given, "goes with host alone: a container is queued in any case; leave it out");
            return;
        }
        Map<String, Boolean> given = new LinkedHashMap<>();
        given.put("image", request.image() != null);
        given.put("pull", request.pull() != null);
        given.put("snapshot", request.snapshot() != null);
        given.put("entrypoint", request.entrypoint() != null);
        given.put("workingDirectory", request.workingDirectory() != null);
        given.put("environment", request.environment() != null);
        given.put("memoryBytes", request.memoryBytes() != null);
        given.put("shmBytes", request.shmBytes() != null);
        given.put("network", request.network() != null);
        given.put("volumes", request.volumes() != null);
        given.put("requeue", Boolean.TRUE.equals(request.requeue()));
        refuseFirst(given, "is a container's, and a process of the machine itself (host) has none; leave it out");
    }

    private static void refuseFirst(Map<String, Boolean> given, String rule) {
        given.forEach((field, is) -> {
            if (is) {
                throw ApiException.field(field, "", rule);
            }
        });
    }
}
