package dev.berth.server.code;

import dev.berth.server.linux.FileHandle;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What is in a directory that a job wrote: names, sizes and times, and no content. Links are listed and never followed; what is
 * neither file, directory nor link is left out, as is what the thread may not look at.
 *
 * @param entries in no order
 * @param more whether there are more than these
 */
public record OutputList(List<Entry> entries, boolean more) {
    /** As many are listed of one directory. */
    static final int MAX_ENTRIES = 2_000;

    public OutputList {
        entries = List.copyOf(entries);
    }

    /** The kind of an entry. */
    public enum Type {
        FILE,
        DIRECTORY,
        LINK
    }

    /**
     * A file, directory or link.
     *
     * @param name in it, one part of a path
     * @param bytes null for what is no file
     */
    public record Entry(String name, Type type, @Nullable Long bytes, Instant changedAt) {}

    /** Loads all that listing takes: who has its owner's rights may not reach the server's files. */
    static void load() {
        Entry entry = new Entry("", Type.FILE, null, Instant.EPOCH);
        OutputList _ = new OutputList(List.of(entry), false);
    }

    /**
     * Lists the directory at a path below another; empty where there is none, or it may not be read.
     *
     * @param path relative and clean; empty for the directory itself
     */
    static Optional<OutputList> of(FileHandle directory, Path path) throws IOException {
        if (path.toString().isEmpty()) {
            return list(directory);
        }
        return OutputTar.within(directory, path, OutputList::below).flatMap(found -> found);
    }

    private static Optional<OutputList> below(FileHandle parent, Path name) throws IOException {
        try (FileHandle found = parent.child(name)) {
            return found.status().isDirectory() ? list(found) : Optional.empty();
        } catch (NoSuchFileException | NotDirectoryException | AccessDeniedException e) {
            return Optional.empty();
        }
    }

    private static Optional<OutputList> list(FileHandle directory) throws IOException {
        List<Entry> entries = new ArrayList<>();
        try (DirectoryStream<Path> names = Files.newDirectoryStream(directory.path())) {
            for (Path each : names) {
                if (entries.size() == MAX_ENTRIES) {
                    return Optional.of(new OutputList(entries, true));
                }
                Entry entry = entry(directory, each.getFileName());
                if (entry != null) {
                    entries.add(entry);
                }
            }
            return Optional.of(new OutputList(entries, false));
        } catch (AccessDeniedException e) {
            return Optional.empty();
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
    }

    private static @Nullable Entry entry(FileHandle directory, Path name) throws IOException {
        try (FileHandle file = directory.child(name)) {
            PosixFileAttributes attributes = Files.readAttributes(file.path(), PosixFileAttributes.class);
            Type type = attributes.isRegularFile()
                    ? Type.FILE
                    : attributes.isDirectory() ? Type.DIRECTORY : attributes.isSymbolicLink() ? Type.LINK : null;
            Instant changedAt = attributes.lastModifiedTime().toInstant();
            return type == null
                    ? null
                    : new Entry(name.toString(), type, type == Type.FILE ? attributes.size() : null, changedAt);
        } catch (NoSuchFileException | NotDirectoryException | AccessDeniedException e) {
            // It went meanwhile, or may not be looked at.
            return null;
        }
    }
}
