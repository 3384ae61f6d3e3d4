package dev.berth.server.http.route;

import dev.berth.core.api.SnapshotView;
import dev.berth.server.bounds.MemoryBudget;
import dev.berth.server.bounds.MemoryBudget.Share;
import dev.berth.server.bounds.UserTurns;
import dev.berth.server.bounds.UserTurns.Turn;
import dev.berth.server.code.SnapshotException;
import dev.berth.server.code.SnapshotStore;
import dev.berth.server.disk.NoSpace;
import dev.berth.server.http.access.Access;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.http.exchange.Exchange;
import dev.berth.server.http.exchange.Json;
import dev.berth.server.http.exchange.Router;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;

/** {@code /snapshots} and {@code /contents}: a directory comes as a manifest, and then what of it the server lacks. */
final class SnapshotsResource {
    private static final int UPLOADS_OF_ONE_USER = 16;
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration UPLOAD_AGAIN = Duration.ofSeconds(2);
    private static final int BUFFER_BYTES = 1 << 16;

    /** Kept free of uploads: a disk without room stops the server, and with it everybody's jobs. */
    private static final long RESERVE_BYTES = 16L << 20;

    private final SnapshotStore snapshots;
    private final Access access;
    private final MemoryBudget memory;
    private final UserTurns uploads = new UserTurns(UPLOADS_OF_ONE_USER);

    SnapshotsResource(SnapshotStore snapshots, Access access, MemoryBudget memory) {
        this.snapshots = snapshots;
        this.access = access;
        this.memory = memory;
    }

    void addTo(Router router) {
        router.add("POST", "/api/v1/snapshots", (exchange, caller, _) -> keep(exchange, caller));
        router.add("POST", "/api/v1/contents", (exchange, caller, _) -> fill(exchange, caller));
    }

    private interface Upload {
        SnapshotView take(InputStream body) throws IOException, SnapshotException;
    }

    private void keep(Exchange exchange, Caller caller) throws IOException, InterruptedException {
        take(exchange, caller, body -> snapshots.keep(caller.uid(), body));
    }

    private void fill(Exchange exchange, Caller caller) throws IOException, InterruptedException {
        String id = exchange.query("snapshot").orElse("");
        try (Share share = memory.share(caller.uid())) {
            take(exchange, caller, body -> snapshots.fill(caller.uid(), id, body, share::take));
        }
    }

    /** Each upload holds files and memory; one user has room for so many, and can keep nobody else waiting. */
    private void take(Exchange exchange, Caller caller, Upload upload) throws IOException, InterruptedException {
        access.requireSubmitter(caller);
        if (NoSpace.usable(snapshots.directory()) < RESERVE_BYTES) {
            throw noSpace();
        }
        Turn turn = uploads.take(caller.uid(), PATIENCE)
                .orElseThrow(() -> ApiException.tooMuch(
                        429,
                        "BUSY",
                        "you have " + UPLOADS_OF_ONE_USER + " uploads under way, the most one user may have; try again",
                        UPLOAD_AGAIN));
        try (turn) {
            Json.answer(exchange, 200, upload.take(new BufferedInputStream(exchange.upload(), BUFFER_BYTES)));
        } catch (SnapshotException e) {
            throw refusal(e);
        } catch (IOException | UncheckedIOException e) {
            if (!NoSpace.isWhy(e, snapshots.directory())) {
                throw e;
            }
            throw noSpace();
        }
    }

    private ApiException noSpace() {
        return ApiException.of(
                507,
                "NO_SPACE",
                "the directory was not taken: there is no room for it on the server's disk, at " + snapshots.directory()
                        + "; nothing was queued. An administrator can make room: berth delete removes ended jobs");
    }

    private static ApiException refusal(SnapshotException why) {
        int status = switch (why.kind()) {
            case BAD_SNAPSHOT, INVALID_CONTENT -> 400;
            case TOO_LARGE, QUOTA_EXCEEDED -> 413;
        };
        return ApiException.of(
                status, why.kind().name(), "the directory was not taken: " + why.sentence(), why.details());
    }
}
