package dev.berth.server.runner.kubernetes;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.kubernetes.KubernetesSettings.SnapshotWay;
import dev.berth.server.runner.target.Handed;
import dev.berth.server.runner.target.Handover;
import dev.berth.server.runner.target.Snapshot;
import io.fabric8.kubernetes.api.model.Secret;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;

/**
 * Puts the directories of jobs where their pods find them. On a volume each attempt has a directory that only this server writes to;
 * its archive belongs to the submitter where the server may say so, and no other pod has it mounted.
 */
record SnapshotArchives(SnapshotWay way, AttemptSecret secrets, SnapshotLinks links) {
    /** In base64, and with all else of a Secret, still below the megabyte that Kubernetes takes. */
    static final int MAX_PACKED_BYTES = 700_000;

    /** The Secret that the pod needs for it; empty where it has no directory, or finds it on the volume. */
    Optional<Secret> prepare(Handover handover) {
        Snapshot snapshot = handover.directory().orElse(null);
        if (snapshot == null) {
            return Optional.empty();
        }
        return switch (way) {
            case SnapshotWay.InSecret _ ->
                Optional.of(secrets.snapshot(handover, SnapshotPlan.PACKED, packed(snapshot)));
            case SnapshotWay.ByLink link ->
                Optional.of(secrets.snapshot(
                        handover, SnapshotPlan.LINK, (link.server() + links.link(handover.handed())).getBytes(UTF_8)));
            case SnapshotWay.OnVolume volume -> {
                write(volume, handover.handed(), snapshot);
                yield Optional.empty();
            }
        };
    }

    private static byte[] packed(Snapshot snapshot) {
        Bounded packed = new Bounded();
        try (GZIPOutputStream stream = new GZIPOutputStream(packed)) {
            snapshot.writeTo(stream);
        } catch (TooLarge e) {
            throw new EngineException(
                    Kind.REFUSED,
                    "the job's directory takes more than " + MAX_PACKED_BYTES / 1_000
                            + " kB packed, which is all that a Secret of Kubernetes holds: leave files out by"
                            + " .berthignore, or have the operator set another way (the target's setting snapshot:"
                            + " volume or fetch)",
                    e);
        } catch (IOException e) {
            throw new EngineException(Kind.FAILING, "the job's stored directory could not be read: " + e, e);
        }
        return packed.toByteArray();
    }

    private static void write(SnapshotWay.OnVolume volume, Handed handed, Snapshot snapshot) {
        Path place = volume.directory().resolve(handed.name());
        Path part = place.resolve(SnapshotPlan.ARCHIVE + ".part");
        try {
            if (!Files.isDirectory(place, LinkOption.NOFOLLOW_LINKS)) {
                Files.createDirectory(place);
            }
            Files.deleteIfExists(part);
            try (OutputStream stream =
                    Files.newOutputStream(part, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                checkOwner(place, part);
                Files.setPosixFilePermissions(place, PosixFilePermissions.fromString("rwx--x--x"));
                snapshot.writeTo(stream);
            }
            giveTo(part, handed);
            Files.move(part, place.resolve(SnapshotPlan.ARCHIVE), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new EngineException(
                    Kind.FAILING,
                    "the job's directory could not be written to the volume at " + volume.directory() + " (" + e
                            + "): see that it is mounted there and that the server may write to it",
                    e);
        }
    }

    /** The name can be guessed: who had made the directory before could put other files there, which the job would run. */
    private static void checkOwner(Path place, Path own) throws IOException {
        if (!Files.getAttribute(place, "unix:uid", LinkOption.NOFOLLOW_LINKS)
                .equals(Files.getAttribute(own, "unix:uid", LinkOption.NOFOLLOW_LINKS))) {
            throw new IOException(place + " belongs to somebody else");
        }
    }

    private static void giveTo(Path file, Handed handed) throws IOException {
        Object owner = Files.getAttribute(file, "unix:uid");
        if (owner.equals(0)) {
            Files.setAttribute(file, "unix:uid", (int) handed.owner().uid());
        }
        boolean isTheirs =
                Files.getAttribute(file, "unix:uid").equals((int) handed.owner().uid());
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(isTheirs ? "r--------" : "r--r--r--"));
    }

    /** Removes what is on the volume of an attempt. */
    void remove(Handed handed) {
        if (way instanceof SnapshotWay.OnVolume volume) {
            Path place = volume.directory().resolve(handed.name());
            try {
                Files.deleteIfExists(place.resolve(SnapshotPlan.ARCHIVE + ".part"));
                Files.deleteIfExists(place.resolve(SnapshotPlan.ARCHIVE));
                Files.deleteIfExists(place);
            } catch (IOException e) {
                throw new EngineException(
                        Kind.FAILING,
                        place + " could not be removed from the volume (" + e + "): see that it is mounted there",
                        e);
            }
        }
    }

    /** Takes so much and no more. */
    private static final class Bounded extends ByteArrayOutputStream {
        @Override
        public synchronized void write(byte[] bytes, int from, int length) {
            room(length);
            super.write(bytes, from, length);
        }

        @Override
        public synchronized void write(int value) {
            room(1);
            super.write(value);
        }

        private void room(int length) {
            if (count + length > MAX_PACKED_BYTES) {
                throw new TooLarge();
            }
        }
    }

    /** More than a Secret takes. */
    private static final class TooLarge extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }
}
