package dev.berth.server.runner.kubernetes;

import dev.berth.core.job.Submitter;
import dev.berth.server.code.Tree;
import dev.berth.server.code.TreeCopy;
import dev.berth.server.linux.FileHandle;
import dev.berth.server.linux.UserThreads;
import dev.berth.server.runner.target.Handed;
import dev.berth.server.runner.target.Snapshot;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * What attempts have on a volume that nodes and this server share: each a directory of the server's own, with the archive that its
 * pod unpacks and a directory of the submitter's for results. No other pod has these mounted.
 *
 * @param volume where this machine sees it
 * @param threads for what is the submitter's
 */
record VolumePlaces(Path volume, UserThreads threads) {
    /** The name of the directory for results. */
    static final String OUTPUTS = "outputs";

    private static final String PART = SnapshotPlan.ARCHIVE + ".part";
    private static final String OWNER = "unix:uid";

    private Path of(Handed handed) {
        return volume.resolve(handed.name());
    }

    /** Writes the archive of a directory that was submitted; to be read by its submitter alone, where the server may say so. */
    void write(Handed handed, Snapshot snapshot) throws IOException {
        Path place = make(handed);
        Path part = place.resolve(PART);
        try (OutputStream stream =
                Files.newOutputStream(part, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            snapshot.writeTo(stream);
        }
        boolean isTheirs = give(part, handed.owner());
        Files.setPosixFilePermissions(part, PosixFilePermissions.fromString(isTheirs ? "r--------" : "r--r--r--"));
        Files.move(part, place.resolve(SnapshotPlan.ARCHIVE), StandardCopyOption.ATOMIC_MOVE);
    }

    /**
     * Makes the directory for results. There is none where it would not be the submitter's: a server that is not root's, or whom the
     * volume's own server does not take for root, has it for itself alone, and nobody else is to write there.
     *
     * @return whether there is one
     */
    boolean makeOutputs(Handed handed) throws IOException {
        Path outputs = make(handed).resolve(OUTPUTS);
        if (!Files.isDirectory(outputs, LinkOption.NOFOLLOW_LINKS)) {
            Files.createDirectory(outputs);
            Files.setPosixFilePermissions(outputs, PosixFilePermissions.fromString("rwx------"));
        }
        boolean isTheirs = give(outputs, handed.owner());
        if (!isTheirs) {
            Files.delete(outputs);
        }
        return isTheirs;
    }

    /** The name can be guessed: who had made the directory before could put other files there, which the job would run. */
    private Path make(Handed handed) throws IOException {
        Path place = of(handed);
        if (!Files.isDirectory(place, LinkOption.NOFOLLOW_LINKS)) {
            Files.createDirectory(place);
        }
        Path own = place.resolve(PART);
        Files.deleteIfExists(own);
        Files.createFile(own);
        boolean isOwn = owner(place) == owner(own);
        Files.delete(own);
        if (!isOwn) {
            throw new IOException(place + " belongs to somebody else");
        }
        Files.setPosixFilePermissions(place, PosixFilePermissions.fromString("rwx--x--x"));
        return place;
    }

    private static int owner(Path path) throws IOException {
        return (Integer) Files.getAttribute(path, OWNER, LinkOption.NOFOLLOW_LINKS);
    }

    /** Makes it the submitter's, where the server may do so; whether it is. */
    private static boolean give(Path path, Submitter to) throws IOException {
        if (owner(path) == 0) {
            Files.setAttribute(path, OWNER, (int) to.uid(), LinkOption.NOFOLLOW_LINKS);
        }
        return owner(path) == (int) to.uid();
    }

    /** Whether nothing is there of an attempt, as there is from its hand-over until that is removed. */
    boolean lacks(Handed handed) {
        return Files.notExists(of(handed), LinkOption.NOFOLLOW_LINKS);
    }

    /** Whether the volume has nothing at all, as the directory has that it is to be mounted at. */
    boolean isEmpty() throws IOException {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(volume)) {
            return !all.iterator().hasNext();
        }
    }

    /** Copies results, if there are any, into a directory of this machine, with the rights of the submitter, whose that is. */
    void fetch(Handed handed, Path into) throws IOException {
        Path outputs = of(handed).resolve(OUTPUTS);
        if (Files.notExists(outputs, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        // By a handle: where the volume is mounted, users need not get to.
        try (FileHandle from = FileHandle.of(outputs)) {
            TreeCopy copy = new TreeCopy(from, into);
            boolean _ = threads.call(handed.owner(), () -> {
                copy.run();
                return true;
            });
        }
    }

    /** Removes all that is there of an attempt. */
    void remove(Handed handed) throws IOException {
        Path place = of(handed);
        Tree.delete(place, OUTPUTS);
        Files.deleteIfExists(place.resolve(PART));
        Files.deleteIfExists(place.resolve(SnapshotPlan.ARCHIVE));
        Files.deleteIfExists(place);
    }
}
