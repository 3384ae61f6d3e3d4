package dev.berth.server.simulation;

import dev.berth.core.api.LogFrame;
import dev.berth.core.job.JobId;
import dev.berth.server.log.LogReader;
import dev.berth.server.log.LogSink.Stream;
import dev.berth.server.log.LogStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What is kept of a job's log, held against what its programs wrote. */
record LogTruth(LogStore logs) {
    private static final int ROOM = 1 << 12;

    void check(JobId job, List<Fate> attempts) {
        for (Stream stream : List.of(Stream.OUT, Stream.ERR)) {
            String kept = read(job, stream == Stream.OUT ? LogFrame.STDOUT : LogFrame.STDERR);
            List<String> possible = possible(attempts, stream, kept);
            Law.WHOLE_LOG.require(
                    possible.contains(kept),
                    () -> "job " + job + " " + stream + " is\n" + kept + "\nand not\n" + possible + "\n" + attempts);
        }
    }

    /** Of a container that somebody took away, or that the engine forgot, the end may be missing; of all others nothing. */
    private static List<String> possible(List<Fate> attempts, Stream stream, String kept) {
        List<String> texts = List.of("");
        for (Fate fate : attempts) {
            String written = fate.written(stream);
            List<String> longer = new ArrayList<>();
            for (String text : texts) {
                for (int end = fate.takenAway || fate.wasForgotten || fate.isCut ? 0 : written.length();
                        end <= written.length();
                        end++) {
                    String whole = text + written.substring(0, end);
                    if (kept.startsWith(whole) || end == written.length()) {
                        longer.add(whole);
                    }
                }
            }
            texts = longer;
        }
        return texts;
    }

    private String read(JobId job, int stream) {
        StringBuilder text = new StringBuilder();
        ByteBuffer room = ByteBuffer.allocate(ROOM);
        try (LogReader reader = logs.reader(job)) {
            for (Optional<LogFrame> piece = reader.piece(room); piece.isPresent(); piece = reader.piece(room)) {
                if (piece.get().stream() == stream) {
                    text.append(new String(room.array(), 0, piece.get().length(), StandardCharsets.UTF_8));
                }
                room.clear();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }
}
