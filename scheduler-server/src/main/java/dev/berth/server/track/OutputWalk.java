package dev.berth.server.track;

import dev.berth.server.linux.ErrorNumber;
import dev.berth.server.linux.FileHandle;
import dev.berth.server.linux.SystemCallException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A walk through a job's output that opens the files whose metrics are to be read, by a thread with the rights of the output's
 * owner. What is there is hostile and changes meanwhile: no link is followed, each file is held by a handle from the look at
 * it on, and only regular ones are opened. Directories that are nearer to the output's own come first. For one thread.
 */
final class OutputWalk implements AutoCloseable {
    /** Names that are looked at; more are not worth the time. */
    static final int MAX_NAMES = 20_000;

    /** Files that are opened in one walk. */
    static final int MAX_OPEN = 32;

    private static final int MAX_DIRECTORIES = 2_000;
    private static final int MAX_DEPTH = 16;

    /** Characters of a path; what is longer could be no metric's name. */
    private static final int MAX_PATH = 1_000;

    /** What stands for bytes of a name that are no text. */
    private static final char UNREADABLE = '\ufffd';

    private final Wanted wanted;
    private final Deque<String> directories = new ArrayDeque<>();
    private final List<Opened> opened = new ArrayList<>();
    private int directoryCount = 1;
    private int names;
    private boolean isCut;
    private boolean hasMore;

    /** What tells whether a file has changed. */
    record Stamp(@Nullable Object file, long size, FileTime modified) {
        private static Stamp of(BasicFileAttributes attributes) {
            return new Stamp(attributes.fileKey(), attributes.size(), attributes.lastModifiedTime());
        }
    }

    /**
     * A file that is open for reading.
     *
     * @param stamp as it was before it was opened
     */
    record Opened(OutputSource source, FileChannel channel, Stamp stamp) {}

    /** Decides whether a file is to be read. */
    @FunctionalInterface
    interface Wanted {
        boolean isWanted(OutputSource source, Stamp stamp);
    }

    OutputWalk(Wanted wanted) {
        this.wanted = wanted;
    }

    /** Loads the classes that a walk takes: the owner of an output may not be able to reach them. */
    static void load() throws IOException {
        OutputSource source = new OutputSource(OutputSource.Kind.TABLE, "");
        boolean _ = OutputSource.of("", "rep_0.csv") == null;
        try (FileChannel nothing = FileChannel.open(Path.of("/dev/null"), StandardOpenOption.READ)) {
            Opened _ = new Opened(source, nothing, new Stamp(null, 0, FileTime.fromMillis(0)));
        }
    }

    /** Walks from there on. */
    OutputWalk through(FileHandle output) throws IOException {
        directories.add("");
        for (String next = directories.poll(); next != null && !isOver(); next = directories.poll()) {
            enter(output, "", next);
        }
        return this;
    }

    private boolean isOver() {
        return names >= MAX_NAMES || hasMore;
    }

    /** The files that were opened, in the order of the walk. */
    List<Opened> opened() {
        return opened;
    }

    /** How many names were looked at. */
    int names() {
        return names;
    }

    /** Whether there were more names than are looked at. */
    boolean isCut() {
        return isCut;
    }

    /** Whether there were more files to read than are opened. */
    boolean hasMore() {
        return hasMore;
    }

    /** Steps down to a directory, which may be another one by now than that which was seen. */
    private void enter(FileHandle at, String path, String rest) throws IOException {
        if (rest.isEmpty()) {
            list(at, path);
            return;
        }
        int slash = rest.indexOf('/');
        String name = slash < 0 ? rest : rest.substring(0, slash);
        try (FileHandle inner = at.child(name)) {
            enter(inner, path + name + "/", slash < 0 ? "" : rest.substring(slash + 1));
        } catch (AccessDeniedException | NoSuchFileException | NotDirectoryException e) {
            // It went meanwhile, or is closed to its owner.
        }
    }

    private void list(FileHandle directory, String prefix) throws IOException {
        if (!attributes(directory).isDirectory()) {
            return;
        }
        SortedSet<String> files = new TreeSet<>();
        SortedSet<String> inner = new TreeSet<>();
        boolean isDeepest = prefix.chars().filter(letter -> letter == '/').count() >= MAX_DEPTH;
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory.path())) {
            for (Path entry : entries) {
                if (names >= MAX_NAMES) {
                    isCut = true;
                    break;
                }
                names++;
                String name = String.valueOf(entry.getFileName());
                if (prefix.length() + name.length() > MAX_PATH || name.indexOf(UNREADABLE) >= 0) {
                    continue;
                }
                if (OutputSource.of(prefix, name) != null) {
                    files.add(name);
                } else if (!isDeepest && Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) {
                    inner.add(name);
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        for (String name : files) {
            open(directory, prefix, name);
        }
        for (String name : inner) {
            if (directoryCount >= MAX_DIRECTORIES) {
                isCut = true;
                return;
            }
            directoryCount++;
            directories.add(prefix + name);
        }
    }

    private void open(FileHandle directory, String prefix, String name) throws IOException {
        OutputSource source = OutputSource.of(prefix, name);
        try (FileHandle file = directory.child(name)) {
            BasicFileAttributes attributes = attributes(file);
            Stamp stamp = Stamp.of(attributes);
            if (source == null || !attributes.isRegularFile() || !wanted.isWanted(source, stamp)) {
                return;
            }
            if (opened.size() >= MAX_OPEN) {
                hasMore = true;
                return;
            }
            FileChannel channel = file.openAtOnce();
            opened.add(new Opened(source, channel, stamp));
        } catch (AccessDeniedException | NoSuchFileException e) {
            // It went meanwhile, or is closed to its owner.
        } catch (SystemCallException e) {
            if (e.error() != ErrorNumber.EAGAIN) {
                throw e;
            }
            // A process has a lease on it; it is tried again at the next look.
        }
    }

    private static BasicFileAttributes attributes(FileHandle file) throws IOException {
        return Files.readAttributes(file.path(), BasicFileAttributes.class);
    }

    @Override
    public void close() throws IOException {
        for (Opened file : opened) {
            file.channel().close();
        }
    }
}
