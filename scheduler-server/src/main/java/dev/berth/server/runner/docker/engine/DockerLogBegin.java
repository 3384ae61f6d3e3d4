package dev.berth.server.runner.docker.engine;

import com.github.dockerjava.api.async.ResultCallback;
import com.github.dockerjava.api.model.Frame;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** The time before the first line of a log that was asked for with times. */
final class DockerLogBegin extends ResultCallback.Adapter<Frame> {
    private final CompletableFuture<Optional<Instant>> time = new CompletableFuture<>();

    Optional<Instant> await() throws InterruptedException, ExecutionException {
        return time.get();
    }

    @Override
    public void onNext(Frame frame) {
        String line = new String(frame.getPayload(), StandardCharsets.ISO_8859_1);
        int space = line.indexOf(' ');
        try {
            time.complete(Optional.of(Instant.parse(space < 0 ? line.strip() : line.substring(0, space))));
        } catch (DateTimeException e) {
            time.completeExceptionally(e);
        }
    }

    @Override
    public void onError(Throwable failure) {
        super.onError(failure);
        time.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
        super.onComplete();
        time.complete(Optional.empty());
    }
}
