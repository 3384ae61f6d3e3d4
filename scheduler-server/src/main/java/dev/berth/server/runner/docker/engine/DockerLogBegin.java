package dev.berth.server.runner.docker.engine;

import com.github.dockerjava.api.async.ResultCallback;
import com.github.dockerjava.api.model.Frame;
import dev.berth.server.runner.docker.LogBegin;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** The first message of a log that was asked for with times, which stand before each. */
final class DockerLogBegin extends ResultCallback.Adapter<Frame> {
    private final CompletableFuture<Optional<LogBegin>> first = new CompletableFuture<>();

    Optional<LogBegin> await() throws InterruptedException, ExecutionException {
        return first.get();
    }

    @Override
    public void onNext(Frame frame) {
        if (first.isDone()) {
            return;
        }
        byte[] payload = frame.getPayload();
        int space = 0;
        while (space < payload.length && payload[space] != ' ' && payload[space] != '\n') {
            space++;
        }
        try {
            Instant at = Instant.parse(new String(payload, 0, space, StandardCharsets.ISO_8859_1));
            int begin = Math.min(space + 1, payload.length);
            // A copy: docker-java reads the next frame into the same array (3.7.1, FramedInputStreamConsumer).
            ByteBuffer message = ByteBuffer.wrap(Arrays.copyOfRange(payload, begin, payload.length));
            first.complete(Optional.of(new LogBegin(at, DockerLog.stream(frame), message)));
        } catch (DateTimeException e) {
            first.completeExceptionally(e);
        }
    }

    @Override
    public void onError(Throwable failure) {
        super.onError(failure);
        first.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
        super.onComplete();
        first.complete(Optional.empty());
    }
}
