package dev.berth.cli.client;

import dev.berth.core.api.LogFrame;
import java.io.IOException;
import java.util.function.Consumer;

/** The progress of copying a log, over several answers of the server. For one thread. */
final class LogCopy {
    private final BerthClient client;
    private final long id;
    private final JobFollower.LogSink sink;
    private final Consumer<String> notices;
    private LogPart part;
    private long offset;

    LogCopy(BerthClient client, long id, LogPart part, JobFollower.LogSink sink, Consumer<String> notices) {
        this.client = client;
        this.id = id;
        this.part = part;
        this.sink = sink;
        this.notices = notices;
    }

    /** Goes on where it is, to the end of one answer. */
    void go(boolean follow, Backoff backoff) throws IOException {
        try (FramedLog log = client.log(id, offset, follow, part)) {
            backoff.connected();
            offset = Math.max(offset, log.begin());
            sayWhatIsGone(log);
            // From here on it is known where the part begins: by now the last lines may be others.
            part = part.begun();
            offset = Math.max(offset, log.offset());
            for (LogFrame frame = log.next(); frame != null; frame = log.next()) {
                backoff.reset();
                sink.take(frame, log.piece());
                offset = frame.end();
            }
        }
    }

    private void sayWhatIsGone(FramedLog log) {
        if (part.isFromTheBeginning() && log.start() > offset) {
            notices.accept(
                    offset == log.begin()
                            ? "the first " + (log.start() - offset) + " bytes are no longer kept"
                            : "the bytes from " + offset + " to " + log.start() + " are no longer kept");
        }
    }
}
