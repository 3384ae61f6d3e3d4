package dev.berth.server.http.submit;

import dev.berth.core.api.SubmitRequest;
import dev.berth.core.job.Place.OnHost;
import dev.berth.core.option.JobOption;
import dev.berth.core.text.Utf8;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.PrintableText;
import org.jspecify.annotations.Nullable;

/** The differences of a request for a job that is a process of the machine itself and no container. */
public final class HostRequests {
    private static final int MAX_DIRECTORY = 4_096;

    private HostRequests() {}

    static OnHost place(SubmitRequest request) {
        return new OnHost(
                directory(request.directory()),
                request.shell(),
                request.options().has(JobOption.NO_WAIT));
    }

    /** The directory of a request, checked. The client is there already; the server only tells others where. */
    private static String directory(@Nullable String path) {
        String directory = path == null ? "" : path;
        if (Utf8.length(directory) > MAX_DIRECTORY || PrintableText.hasInvisible(directory)) {
            throw ApiException.field(
                    "directory",
                    PrintableText.of(directory),
                    "must be a path of at most " + MAX_DIRECTORY + " bytes in UTF-8, without control or formatting"
                            + " characters");
        }
        return directory;
    }

    /** Throws where something is asked for that only a container has, or only a process. */
    static void check(SubmitRequest request) {
        boolean isHost = request.host();
        String rule = isHost
                ? "is a container's, and a process of the machine itself (host) has none; leave it out"
                : "goes with host alone: a container is queued in any case; leave it out";
        if (isHost && request.snapshot() != null) {
            throw ApiException.field("snapshot", "", rule);
        }
        if (isHost && request.parameters() != null) {
            throw ApiException.field("parameters", "", rule);
        }
        if (!isHost && request.shell()) {
            throw ApiException.field("shell", "", rule);
        }
        for (JobOption option : JobOption.values()) {
            if (!option.isOf(isHost) && request.options().has(option)) {
                throw ApiException.field(option.field(), "", rule);
            }
            if (request.shell() && !option.isOfShell() && request.options().has(option)) {
                throw ApiException.field(
                        option.field(),
                        "",
                        "is of programs that Berth starts, and a shell is there already; leave it out");
            }
        }
    }
}
