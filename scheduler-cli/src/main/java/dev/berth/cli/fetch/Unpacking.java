package dev.berth.cli.fetch;

import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Unpacks an archive that nobody vouches for: a job's program made its names and links. Nothing is written outside of
 * the directory or through a link, and nothing that is there is replaced unless that is wanted. Links that would lead
 * out, and what is neither file nor directory nor link, are left out and named. For one thread, once.
 */
public final class Unpacking {
    private static final int MAX_ENTRIES = 10_000_000;
    private static final int BUFFER_BYTES = 64 * 1024;
    private static final int OWNER_MAY_USE = 0600;

    private final Path directory;
    private final boolean chosen;
    private final boolean replace;
    private @Nullable String unread;
    private final List<String> leftOut = new ArrayList<>();
    private long leftOutCount;
    private long files;
    private long bytes;

    /**
     * @param directory where to; it is made where it is not there
     * @param chosen whether the user named it: another's directory, or a link, is not taken without that
     * @param replace whether files that are there may be replaced
     */
    public Unpacking(Path directory, boolean chosen, boolean replace) {
        this.directory = directory;
        this.chosen = chosen;
        this.replace = replace;
    }

    /** The number of files and links that there are now. */
    public long files() {
        return files;
    }

    /** The number of bytes that the files have. */
    public long bytes() {
        return bytes;
    }

    /** The names that were left out, as the end of a sentence; null for nothing. */
    public @Nullable String leftOut() {
        if (leftOutCount == 0) {
            return null;
        }
        long more = leftOutCount - leftOut.size();
        return String.join(", ", leftOut) + (more == 0 ? "" : " and " + more + " more");
    }

    /**
     * The names that the job's owner may not read, so that the server left it out, as the end of a sentence; null for
     * nothing.
     */
    public @Nullable String unread() {
        return unread;
    }

    /** Unpacks it; an {@link IOException} is the stream's, everything else a {@link Failure}. */
    public void of(InputStream archive) throws IOException {
        TarInput tar = new TarInput(archive);
        try (HeldDirectory top = top()) {
            int entries = 0;
            for (TarEntry entry = tar.next(); entry != null; entry = tar.next()) {
                if (++entries > MAX_ENTRIES) {
                    throw Failure.badAnswer("the archive of the output has more than " + MAX_ENTRIES + " members");
                }
                List<String> steps = steps(entry.name());
                if (tar.leftOut() != null) {
                    unread = tar.leftOut();
                } else if (!steps.isEmpty()) {
                    unpack(entry, steps, tar, top);
                }
            }
        }
    }

    /**
     * The directory, held from here on: a user who may write beside it can put something else in its place, and that
     * is not unpacked to.
     */
    private HeldDirectory top() {
        makeDirectories(directory);
        HeldDirectory top;
        try {
            top = chosen ? HeldDirectory.followed(directory) : HeldDirectory.unfollowed(directory);
        } catch (NotDirectoryException link) {
            throw inTheWay(directory, "is there and no directory of its own; remove it, or unpack elsewhere by -o DIR");
        } catch (IOException failed) {
            throw unwritten(directory, failed);
        }
        try {
            if (!chosen && !top.isOwn()) {
                throw inTheWay(directory, "is there and belongs to another user; unpack elsewhere by -o DIR");
            }
            return top;
        } catch (IOException | RuntimeException failed) {
            top.close();
            throw failed instanceof RuntimeException refusal ? refusal : unwritten(directory, failed);
        }
    }

    private void unpack(TarEntry entry, List<String> steps, TarInput tar, HeldDirectory top) throws IOException {
        boolean isDirectory = entry.type() == TarEntry.DIRECTORY;
        HeldDirectory folder = folder(top, isDirectory ? steps : steps.subList(0, steps.size() - 1));
        try {
            switch (entry.type()) {
                case TarEntry.DIRECTORY -> {}
                case TarEntry.FILE -> {
                    write(place(folder, steps), entry.mode(), tar);
                    files++;
                }
                case TarEntry.LINK -> {
                    if (leadsOut(entry.link(), steps.size() - 1)) {
                        leaveOut(entry.name() + " -> " + entry.link());
                    } else {
                        link(place(folder, steps), entry.link());
                        files++;
                    }
                }
                default -> leaveOut(entry.name() + " (neither file nor directory nor link)");
            }
        } finally {
            close(folder, top);
        }
    }

    private static void close(HeldDirectory folder, HeldDirectory top) {
        if (folder != top) {
            folder.close();
        }
    }

    private void leaveOut(String what) {
        leftOutCount++;
        if (leftOut.size() < 3) {
            leftOut.add(what);
        }
    }

    /** The names on the way to a member, none for the directory itself. */
    private static List<String> steps(String name) {
        if (name.startsWith("/") || name.indexOf(0) >= 0) {
            throw Failure.badAnswer("the archive of the output names '" + name + "', which is no relative path");
        }
        List<String> steps = new ArrayList<>();
        for (String step : name.split("/", -1)) {
            if (step.equals("..")) {
                throw Failure.badAnswer("the archive of the output names '" + name + "', which leads out of it");
            }
            if (!step.isEmpty() && !step.equals(".")) {
                steps.add(step);
            }
        }
        return steps;
    }

