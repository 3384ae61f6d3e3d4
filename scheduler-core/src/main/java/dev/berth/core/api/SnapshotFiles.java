package dev.berth.core.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Files of the directory that a job was submitted with.
 *
 * @param snapshot its name
 * @param next from which place on there are more, null where these are the last
 */
public record SnapshotFiles(
        String snapshot, List<SnapshotFile> files, @Nullable Long next) {
    public SnapshotFiles {
        files = List.copyOf(files);
    }

    /**
     * A file or a symbolic link.
     *
     * @param path below the directory, with slashes
     * @param bytes its size, null for a link
     * @param executable whether its owner may run it
     * @param target where a link leads, null for a file
     */
    public record SnapshotFile(
            String path,
            @Nullable Long bytes,
            boolean executable,
            @Nullable String target) {}
}
