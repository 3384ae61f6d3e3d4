package dev.berth.server.code;

import dev.berth.server.linux.FileHandle;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Copies what is in a directory into another one: files, directories, and links as links, over what is there. What is none of these,
 * such as a socket, is left out. It is for threads that have the rights of the owner of both ({@code linux.UserThreads}): whoever
 * rearranges them meanwhile gets no further than that user.
 */
public final class TreeCopy extends SimpleFileVisitor<Path> {
    private static final Set<PosixFilePermission> FILLED = PosixFilePermissions.fromString("rwx------");
    private static final long PART = 1 << 30;

    private final Path from;
    private final Path into;

    /** A copy that is made by {@link #run}; this class is loaded then, which a thread with a user's rights may not be able to. */
    public TreeCopy(FileHandle from, Path into) {
        // What it stands for, and not the link of /proc itself.
        this.from = from.path().resolve(".");
        this.into = into;
    }

    /** Makes it. */
    public void run() throws IOException {
        Files.walkFileTree(from, this);
    }

    private Path target(Path source) {
        return into.resolve(from.relativize(source));
    }

    @Override
    public FileVisitResult preVisitDirectory(Path source, BasicFileAttributes attributes) throws IOException {
        Path target = target(source);
        if (source.equals(from)) {
            return FileVisitResult.CONTINUE;
        }
        if (!Files.isDirectory(target, LinkOption.NOFOLLOW_LINKS)) {
            boolean _ = Files.deleteIfExists(target);
            Files.createDirectory(target);
        }
        Files.setPosixFilePermissions(target, FILLED);
        return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path source, BasicFileAttributes attributes) throws IOException {
        Path target = target(source);
        if (attributes.isSymbolicLink()) {
            boolean _ = Files.deleteIfExists(target);
            Files.createSymbolicLink(target, Files.readSymbolicLink(source));
        } else if (attributes.isRegularFile()) {
            copyFile(source, target);
        }
        return FileVisitResult.CONTINUE;
    }

    /** {@link Files#copy} asks access(2), which goes by the rights of the whole process. */
    private static void copyFile(Path source, Path target) throws IOException {
        boolean _ = Files.deleteIfExists(target);
        try (FileHandle file = FileHandle.of(source)) {
            if (!file.status().isRegular()) {
                return;
            }
            try (FileChannel in = file.openAtOnce();
                    FileChannel out =
                            FileChannel.open(target, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                long done = 0;
                for (long count = 1; count > 0; done += count) {
                    count = in.transferTo(done, PART, out);
                }
            }
        }
        keepTimeAndPermissions(source, target);
    }

    private static void keepTimeAndPermissions(Path source, Path target) throws IOException {
        Files.setLastModifiedTime(target, Files.getLastModifiedTime(source));
        Files.setPosixFilePermissions(target, Files.getPosixFilePermissions(source));
    }

    @Override
    public FileVisitResult postVisitDirectory(Path source, @Nullable IOException failure) throws IOException {
        if (failure != null) {
            throw failure;
        }
        if (!source.equals(from)) {
            keepTimeAndPermissions(source, target(source));
        }
        return FileVisitResult.CONTINUE;
    }
}
