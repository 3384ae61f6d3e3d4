package dev.berth.server.runner.docker.engine;

import com.github.dockerjava.api.async.ResultCallback;
import com.github.dockerjava.api.model.Frame;
import com.github.dockerjava.api.model.StreamType;
import dev.berth.server.log.LogSink;
import dev.berth.server.runner.docker.ContainerLogStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A container's output, frame by frame into a sink, on docker-java's thread. */
final class DockerLog extends ResultCallback.Adapter<Frame> implements ContainerLogStream {
    private final CompletableFuture<Void> started = new CompletableFuture<>();
    private final CompletableFuture<Boolean> whole = new CompletableFuture<>();
    private final InstantSource clock;
    private final LogSink sink;
    private final Consumer<DockerLog> ended;
    private volatile boolean closed;
    private volatile @Nullable Instant endedAt;

    /**
     * A stream that is not read yet.
     *
     * @param ended hears that it has ended or broken off, unless it was closed before; the two look the same
     */
    DockerLog(InstantSource clock, LogSink sink, Consumer<DockerLog> ended) {
        this.clock = clock;
        this.sink = sink;
        this.ended = ended;
    }

    /** The log once the engine has answered, so that nothing is written before the listener is ready. */
    static DockerLog started(DockerLog log) throws InterruptedException, ExecutionException {
        log.started.get();
        return log;
    }

    @Override
    public void onStart(Closeable stream) {
        super.onStart(stream);
        started.complete(null);
    }

    @Override
    public void onNext(Frame frame) {
        sink.write(stream(frame), ByteBuffer.wrap(frame.getPayload()));
    }

    static LogSink.Stream stream(Frame frame) {
        return frame.getStreamType() == StreamType.STDERR ? LogSink.Stream.ERR : LogSink.Stream.OUT;
    }

    @Override
    public void onError(Throwable failure) {
        super.onError(failure);
        started.completeExceptionally(failure);
        end(false);
    }

    @Override
    public void onComplete() {
        super.onComplete();
        started.complete(null);
        end(true);
    }

    private void end(boolean inOrder) {
        endedAt = endedAt == null ? clock.instant() : endedAt;
        if (whole.complete(inOrder) && !closed) {
            ended.accept(this);
        }
    }

    @Override
    public boolean awaitEnd(Duration patience) {
        try {
            return whole.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public boolean isOpen() {
        return !whole.isDone();
    }

    @Override
    public Optional<Instant> endedAt() {
        return Optional.ofNullable(endedAt);
    }

    /** Whether nobody wants to read it any more. */
    boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        closed = true;
        try {
            super.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
