package dev.berth.server.container.docker;

import com.github.dockerjava.api.async.ResultCallback;
import com.github.dockerjava.api.model.Frame;
import com.github.dockerjava.api.model.StreamType;
import dev.berth.server.container.LogStream;
import dev.berth.server.log.LogSink;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A container's output, frame by frame into a sink, on docker-java's thread. */
final class DockerLog extends ResultCallback.Adapter<Frame> implements LogStream {
    private final LogSink sink;

    DockerLog(LogSink sink) {
        this.sink = sink;
    }

    /** The same once the engine has answered, so that nothing is written before somebody listens. */
    static DockerLog started(DockerLog log) throws InterruptedException {
        log.awaitStarted();
        return log;
    }

    @Override
    public void onNext(Frame frame) {
        sink.write(
                frame.getStreamType() == StreamType.STDERR ? LogSink.Stream.ERR : LogSink.Stream.OUT,
                ByteBuffer.wrap(frame.getPayload()));
    }

    @Override
    public boolean awaitEnd(Duration patience) {
        try {
            return awaitCompletion(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void close() {
        try {
            super.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
