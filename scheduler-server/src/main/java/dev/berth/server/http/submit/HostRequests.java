package dev.berth.server.http.submit;

import dev.berth.core.api.SubmitRequest;
import dev.berth.core.job.Place.OnHost;
import dev.berth.core.job.Utf8;
import dev.berth.core.option.JobOption;
import dev.berth.server.http.ApiException;
import dev.berth.server.http.view.SpecValues;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is different about a request for a job that is a process of the machine itself and no container. */
public final class HostRequests {
    private static final int MAX_DIRECTORY = 4_096;

    private HostRequests() {}

    public static boolean isHost(SubmitRequest request) {
        return Boolean.TRUE.equals(request.host());
    }

    static OnHost place(SubmitRequest request) {
        return new OnHost(
                directory(request.directory()),
                Boolean.TRUE.equals(request.shell()),
                Boolean.TRUE.equals(request.noWait()));
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
        boolean isHost = isHost(request);
        String rule = isHost
                ? "is a container's, and a process of the machine itself (host) has none; leave it out"
                : "goes with host alone: a container is queued in any case; leave it out";
        List<String> others = new ArrayList<>();
        others.add(isHost ? "snapshot" : "shell");
        for (JobOption option : JobOption.values()) {
            if (!option.isOf(isHost)) {
                others.add(option.field());
            }
        }
        for (String field : others) {
            if (SpecValues.isGiven(field, request)) {
                throw ApiException.field(field, "", rule);
            }
        }
    }
}
