package dev.berth.server.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32;

/**
 * Where in a job's log the latest attempt begins, kept in a file of its own: the container engine replays one attempt,
 * and what earlier ones wrote must not be counted against it. Jobs that are never started again have no such file.
 *
 * @param before what the log held when the attempt began
 * @param epochMillis when that was
 */
record AttemptStart(int attempt, Written before, long epochMillis) {
    static final AttemptStart FIRST = new AttemptStart(1, Written.NOTHING, 0);

    private static final String NAME = "log-attempt";
    private static final String UNFINISHED = "log-attempt.new";
    private static final int CHECKED_BYTES = 5 * Long.BYTES;
    private static final int BYTES = CHECKED_BYTES + Long.BYTES;

    /** The one that is kept; the first attempt's where none is. */
    static AttemptStart read(Path directory) throws IOException {
        byte[] content;
        try {
            content = Files.readAllBytes(directory.resolve(NAME));
        } catch (NoSuchFileException e) {
            return FIRST;
        }
        ByteBuffer bytes = ByteBuffer.wrap(content);
        if (content.length != BYTES || bytes.getLong(CHECKED_BYTES) != checksum(bytes)) {
            throw new IOException("the file " + directory.resolve(NAME) + " is damaged");
        }
        Written before = new Written(bytes.getLong(8), bytes.getLong(16), bytes.getLong(24));
        return new AttemptStart(Math.toIntExact(bytes.getLong(0)), before, bytes.getLong(32));
    }

    /** On disk when this returns. */
    void write(Path directory) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(BYTES)
                .putLong(attempt)
                .putLong(before.out())
                .putLong(before.err())
                .putLong(before.notices())
                .putLong(epochMillis);
        bytes.putLong(checksum(bytes)).clear();
        Path unfinished = directory.resolve(UNFINISHED);
        try (FileChannel file = FileChannel.open(
                unfinished,
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE,
                StandardOpenOption.TRUNCATE_EXISTING)) {
            while (bytes.hasRemaining()) {
                file.write(bytes);
            }
            file.force(true);
        }
        Files.move(unfinished, directory.resolve(NAME), StandardCopyOption.ATOMIC_MOVE);
        try (FileChannel names = FileChannel.open(directory, StandardOpenOption.READ)) {
            names.force(true);
        }
    }

    static void delete(Path directory) throws IOException {
        Files.deleteIfExists(directory.resolve(UNFINISHED));
        Files.deleteIfExists(directory.resolve(NAME));
    }

    private static long checksum(ByteBuffer bytes) {
        CRC32 checksum = new CRC32();
        checksum.update(bytes.slice(0, CHECKED_BYTES));
        return checksum.getValue();
    }
}
