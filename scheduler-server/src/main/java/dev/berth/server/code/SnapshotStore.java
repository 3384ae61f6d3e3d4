package dev.berth.server.code;

import dev.berth.core.api.SnapshotView;
import dev.berth.core.command.SentFiles;
import dev.berth.server.code.ManifestReader.Visitor;
import dev.berth.server.disk.DurableFiles;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.BiPredicate;
import java.util.function.LongConsumer;

/**
 * The submitted directories: each a manifest, and contents by digest that manifests share. Every user has a shelf of
 * their own, so that knowing a digest gives nobody another's content. Safe for any thread.
 */
public final class SnapshotStore {
    /** A big manifest takes tens of megabytes while it is checked. */
    private static final int CHECKED_AT_ONCE = 2;

    /** The bytes that the digest and size of a content take, once among those wanted and once among those that came. */
    private static final long MEMORY_A_CONTENT = 400;

    /** The bytes of a manifest of some two thousand files. */
    private static final long MAX_LOOKED_THROUGH = 256 * 1024;

    private final Path directory;
    private final UploadLimits limits;
    private final InstantSource clock;
    private final Map<Long, UserSnapshots> users = new ConcurrentHashMap<>();
    private final Semaphore checking = new Semaphore(CHECKED_AT_ONCE, true);

    public SnapshotStore(Path directory, UploadLimits limits, InstantSource clock) {
        this.directory = directory;
        this.limits = limits;
        this.clock = clock;
    }

    /** The directory of all snapshots. */
    public Path directory() {
        return directory;
    }

    /** The limits of a snapshot. */
    public UploadLimits limits() {
        return limits;
    }

    private UserSnapshots user(long uid) {
        return users.computeIfAbsent(uid, id -> new UserSnapshots(directory.resolve(Long.toString(id)), limits, clock));
    }

    /** Whether this user has the complete snapshot of that name; it is then not swept for an hour at least. */
    public boolean holds(long uid, String id) {
        try {
            return Digests.isDigest(id) && user(uid).holds(id);
        } catch (IOException e) {
            throw new UncheckedIOException("the snapshots cannot be read", e);
        }
    }

    /** The file that holds the manifest of a complete snapshot. */
    public Path manifest(long uid, String id) {
        return user(uid).manifest(required(id));
    }

    Path content(long uid, String digest) {
        return user(uid).content(required(digest));
    }

    /**
     * Takes a manifest in, once all of it was read and found harmless. What is refused leaves nothing behind.
     *
     * @return with what is missing; where that is nothing, the snapshot is on disk
     * @throws SnapshotException where it is malformed, too large, or holds what has no business in a snapshot
     */
    public SnapshotView keep(long uid, InputStream manifest) throws IOException, SnapshotException {
        UserSnapshots user = user(uid);
        Path partial = user.partial();
        try {
            return settle(user, receive(manifest, partial), partial);
        } finally {
            Files.deleteIfExists(partial);
        }
    }

    /**
     * Takes contents in that a manifest lacks. What was verified stays, also where something behind it is refused.
     *
     * @param id the name that {@link #keep} answered
     * @return with what is still missing
     */
    public SnapshotView fill(long uid, String id, InputStream contents) throws IOException, SnapshotException {
        return fill(uid, id, contents, _ -> {});
    }

    /**
     * Takes contents in, within a bound of memory.
     *
     * @param memory is told how much of it is taken until this returns, and may refuse that
     */
    public SnapshotView fill(long uid, String id, InputStream contents, LongConsumer memory)
            throws IOException, SnapshotException {
        UserSnapshots user = user(uid);
        Map<String, Long> wanted = wanted(user, id);
        memory.accept(MEMORY_A_CONTENT * wanted.size());
        ContentBatch batch = new ContentBatch(user);
        try {
            new ContentStream(contents, wanted).readTo(batch);
        } finally {
            batch.flush();
        }
        return settle(user, id, here(user, id));
    }

    private Map<String, Long> wanted(UserSnapshots user, String id) throws IOException, SnapshotException {
        checking.acquireUninterruptibly();
        try {
            return user.missing(here(user, id)).first(limits.missing());
        } finally {
            checking.release();
        }
    }

    private static Path here(UserSnapshots user, String id) throws IOException, SnapshotException {
        if (Digests.isDigest(id)) {
            for (Path place : new Path[] {user.wanted(id), user.manifest(id)}) {
                if (DurableFiles.stamp(place).isPresent()) {
                    return place;
                }
            }
        }
        throw SnapshotException.invalidContent(
                "snapshot: '" + Names.shown(id) + "' is none that waits for contents; post its manifest first");
    }

