package dev.berth.server.log;

import dev.berth.server.disk.DurableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.zip.CRC32;

/**
 * A small file beside a log: numbers of 8 bytes, the last of them a checksum of the others. A crash leaves the one before
 * or the new one, whole.
 */
record NumbersFile(String name) {
    private String unfinished() {
        return name + ".new";
    }

    /** Its numbers without the checksum; empty where there is no such file. */
    Optional<ByteBuffer> read(Path directory) throws IOException {
        byte[] content;
        try {
            content = Files.readAllBytes(directory.resolve(name));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
        int checked = content.length - Long.BYTES;
        ByteBuffer bytes = ByteBuffer.wrap(content);
        if (content.length % Long.BYTES != 0
                || checked < 0
                || bytes.getLong(checked) != checksum(bytes.slice(0, checked))) {
            throw damaged(directory);
        }
        return Optional.of(bytes.slice(0, checked));
    }

    IOException damaged(Path directory) {
        return new IOException("the file " + directory.resolve(name) + " is damaged");
    }

    /**
     * Writes it; on disk when this returns.
     *
     * @param bytes the numbers up to its position, with room for one more
     */
    void write(Path directory, ByteBuffer bytes) throws IOException {
        bytes.putLong(checksum(bytes.slice(0, bytes.position()))).flip();
        Path unfinished = directory.resolve(unfinished());
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
        DurableFiles.move(unfinished, directory.resolve(name));
        DurableFiles.forceDirectory(directory);
    }

    void delete(Path directory) throws IOException {
        Files.deleteIfExists(directory.resolve(unfinished()));
        Files.deleteIfExists(directory.resolve(name));
    }

    private static long checksum(ByteBuffer bytes) {
        CRC32 checksum = new CRC32();
        checksum.update(bytes);
        return checksum.getValue();
    }
}
