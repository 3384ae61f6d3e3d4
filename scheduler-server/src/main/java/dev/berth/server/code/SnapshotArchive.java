package dev.berth.server.code;

import dev.berth.core.api.SnapshotFiles;
import dev.berth.core.api.SnapshotFiles.SnapshotFile;
import dev.berth.core.job.Job;
import dev.berth.server.code.CheckedEntry.Directory;
import dev.berth.server.code.CheckedEntry.RegularFile;
import dev.berth.server.code.CheckedEntry.SymbolicLink;
import dev.berth.server.code.Workspaces.Opening;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;

/**
 * Gives back the directories that jobs were submitted with, as lists and as tar archives, straight from the manifest and the
 * contents that it names: no path of the directory is ever looked up on the disk, and links are told and never followed. Safe
 * for any thread.
 */
public record SnapshotArchive(SnapshotStore snapshots) {
    private static final int OWNER_RUNS = 0100;
    private static final int PERMISSIONS = 0777;

    /**
     * The directory of a job.
     *
     * @param owner the id of its user
     * @param snapshot its name in the store; empty where the job has none
     * @param since when the job was submitted
     */
    public record Submitted(long owner, String snapshot, Instant since) {
        public static Submitted of(Job job) {
            return new Submitted(job.owner().uid(), job.spec().snapshot(), job.submittedAt());
        }
    }

    /**
     * Some files and links of a job's directory, in the order of its manifest.
     *
     * @param from how many of the first are left out
     * @param limit how many at most
     * @return empty where the job has none, or it is gone
     */
    public Optional<SnapshotFiles> list(Submitted directory, long from, int limit) throws IOException {
        if (!isThere(directory)) {
            return Optional.empty();
        }
        List<SnapshotFile> files = new ArrayList<>();
        long[] seen = {0};
        read(directory, entry -> {
            if (entry instanceof Directory) {
                return;
            }
            if (seen[0] >= from && files.size() < limit) {
                files.add(shown(entry));
            }
            seen[0]++;
        });
        long end = from + files.size();
        return Optional.of(
                new SnapshotFiles(directory.snapshot(), files, seen[0] > end && !files.isEmpty() ? (Long) end : null));
    }

    private static SnapshotFile shown(CheckedEntry entry) {
        return switch (entry) {
            case Directory directory -> throw new IllegalArgumentException(directory.path() + " is no file");
            case RegularFile file -> new SnapshotFile(file.path(), file.size(), (file.mode() & OWNER_RUNS) != 0, null);
            case SymbolicLink link -> new SnapshotFile(link.path(), null, false, link.target());
        };
    }

    /**
     * Writes a job's directory as a tar archive, its times those of the submit.
     *
     * @param opening is asked for where it goes once it is known to be there
     * @return false, and nothing written, where the job has none, or it is gone
     */
    public boolean pack(Submitted directory, Opening opening) throws IOException {
        if (!isThere(directory)) {
            return false;
        }
        OutputStream out = opening.open();
        TarArchiveOutputStream tar = OutputTar.stream(out);
        read(directory, entry -> write(directory, entry, tar));
        tar.finish();
        tar.flush();
        out.close();
        return true;
    }

    private void write(Submitted directory, CheckedEntry entry, TarArchiveOutputStream tar) throws IOException {
        switch (entry) {
            case Directory(String path, int mode) -> {
                begin(directory, new TarArchiveEntry(path + "/", TarConstants.LF_DIR), mode, 0, tar);
            }
            case SymbolicLink(String path, String target) -> {
                TarArchiveEntry link = new TarArchiveEntry(path, TarConstants.LF_SYMLINK);
                link.setLinkName(target);
                begin(directory, link, PERMISSIONS, 0, tar);
            }
            case RegularFile(String path, int mode, long size, String digest) -> {
                Path content = snapshots.content(directory.owner(), digest);
                try (InputStream in =
                        Files.newInputStream(content, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
                    begin(directory, new TarArchiveEntry(path, TarConstants.LF_NORMAL), mode, size, tar);
                    // Of another size than its entry says, the archive is broken off.
                    in.transferTo(tar);
                }
            }
        }
        tar.closeArchiveEntry();
    }

    private static void begin(
            Submitted directory, TarArchiveEntry entry, int mode, long size, TarArchiveOutputStream tar)
            throws IOException {
        entry.setSize(size);
        entry.setMode(mode & PERMISSIONS);
        entry.setLastModifiedTime(FileTime.from(directory.since()));
        tar.putArchiveEntry(entry);
    }

    private boolean isThere(Submitted directory) {
        return snapshots.holds(directory.owner(), directory.snapshot());
    }

    private void read(Submitted directory, ManifestReader.Visitor visitor) throws IOException {
        snapshots.read(directory.owner(), directory.snapshot(), visitor);
    }
}
