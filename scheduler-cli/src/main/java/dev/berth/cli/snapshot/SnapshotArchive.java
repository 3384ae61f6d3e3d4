package dev.berth.cli.snapshot;

import dev.berth.cli.exit.Failure;
import dev.berth.cli.snapshot.SnapshotEntry.Directory;
import dev.berth.cli.snapshot.SnapshotEntry.RegularFile;
import dev.berth.cli.snapshot.SnapshotEntry.SymbolicLink;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.attribute.FileTime;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;

/**
 * Writes a planned snapshot as a POSIX tar archive: the same plan gives the same bytes. It says nothing about owners,
 * and nothing about the times of directories and links, which change whenever something that is left out does.
 */
public final class SnapshotArchive {
    private static final int BUFFER_BYTES = 64 * 1024;

    private final SnapshotPlan plan;
    private final byte[] buffer = new byte[BUFFER_BYTES];

    public SnapshotArchive(SnapshotPlan plan) {
        this.plan = plan;
    }

    /** Streams the archive; a file that is no longer as it was planned is a {@link Failure}. */
    public void writeTo(OutputStream out) throws IOException {
        @SuppressWarnings("resource") // closing it would close the caller's stream
        TarArchiveOutputStream tar = new TarArchiveOutputStream(out, StandardCharsets.UTF_8.name());
        tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
        tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
        tar.setAddPaxHeadersForNonAsciiNames(true);
        for (SnapshotEntry entry : plan.entries()) {
            tar.putArchiveEntry(header(entry));
            if (entry instanceof RegularFile file) {
                content(file, tar);
            }
            tar.closeArchiveEntry();
        }
        tar.finish();
        tar.flush();
    }

    private static TarArchiveEntry header(SnapshotEntry entry) {
        TarArchiveEntry header = switch (entry) {
            case Directory directory -> new TarArchiveEntry(directory.name() + "/", TarConstants.LF_DIR);
            case SymbolicLink link -> {
                TarArchiveEntry symbolic = new TarArchiveEntry(link.name(), TarConstants.LF_SYMLINK);
                symbolic.setLinkName(link.target());
                yield symbolic;
            }
            case RegularFile file -> {
                TarArchiveEntry regular = new TarArchiveEntry(file.name(), TarConstants.LF_NORMAL);
                regular.setSize(file.size());
                yield regular;
            }
        };
        header.setMode(entry.mode());
        header.setLastModifiedTime(
                FileTime.fromMillis(entry instanceof RegularFile file ? file.modifiedSeconds() * 1000 : 0));
        return header;
    }

    private void content(RegularFile file, OutputStream tar) throws IOException {
        long left = file.size();
        try (InputStream in = open(file)) {
            for (int count = read(file, in); count >= 0; count = read(file, in)) {
                left -= count;
                if (left < 0) {
                    throw changed(file, "it has grown");
                }
                tar.write(buffer, 0, count);
            }
        }
        if (left > 0) {
            throw changed(file, "it has shrunk");
        }
    }

    private static InputStream open(RegularFile file) {
        try {
            return Files.newInputStream(file.path(), LinkOption.NOFOLLOW_LINKS);
        } catch (IOException gone) {
            throw changed(file, "it cannot be read: " + gone);
        }
    }

    private int read(RegularFile file, InputStream in) {
        try {
            return in.read(buffer);
        } catch (IOException broken) {
            throw changed(file, "it cannot be read: " + broken);
        }
    }

    private static Failure changed(RegularFile file, String how) {
        return Failure.usage(file.path() + " changed while the directory was being sent (" + how
                + "); nothing was submitted, try again when it rests");
    }
}
