package dev.berth.server.code;

import dev.berth.server.disk.DurableFiles;
import dev.berth.server.disk.DurableFiles.Stamp;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/**
 * The snapshots of one user: contents by digest, the manifests that are complete, those that still wait for contents,
 * and files that are being received. Safe for any thread: whatever looks and then changes holds the lock, so that
 * nothing is swept between the moment when an upload finds it and the moment when the upload's manifest names it.
 */
final class UserSnapshots {
    /** The time for which what nobody refers to stays, from when it was last asked for. */
    static final Duration GRACE = Duration.ofHours(1);

    /** The bytes that a file takes at least on a disk; without it a million empty files would count as nothing. */
    private static final long BLOCK_BYTES = 4_096;

    private static final int PREFIX = 2;
    private static final long UNKNOWN = -1;

    private final Path home;
    private final UploadLimits limits;
    private final InstantSource clock;
    private final ReentrantLock lock = new ReentrantLock();
    private long used = UNKNOWN;

    UserSnapshots(Path home, UploadLimits limits, InstantSource clock) {
        this.home = home;
        this.limits = limits;
        this.clock = clock;
    }

    Path contents() {
        return home.resolve("content");
    }

    Path manifests() {
        return home.resolve("manifest");
    }

    Path wantings() {
        return home.resolve("wanted");
    }

    Path partials() {
        return home.resolve("partial");
    }

    Path content(String digest) {
        return contents().resolve(digest.substring(0, PREFIX)).resolve(digest.substring(PREFIX));
    }

    Path manifest(String id) {
        return manifests().resolve(id);
    }

    /** A manifest that waits for contents. */
    Path wanted(String id) {
        return wantings().resolve(id);
    }

    /** A fresh file to receive something in. */
    Path partial() throws IOException {
        for (Path directory : new Path[] {home, contents(), manifests(), wantings(), partials()}) {
            DurableFiles.makeDirectory(directory);
        }
        return Files.createTempFile(partials(), "upload-", ".partial");
    }

    /** Whether a complete snapshot is there; it then stays for the grace at least. */
    boolean holds(String id) throws IOException {
        lock.lock();
        try {
            Optional<Stamp> stamp = DurableFiles.stamp(manifest(id));
            if (stamp.isPresent()) {
                DurableFiles.touch(manifest(id), clock.instant());
            }
            return stamp.isPresent();
        } finally {
            lock.unlock();
        }
    }

    /** The contents that a manifest names and the user does not have. */
    Missing missing(Path manifest) throws IOException, SnapshotException {
        List<NamedContent> named = NamedContent.of(manifest, _ -> {});
        lock.lock();
        try {
            return look(named);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Keeps a manifest that breaks no rule: for good if all contents are there, else until they are.
     *
     * @param file where it is now
     * @param rules see each entry before anything is made of it
     * @return what is missing
     */
    Missing settle(String id, Path file, ManifestRules rules) throws IOException, SnapshotException {
        // Outside of the lock: nobody writes a manifest again, and what it names is looked at inside.
        List<NamedContent> named = NamedContent.of(file, rules::accept);
        rules.finish();
        lock.lock();
        try {
            Missing missing = look(named);
            Path place = missing.isNone() ? manifest(id) : wanted(id);
            boolean isNew = DurableFiles.stamp(place).isEmpty();
            boolean takesRoom = isNew && !file.equals(wanted(id));
            requireRoom(missing.onDisk() + (takesRoom ? onDisk(Files.size(file)) : 0));
            if (isNew && missing.isNone()) {
                missing.forceFound(contents());
            }
            if (isNew) {
                DurableFiles.forceFile(file);
                DurableFiles.move(file, place);
                DurableFiles.forceDirectory(parent(place));
                used += takesRoom ? onDisk(Files.size(place)) : 0;
            }
            DurableFiles.touch(place, clock.instant());
            if (missing.isNone() && DurableFiles.stamp(wanted(id)).isPresent()) {
                used -= onDisk(Files.size(wanted(id)));
                Files.delete(wanted(id));
            }
            return missing;
        } finally {
            lock.unlock();
        }
    }

    /** Takes a verified content in; no matter if it is there already. */
    void adopt(Path partial, String digest, long size) throws IOException, SnapshotException {
        lock.lock();
        try {
            Path place = content(digest);
            if (DurableFiles.stamp(place).isEmpty()) {
                requireRoom(onDisk(size));
                DurableFiles.makeDirectory(contents().resolve(digest.substring(0, PREFIX)));
                DurableFiles.touch(partial, clock.instant());
                DurableFiles.move(partial, place);
                used += onDisk(size);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Removes a file that nobody has asked for since {@code before} and that nobody needs.
     *
     * @return how much room that makes, 0 where it stays
     */
    long removeOld(Path file, Instant before, Needed needed) throws IOException {
        lock.lock();
        try {
            Optional<Stamp> stamp = DurableFiles.stamp(file);
            if (stamp.isEmpty() || !stamp.get().modified().isBefore(before) || needed.isNeeded()) {
                return 0;
            }
            long size = onDisk(stamp.get().size());
            Files.delete(file);
            if (used != UNKNOWN && !file.startsWith(partials())) {
                used -= size;
            }
            return size;
        } finally {
            lock.unlock();
        }
    }

    /** Asked last of all, as asking may take a while. */
    @FunctionalInterface
    interface Needed {
        boolean isNeeded();
    }

    private void requireRoom(long needed) throws IOException, SnapshotException {
        if (used == UNKNOWN) {
            used = measured(contents()) + measured(manifests()) + measured(wantings());
        }
        if (needed > limits.quotaBytes() - used) {
            throw SnapshotException.overQuota(needed, used, limits.quotaBytes());
        }
    }

    private static long measured(Path directory) throws IOException {
        long sum = 0;
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                sum += Files.isDirectory(file) ? 0 : onDisk(Files.size(file));
            }
        }
        return sum;
    }

    /** The bytes that a file of that size takes on a disk. */
    static long onDisk(long size) {
        return Math.max(BLOCK_BYTES, (size + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES);
    }

    /** Looks for contents; those that are found stay for the grace. */
    private Missing look(List<NamedContent> named) throws IOException, SnapshotException {
        Missing missing = new Missing();
        for (NamedContent content : named) {
            look(missing, content.digest(), content.size());
        }
        return missing;
    }

    private void look(Missing missing, String digest, long size) throws IOException, SnapshotException {
        Path place = content(digest);
        Optional<Stamp> stamp = DurableFiles.stamp(place);
        if (stamp.isEmpty()) {
            missing.add(digest, size);
            return;
        }
        if (size != Missing.ANY_SIZE && stamp.get().size() != size) {
            throw SnapshotException.malformed("the manifest gives content " + digest + " the size " + size
                    + ", but it has " + stamp.get().size() + " bytes");
        }
        missing.found(digest);
        Instant now = clock.instant();
        if (stamp.get().modified().isBefore(now.minus(GRACE.dividedBy(2)))) {
            DurableFiles.touch(place, now);
        }
    }

    private static Path parent(Path file) {
        return Objects.requireNonNull(file.getParent());
    }
}
