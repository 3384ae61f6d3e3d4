package dev.berth.server.runner.slurm;

import dev.berth.server.runner.target.Snapshot;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;

/** A directory with files of such names, and a link {@code out}. */
record NamedFiles(List<String> paths) implements Snapshot {
    @Override
    public void writeTo(OutputStream archive) throws IOException {
        TarArchiveOutputStream tar = new TarArchiveOutputStream(archive, "UTF-8");
        tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
        for (String path : paths) {
            TarArchiveEntry entry = new TarArchiveEntry(path);
            entry.setMode(0755);
            entry.setSize(2);
            tar.putArchiveEntry(entry);
            tar.write("x\n".getBytes(StandardCharsets.UTF_8));
            tar.closeArchiveEntry();
        }
        TarArchiveEntry link = new TarArchiveEntry("out", TarConstants.LF_SYMLINK);
        link.setLinkName("/etc/passwd");
        tar.putArchiveEntry(link);
        tar.closeArchiveEntry();
        tar.finish();
    }
}