    private String receive(InputStream manifest, Path partial) throws IOException, SnapshotException {
        MessageDigest digest = Digests.sha256();
        try (OutputStream out = new DigestOutputStream(Files.newOutputStream(partial), digest)) {
            byte[] buffer = new byte[1 << 16];
            long taken = 0;
            for (int count = manifest.read(buffer); count >= 0; count = manifest.read(buffer)) {
                taken += count;
                if (taken > limits.manifestBytes()) {
                    throw SnapshotException.tooLarge(
                            "its manifest is larger than " + UploadLimits.inWords(limits.manifestBytes()));
                }
                out.write(buffer, 0, count);
            }
        }
        return Digests.inHex(digest);
    }

    private SnapshotView settle(UserSnapshots user, String id, Path file) throws IOException, SnapshotException {
        checking.acquireUninterruptibly();
        try {
            ManifestRules rules = new ManifestRules(limits);
            Missing missing = user.settle(id, file, rules);
            return new SnapshotView(id, rules.files(), rules.bytes(), missing.digests(limits.missing()));
        } finally {
            checking.release();
        }
    }

    /** The state of the directory in git's words, if git said something. */
    public Optional<GitState> git(long uid, String id) throws IOException {
        if (!Digests.isDigest(id)) {
            return Optional.empty();
        }
        try (InputStream in = new BufferedInputStream(Files.newInputStream(manifest(uid, id)));
                ManifestReader reader = ManifestReader.open(in)) {
            return reader.git();
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (SnapshotException e) {
            throw broken(id, e);
        }
    }

    /** The difference that git found, in the form of {@code git diff}, if there was one. */
    public Optional<InputStream> diff(long uid, String id) throws IOException {
        Optional<String> digest = git(uid, id).flatMap(GitState::diffDigest);
        return digest.isEmpty() ? Optional.empty() : Optional.of(Files.newInputStream(content(uid, digest.get())));
    }

    /**
     * The files of a complete snapshot, for who looks for some of them; empty for one with so many that looking takes its
     * time, and for one that cannot be read.
     */
    public Optional<SentFiles> files(long uid, String id) {
        ManifestFiles files = new ManifestFiles();
        try (InputStream in = Files.newInputStream(manifest(uid, id))) {
            if (Files.size(manifest(uid, id)) > MAX_LOOKED_THROUGH) {
                return Optional.empty();
            }
            try (ManifestReader reader = ManifestReader.open(new BufferedInputStream(in))) {
                reader.entries(files::add);
            }
            return Optional.of(files);
        } catch (IOException | SnapshotException unreadable) {
            return Optional.empty();
        }
    }

    /** Shows a complete snapshot's entries, checked again: whatever got into the store is not trusted. */
    void read(long uid, String id, Visitor visitor) throws IOException {
        MessageDigest digest = Digests.sha256();
        ManifestRules rules = new ManifestRules(limits);
        checking.acquireUninterruptibly();
        try (InputStream in = new DigestInputStream(
                        new BufferedInputStream(Files.newInputStream(manifest(uid, id)), 1 << 16), digest);
                ManifestReader reader = ManifestReader.open(in)) {
            reader.entries(rules::accept);
            rules.finish();
            if (!Digests.inHex(digest).equals(id)) {
                throw SnapshotException.malformed("its manifest is not what was uploaded");
            }
        } catch (SnapshotException e) {
            throw broken(id, e);
        } finally {
            checking.release();
        }
        try (InputStream in = new BufferedInputStream(Files.newInputStream(manifest(uid, id)), 1 << 16);
                ManifestReader reader = ManifestReader.open(in)) {
            reader.entries(visitor);
        } catch (SnapshotException e) {
            throw broken(id, e);
        }
    }

    /**
     * Removes what nobody refers to and nobody has asked for in the last hour: snapshots, then contents, then what was
     * being received when a server ended.
     *
     * @param referenced whether a job of that user names that snapshot
     */
    public Swept sweep(BiPredicate<Long, String> referenced, Instant now) throws IOException {
        return new SnapshotSweep(referenced, now.minus(UserSnapshots.GRACE)).all(directory, this::user);
    }

    private static IOException broken(String id, SnapshotException why) {
        return new IOException("the stored snapshot " + id + " is broken: " + why.sentence(), why);
    }

    private static String required(String digest) {
        if (!Digests.isDigest(digest)) {
            throw new IllegalArgumentException("'" + Names.shown(digest) + "' is no digest");
        }
        return digest;
    }
}
