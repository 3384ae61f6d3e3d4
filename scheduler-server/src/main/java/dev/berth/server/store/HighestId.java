package dev.berth.server.store;

import dev.berth.server.store.database.StoreException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The highest job id that was ever assigned, in a file beside the database: one that is brought back from a backup knows
 * an earlier one, and would give the ids of later jobs to others. Written before the commit of a job with that id; on
 * disk now and then, as a database that was not brought back knows its own. For one thread.
 */
final class HighestId implements AutoCloseable {
    private static final String NAME = "highest-job-id";

    /** The digits of the largest number, and the end of the line. */
    private static final int BYTES = 20;

    /** The number of ids after which it is forced to disk. */
    private static final int FORCED = 1_000;

    private final Path path;
    private final FileChannel file;
    private long value;

    private HighestId(Path path, FileChannel file) throws IOException {
        this.path = path;
        this.file = file;
        this.value = read();
    }

    /** Opens it, made where there is none. */
    static HighestId beside(Path database) {
        Path path = database.resolveSibling(NAME);
        try {
            FileChannel file = FileChannel.open(
                    path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
            return new HighestId(path, file);
        } catch (IOException e) {
            throw failed(path, e);
        }
    }

    private static StoreException failed(Path path, IOException cause) {
        return new StoreException(path + ", which has the highest job id, failed: " + cause.getMessage(), cause);
    }

    private long read() throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(BYTES);
        while (bytes.hasRemaining() && file.read(bytes, bytes.position()) >= 0) {}
        String text = StandardCharsets.US_ASCII.decode(bytes.flip()).toString().strip();
        if (!text.matches("\\d{0,19}")) {
            throw new IOException(
                    "it has no number; write the highest id that was given to a job into it, or remove it");
        }
        return text.isEmpty() ? 0 : Long.parseLong(text);
    }

    /** The id, 0 before the first. */
    long value() {
        return value;
    }

    /** Keeps an id that is to be assigned, where it is higher; the next server finds it also where this one is killed. */
    void raise(long id) {
        if (id <= value) {
            return;
        }
        ByteBuffer bytes = ByteBuffer.wrap("%019d\n".formatted(id).getBytes(StandardCharsets.US_ASCII));
        try {
            while (bytes.hasRemaining()) {
                file.write(bytes, bytes.position());
            }
            if (id / FORCED > value / FORCED) {
                file.force(false);
            }
        } catch (IOException e) {
            throw failed(path, e);
        }
        value = id;
    }

    @Override
    public void close() {
        try (file) {
            if (file.isOpen()) {
                file.force(false);
            }
        } catch (IOException e) {
            throw failed(path, e);
        }
    }
}
