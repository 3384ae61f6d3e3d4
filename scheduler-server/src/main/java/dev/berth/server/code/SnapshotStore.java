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
import org.jspecify.annotations.Nullable;

/** The uploaded directories, each a tar archive under the digest of its bytes. Safe for any thread. */
public final class SnapshotStore {
    private static final Pattern DIGEST = Pattern.compile("[0-9a-f]{64}");

    /** What an archive may take beyond the bytes of its files: headers and padding. */
    private static final long MAX_ARCHIVE_BYTES = SnapshotEntries.MAX_BYTES + SnapshotEntries.MAX_ENTRIES * 2_048L;

    private final Path directory;
    private final long maxArchiveBytes;

    public SnapshotStore(Path directory) {
        this(directory, MAX_ARCHIVE_BYTES);
    }

    SnapshotStore(Path directory, long maxArchiveBytes) {
        this.directory = directory;
        this.maxArchiveBytes = maxArchiveBytes;
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
                read(new ArchiveInput(archive, out, maxArchiveBytes), entries);
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

    private static void read(ArchiveInput in, SnapshotEntries entries) throws IOException, SnapshotException {
        TarArchiveInputStream tar = new TarArchiveInputStream(in, "UTF-8");
        try {
            for (TarArchiveEntry entry = next(tar, in); entry != null; entry = next(tar, in)) {
                entries.accept(entry);
                tar.transferTo(OutputStream.nullOutputStream());
            }
            if (!in.sawEnd()) {
                throw SnapshotException.malformed("the upload is not a whole tar archive: its end is missing");
            }
            entries.finish();
            in.transferTo(OutputStream.nullOutputStream());
        } catch (ArchiveInput.TooLong e) {
            throw SnapshotException.tooLarge("the upload is larger than " + (e.limit() >> 20) + " MiB");
        } catch (ArchiveInput.NotKept e) {
            throw e.reason();
        } catch (IOException | IllegalArgumentException e) {
            throw SnapshotException.malformed("the upload is not a whole tar archive: " + e.getMessage());
        }
    }

    private static @Nullable TarArchiveEntry next(TarArchiveInputStream tar, ArchiveInput in) throws IOException {
        in.beginHeader();
        TarArchiveEntry entry = tar.getNextEntry();
        in.endHeader();
        return entry;
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
}
