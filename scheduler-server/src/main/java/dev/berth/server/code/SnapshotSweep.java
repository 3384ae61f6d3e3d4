package dev.berth.server.code;

import dev.berth.server.code.CheckedEntry.RegularFile;
import dev.berth.server.code.UserSnapshots.Needed;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.function.BiPredicate;
import java.util.function.LongFunction;
import java.util.regex.Pattern;

/**
 * Walk through the store that removes what is old and not needed. It does not hold uploads up: what they find, they
 * touch, and what was touched since the walk's beginning stays. Lives on one thread.
 */
final class SnapshotSweep {
    private static final Pattern UID = Pattern.compile("\\d{1,10}");

    private final BiPredicate<Long, String> referenced;
    private final Instant before;
    private final DigestMarks marks = new DigestMarks();

    SnapshotSweep(BiPredicate<Long, String> referenced, Instant before) {
        this.referenced = referenced;
        this.before = before;
    }

    Swept all(Path directory, LongFunction<UserSnapshots> users) throws IOException {
        Swept swept = Swept.NOTHING;
        try (DirectoryStream<Path> homes = Files.newDirectoryStream(directory)) {
            for (Path home : homes) {
                String name = home.getFileName().toString();
                if (UID.matcher(name).matches()) {
                    long uid = Long.parseLong(name);
                    swept = swept.plus(ofUser(uid, users.apply(uid)));
                }
            }
        }
        return swept;
    }

    private Swept ofUser(long uid, UserSnapshots user) throws IOException {
        Swept partials = old(user, user.partials(), _ -> false);
        Swept wantings = old(user, user.wantings(), _ -> false);
        Swept manifests = old(user, user.manifests(), id -> referenced.test(uid, id));
        mark(user);
        Swept contents = contents(user);
        return new Swept(
                wantings.snapshots() + manifests.snapshots(),
                contents.snapshots(),
                partials.snapshots(),
                partials.bytes() + wantings.bytes() + manifests.bytes() + contents.bytes());
    }

    /** Whether a file is needed, by its name. */
    private interface NeededName {
        boolean isNeeded(String name);
    }

    /** The files of one directory, counted as snapshots. */
    private Swept old(UserSnapshots user, Path directory, NeededName needed) throws IOException {
        if (!Files.isDirectory(directory)) {
            return Swept.NOTHING;
        }
        long count = 0;
        long bytes = 0;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                String name = file.getFileName().toString();
                Needed isNeeded = () -> needed.isNeeded(name);
                long size = user.removeOld(file, before, isNeeded);
                count += size > 0 ? 1 : 0;
                bytes += size;
            }
        }
        return new Swept(count, 0, 0, bytes);
    }

    /** A manifest that cannot be read ends the sweep: what it refers to would be taken for garbage. */
    private void mark(UserSnapshots user) throws IOException {
        marks.clear();
        if (!Files.isDirectory(user.manifests())) {
            return;
        }
        try (DirectoryStream<Path> manifests = Files.newDirectoryStream(user.manifests())) {
            for (Path manifest : manifests) {
                mark(manifest);
            }
        }
    }

    private void mark(Path manifest) throws IOException {
        try (InputStream in = new BufferedInputStream(Files.newInputStream(manifest));
                ManifestReader reader = ManifestReader.open(in)) {
            reader.git().flatMap(GitState::diffDigest).ifPresent(marks::mark);
            reader.entries(entry -> {
                if (entry instanceof RegularFile file) {
                    marks.mark(file.digest());
                }
            });
        } catch (SnapshotException e) {
            throw new IOException(
                    "the stored manifest " + manifest + " is broken, so that no content can be removed: "
                            + e.sentence(),
                    e);
        }
    }

    private Swept contents(UserSnapshots user) throws IOException {
        Swept swept = Swept.NOTHING;
        if (!Files.isDirectory(user.contents())) {
            return swept;
        }
        try (DirectoryStream<Path> prefixes = Files.newDirectoryStream(user.contents())) {
            for (Path prefix : prefixes) {
                swept = swept.plus(old(
                        user, prefix, name -> marks.mayHave(prefix.getFileName().toString() + name)));
            }
        }
        return swept;
    }
}
