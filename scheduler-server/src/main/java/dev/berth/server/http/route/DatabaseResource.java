package dev.berth.server.http.route;

import dev.berth.core.api.BackupRequest;
import dev.berth.core.api.BackupView;
import dev.berth.core.api.CheckView;
import dev.berth.server.http.access.Access;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.http.exchange.Exchange;
import dev.berth.server.http.exchange.Json;
import dev.berth.server.http.exchange.Router;
import dev.berth.server.store.database.Backup;
import dev.berth.server.store.database.Backup.Kind;
import dev.berth.server.store.database.BackupException;
import dev.berth.server.store.database.Backups;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;

/** {@code /server/backup} and {@code /server/check}: the database as a whole. Never on the loop's thread. */
final class DatabaseResource {
    private static final int MAX_PATH = 4_096;

    private final Backups backups;
    private final Access access;
    private final InstantSource clock;
    private final Semaphore checking = new Semaphore(1);

    DatabaseResource(Backups backups, Access access, InstantSource clock) {
        this.backups = backups;
        this.access = access;
        this.clock = clock;
    }

    void addTo(Router router) {
        router.add("POST", "/api/v1/server/backup", (exchange, caller, _) -> backUp(exchange, caller));
        router.add("POST", "/api/v1/server/check", (exchange, caller, _) -> check(exchange, caller));
    }

    private void backUp(Exchange exchange, Caller caller) throws IOException, InterruptedException {
        access.requireOperator(caller);
        BackupRequest request = Json.read(exchange.body(), BackupRequest.class);
        String file = request.file();
        if (file != null) {
            access.requireServersUser(caller);
        }
        Instant now = clock.instant();
        try {
            Backup made = file == null
                    ? aside(() -> backups.make(Kind.ASKED, now))
                    : aside(() -> backups.writeTo(path(file), now));
            Json.answer(
                    exchange,
                    201,
                    new BackupView(
                            made.file().toString(),
                            made.madeAt().toString(),
                            Files.size(made.file()),
                            made.tracking().map(Path::toString).orElse(null)));
        } catch (BackupException e) {
            throw refusal(e);
        }
    }

    private static Path path(String file) {
        try {
            Path path = Path.of(file);
            if (path.isAbsolute() && file.length() <= MAX_PATH) {
                return path.normalize();
            }
        } catch (InvalidPathException e) {
            // Said below, with the rule.
        }
        throw ApiException.field("file", file, "must be a path on the server's machine, from / on");
    }

    private static ApiException refusal(BackupException why) {
        int status = switch (why.kind()) {
            case BUSY, FILE_EXISTS, TOO_MANY_BACKUPS -> 409;
            case BAD_PLACE, BAD_BACKUP -> 422;
            case NO_SPACE -> 507;
            case FAILED -> 500;
        };
        return ApiException.of(status, why.kind().name(), why.sentence());
    }

    private void check(Exchange exchange, Caller caller) throws IOException, InterruptedException {
        access.requireOperator(caller);
        if (!checking.tryAcquire()) {
            throw ApiException.of(409, "BUSY", "the database is being checked already; wait for the end of that");
        }
        try {
            List<String> problems = aside(backups::problems);
            String file = backups.database().toString();
            Json.answer(exchange, 200, new CheckView(file, problems.isEmpty(), problems, backups.verdict(problems)));
        } catch (BackupException e) {
            throw new IllegalStateException(e);
        } finally {
            checking.release();
        }
    }

    /** SQLite holds the thread that it works on, and a virtual one would hold one of the few that all others need. */
    private static <T> T aside(Callable<T> work) throws BackupException, InterruptedException {
        FutureTask<T> task = new FutureTask<>(work);
        Thread _ = Thread.ofPlatform().daemon().name("database").start(task);
        try {
            return task.get();
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case BackupException refused -> throw refused;
                case RuntimeException failed -> throw failed;
                case null, default -> throw new IllegalStateException(e);
            }
        }
    }
}