    /**
     * Real directories all the way, each held, so that nothing is written through a link; to be closed unless the top.
     */
    private HeldDirectory folder(HeldDirectory top, List<String> steps) {
        HeldDirectory folder = top;
        Path shown = directory;
        for (String step : steps) {
            shown = resolved(shown, step);
            HeldDirectory outer = folder;
            try {
                folder = enter(outer, step, shown);
            } finally {
                close(outer, top);
            }
        }
        return folder;
    }

    private static HeldDirectory enter(HeldDirectory outer, String step, Path shown) {
        try {
            return outer.child(step);
        } catch (NoSuchFileException missing) {
            makeDirectory(outer.path().resolve(step), shown);
        } catch (IOException other) {
            throw noDirectory(shown);
        }
        try {
            return outer.child(step);
        } catch (IOException replaced) {
            throw noDirectory(shown);
        }
    }

    private static Failure noDirectory(Path shown) {
        return inTheWay(shown, "is there and no directory; remove it, or unpack elsewhere by -o DIR");
    }

    /** The place where a file or link is to be made, and how that is called to people. */
    private record Place(Path path, Path shown) {}

    /** The place where a file or link is to be, free to be made there. */
    private Place place(HeldDirectory folder, List<String> steps) {
        Path shown = directory;
        for (String step : steps) {
            shown = resolved(shown, step);
        }
        Place place = new Place(resolved(folder.path(), steps.getLast()), shown);
        if (!Files.exists(place.path(), LinkOption.NOFOLLOW_LINKS)) {
            return place;
        }
        if (Files.isDirectory(place.path(), LinkOption.NOFOLLOW_LINKS)) {
            throw inTheWay(shown, "is there and a directory; remove it, or unpack elsewhere by -o DIR");
        }
        if (!replace) {
            throw inTheWay(shown, "is there already; --force replaces it, -o DIR unpacks elsewhere");
        }
        try {
            Files.delete(place.path());
        } catch (IOException kept) {
            throw unwritten(shown, kept);
        }
        return place;
    }

    private static Path resolved(Path folder, String step) {
        try {
            return folder.resolve(step);
        } catch (InvalidPathException impossible) {
            throw Failure.badAnswer("the archive of the output names '" + step + "', which is no file name here");
        }
    }

    /**
     * Whether a link leads out of the directory, wherever the links on its way lead: it may go up only at its
     * beginning, from the real directory that it lies in, and not further than to the top.
     */
    private static boolean leadsOut(String target, int depth) {
        if (target.isEmpty() || target.startsWith("/") || target.indexOf(0) >= 0) {
            return true;
        }
        int up = 0;
        boolean down = false;
        for (String step : target.split("/", -1)) {
            if (step.equals("..")) {
                up++;
                if (down || up > depth) {
                    return true;
                }
            } else {
                down |= !step.isEmpty() && !step.equals(".");
            }
        }
        return false;
    }

    private static void link(Place place, String target) {
        try {
            Files.createSymbolicLink(place.path(), Path.of(target));
        } catch (IOException | InvalidPathException failed) {
            throw unwritten(place.shown(), failed);
        }
    }

    private void write(Place file, int mode, TarInput tar) throws IOException {
        byte[] buffer = new byte[BUFFER_BYTES];
        boolean whole = false;
        try (WritableByteChannel out = open(file, mode)) {
            for (int count = tar.read(buffer); count >= 0; count = tar.read(buffer)) {
                put(out, buffer, count, file.shown());
                bytes += count;
            }
            whole = true;
        } finally {
            if (!whole) {
                // Half a file would be taken for a whole one.
                Files.deleteIfExists(file.path());
            }
        }
    }

    private static WritableByteChannel open(Place file, int mode) {
        try {
            return Files.newByteChannel(
                    file.path(),
                    Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                    PosixFilePermissions.asFileAttribute(permissions(mode | OWNER_MAY_USE)));
        } catch (IOException failed) {
            throw unwritten(file.shown(), failed);
        }
    }

    private static void put(WritableByteChannel out, byte[] buffer, int count, Path file) {
        try {
            ByteBuffer piece = ByteBuffer.wrap(buffer, 0, count);
            while (piece.hasRemaining()) {
                out.write(piece);
            }
        } catch (IOException failed) {
            throw unwritten(file, failed);
        }
    }

    /** The nine bits for owner, group and others, from the highest one on. */
    private static Set<PosixFilePermission> permissions(int mode) {
        Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
        int bit = 0400;
        for (PosixFilePermission permission : PosixFilePermission.values()) {
            if ((mode & bit) != 0) {
                permissions.add(permission);
            }
            bit >>= 1;
        }
        return permissions;
    }

    private static void makeDirectory(Path folder, Path shown) {
        try {
            Files.createDirectory(folder);
        } catch (IOException failed) {
            throw unwritten(shown, failed);
        }
    }

    private static void makeDirectories(Path folder) {
        try {
            Files.createDirectories(folder);
        } catch (IOException failed) {
            throw unwritten(folder, failed);
        }
    }

    private static Failure inTheWay(Path place, String sentence) {
        return Failure.of(ExitCode.REFUSED, "IN_THE_WAY", "'" + place + "' " + sentence);
    }

    private static Failure unwritten(Path place, Exception why) {
        return Failure.berth(
                "NOT_WRITTEN",
                "'" + place + "' cannot be written (" + why.getMessage()
                        + "); make room for it, or unpack elsewhere by -o" + " DIR");
    }
}
