package dev.berth.server.code;

import dev.berth.core.api.SnapshotView;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;

/** The uploaded directories, each a tar archive under the digest of its bytes. Safe for any thread. */
public final class SnapshotStore {
    private static final Pattern DIGEST = Pattern.compile("[0-9a-f]{64}");

    /** What an archive may take beyond the bytes of its files: headers and padding. */
    private static final long MAX_ARCHIVE_BYTES = SnapshotEntries.MAX_BYTES + SnapshotEntries.MAX_ENTRIES * 2_048L;

    private final Path directory;

    public SnapshotStore(Path directory) {
        this.directory = directory;
    }

    /** Whether there is a snapshot of that digest. */
    public boolean holds(String digest) {
        return DIGEST.matcher(digest).matches() && Files.isRegularFile(file(digest));
    }

    Path file(String digest) {
        return directory.resolve(digest + ".tar");
    }

    /**
     * Keeps an archive, durably, once all of it was read and found harmless. What is refused leaves nothing behind.
     *
     * @throws SnapshotException where it is malformed, too large, or holds what has no business in a snapshot
     */
    public SnapshotView keep(InputStream archive) throws IOException, SnapshotException {
        Path partial = Files.createTempFile(directory, "upload-", ".partial");
        try {
            MessageDigest digest = sha256();
            SnapshotEntries entries = new SnapshotEntries();
            try (FileChannel channel = FileChannel.open(partial, StandardOpenOption.WRITE)) {
                OutputStream out = new BufferedOutputStream(
                        new DigestOutputStream(Channels.newOutputStream(channel), digest), 1 << 16);
                read(new Copying(archive, out, MAX_ARCHIVE_BYTES), entries);
                out.flush();
                channel.force(true);
            }
            String name = HexFormat.of().formatHex(digest.digest());
            publish(partial, file(name));
            return new SnapshotView(name, entries.files(), entries.bytes());
        } finally {
            Files.deleteIfExists(partial);
        }
    }

    private static void read(InputStream in, SnapshotEntries entries) throws IOException, SnapshotException {
        TarArchiveInputStream tar = new TarArchiveInputStream(in, "UTF-8");
        try {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                entries.accept(entry);
                tar.transferTo(OutputStream.nullOutputStream());
            }
            in.transferTo(OutputStream.nullOutputStream());
        } catch (UploadTooLarge e) {
            throw SnapshotException.tooLarge("the upload is larger than " + (MAX_ARCHIVE_BYTES >> 20) + " MiB");
        } catch (IOException | IllegalArgumentException e) {
            throw SnapshotException.malformed("the upload is not a whole tar archive: " + e.getMessage());
        }
    }

    private void publish(Path partial, Path target) throws IOException {
        try {
            Files.move(partial, target, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException e) {
            throw new IOException("the data directory spans file systems", e);
        }
        try (FileChannel entry = FileChannel.open(directory, StandardOpenOption.READ)) {
            entry.force(true);
        }
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    private static final class UploadTooLarge extends IOException {
        private static final long serialVersionUID = 1L;
    }

    /** Copies what is read through it, up to a limit. */
    private static final class Copying extends InputStream {
        private final InputStream in;
        private final OutputStream copy;
        private long left;

        Copying(InputStream in, OutputStream copy, long limit) {
            this.in = in;
            this.copy = copy;
            this.left = limit;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            int count = in.read(bytes, offset, length);
            if (count > 0) {
                left -= count;
                if (left < 0) {
                    throw new UploadTooLarge();
                }
                copy.write(bytes, offset, count);
            }
            return count;
        }
    }
}
