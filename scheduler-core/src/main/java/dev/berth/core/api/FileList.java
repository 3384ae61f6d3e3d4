package dev.berth.core.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is in a directory of a job's output.
 *
 * @param path of the directory below the output directory, empty for that itself
 * @param files by their names
 * @param more whether there are more than these
 */
public record FileList(String path, List<FileView> files, boolean more) {
    public FileList {
        files = List.copyOf(files);
    }

    /**
     * A file, directory or symbolic link.
     *
     * @param type {@code file}, {@code directory} or {@code link}
     * @param bytes its size, null for what is no file
     * @param changedAt when it was changed last
     */
    public record FileView(
            String name, String type, @Nullable Long bytes, String changedAt) {}
}
