package dev.berth.server.runner.kubernetes;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.berth.server.linux.RightsException;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.kubernetes.KubernetesSettings.SnapshotWay;
import dev.berth.server.runner.target.Handed;
import dev.berth.server.runner.target.Handover;
import dev.berth.server.runner.target.Snapshot;
import io.fabric8.kubernetes.api.model.Secret;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.zip.GZIPOutputStream;

/**
 * Puts the directories of jobs where their pods find them, and brings back what programs leave, as far as the way of directories
 * goes both ways.
 */
record SnapshotArchives(SnapshotWay way, AttemptSecret secrets, OwnServer server) {
    /** In base64, and with all else of a Secret, still below the megabyte that Kubernetes takes. */
    static final int MAX_PACKED_BYTES = 700_000;

    private static final String TOO_LARGE = "the job's directory takes more than " + MAX_PACKED_BYTES / 1_000
            + " kB packed, which is all that a Secret of Kubernetes holds: leave files out by .berthignore, or have the operator"
            + " set another way (the target's setting snapshot: volume or fetch)";

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
                        handover,
                        SnapshotPlan.LINK,
                        (link.server() + server.links().link(handover.handed())).getBytes(UTF_8)));
            case SnapshotWay.OnVolume volume -> {
                write(volume, handover.handed(), snapshot);
                yield Optional.empty();
            }
        };
    }

    /** Makes the directory that the program leaves its results in; whether it can have one. */
    boolean prepareOutputs(Handed handed) {
        if (way instanceof SnapshotWay.OnVolume volume) {
            try {
                return places(volume).makeOutputs(handed);
            } catch (IOException e) {
                throw notWritten("the directory for the job's results could not be made on", volume, e);
            }
        }
        return false;
    }

    private void write(SnapshotWay.OnVolume volume, Handed handed, Snapshot snapshot) {
        try {
            places(volume).write(handed, snapshot);
        } catch (IOException e) {
            throw notWritten("the job's directory could not be written to", volume, e);
        }
    }

    private static EngineException notWritten(String what, SnapshotWay.OnVolume volume, IOException failure) {
        return new EngineException(
                Kind.FAILING,
                what + " the volume at " + volume.directory() + " (" + failure
                        + "): see that it is mounted there and that the server may write to it",
                failure);
    }

    /** The reason why a directory does not go this way; empty where it does, and where it cannot be read now. */
    Optional<String> refusal(Snapshot snapshot) {
        if (way instanceof SnapshotWay.InSecret) {
            try {
                byte[] _ = pack(snapshot);
            } catch (TooLarge e) {
                return Optional.of(TOO_LARGE);
            } catch (IOException e) {
                return Optional.empty();
            }
        }
        return Optional.empty();
    }

    private static byte[] packed(Snapshot snapshot) {
        try {
            return pack(snapshot);
        } catch (TooLarge e) {
            throw new EngineException(Kind.REFUSED, TOO_LARGE, e);
        } catch (IOException e) {
            throw new EngineException(Kind.FAILING, "the job's stored directory could not be read: " + e, e);
        }
    }

    private static byte[] pack(Snapshot snapshot) throws IOException {
        Bounded packed = new Bounded();
        try (GZIPOutputStream stream = new GZIPOutputStream(packed)) {
            snapshot.writeTo(stream);
        }
        return packed.toByteArray();
    }

    /**
     * Brings what a program has left on the volume into a directory of this machine, with the rights of its owner; nothing where
     * directories go another way.
     *
     * @param hasOutputs whether the program was given a directory on the volume, as far as its Job is there to tell
     */
    void fetch(Handed handed, BooleanSupplier hasOutputs, Path into) {
        if (way instanceof SnapshotWay.OnVolume volume) {
            VolumePlaces places = places(volume);
            try {
                if (places.lacks(handed) && (places.isEmpty() || hasOutputs.getAsBoolean())) {
                    throw new EngineException(
                            Kind.FAILING,
                            "what the program left is not at "
                                    + volume.directory().resolve(handed.name()) + ": see that the volume is mounted at "
                                    + volume.directory());
                }
                places.fetch(handed, into);
            } catch (IOException | RightsException e) {
                throw new EngineException(
                        Kind.FAILING,
                        "what the program left on the volume at " + volume.directory() + " could not be copied to "
                                + into + " (" + e + ")",
                        e);
            }
        }
    }

    /** Removes what is on the volume of an attempt. */
    void remove(Handed handed) {
        if (way instanceof SnapshotWay.OnVolume volume) {
            try {
                places(volume).remove(handed);
            } catch (IOException e) {
                throw new EngineException(
                        Kind.FAILING,
                        volume.directory().resolve(handed.name()) + " could not be removed from the volume (" + e
                                + "): see that it is mounted there",
                        e);
            }
        }
    }

    private VolumePlaces places(SnapshotWay.OnVolume volume) {
        return new VolumePlaces(volume.directory(), server.files());
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
