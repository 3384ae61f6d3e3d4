package dev.berth.server.log;

import dev.berth.server.log.AttemptMarks.Mark;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The file that {@link AttemptMarks} are kept in; there is none before a second attempt has begun. */
final class AttemptMarksFile {
    private static final Logger LOG = LoggerFactory.getLogger(AttemptMarksFile.class);

    private static final NumbersFile FILE = new NumbersFile("log-attempts");

    private static final int NUMBERS_A_MARK = 3;

    private AttemptMarksFile() {}

    /**
     * The marks that are kept. Where there are none, as of a log of an older Berth, it is what the engine's copy tells: where
     * the latest attempt begins.
     */
    static AttemptMarks read(Path directory) throws IOException {
        AttemptMarks kept;
        try {
            Optional<ByteBuffer> bytes = FILE.read(directory);
            kept = bytes.isEmpty() ? AttemptMarks.FIRST : of(bytes.get(), directory);
        } catch (IOException e) {
            LOG.warn("where the attempts of a log begin is not known: {}", e.getMessage());
            kept = AttemptMarks.FIRST;
        }
        return kept.with(EngineCopyFile.read(directory));
    }

    private static AttemptMarks of(ByteBuffer bytes, Path directory) throws IOException {
        int numbers = bytes.remaining() / Long.BYTES - 1;
        if (numbers < NUMBERS_A_MARK || numbers % NUMBERS_A_MARK != 0) {
            throw FILE.damaged(directory);
        }
        int since = Math.toIntExact(bytes.getLong());
        List<Mark> marks = new ArrayList<>();
        for (int left = numbers / NUMBERS_A_MARK; left > 0; left--) {
            marks.add(new Mark(Math.toIntExact(bytes.getLong()), bytes.getLong(), bytes.getLong()));
        }
        return new AttemptMarks(since, marks);
    }

    /** On disk when this returns. */
    static void write(Path directory, AttemptMarks kept) throws IOException {
        int numbers = 2 + NUMBERS_A_MARK * kept.marks().size();
        ByteBuffer bytes = ByteBuffer.allocate(numbers * Long.BYTES).putLong(kept.since());
        for (Mark mark : kept.marks()) {
            bytes.putLong(mark.attempt()).putLong(mark.before()).putLong(mark.begin());
        }
        FILE.write(directory, bytes);
    }

    static void delete(Path directory) throws IOException {
        FILE.delete(directory);
    }
}
