package dev.berth.core.job;

import dev.berth.core.text.Utf8;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The place where a job's program runs, with what only such a place has. */
public sealed interface Place {
    /** The container image's name, and the word of those that have none. */
    String image();

    /** The rule for when that image is pulled. */
    PullPolicy pull();

    /** The digest of the stored directory that the job runs in, empty for none. */
    String snapshot();

    long bytes();

    /**
     * A container of the job's own.
     *
     * @param snapshot the digest of the stored directory it begins with, empty for none
     * @param pull when its image is pulled
     * @param workingDirectory where in the container the program starts, or null for the workspace
     * @param shmBytes size of /dev/shm, or null for the server's choice
     * @param network the engine's network it is on
     * @param mounts paths of the machine that it sees
     * @param sources what is read for its metrics beside the file that Berth gives it
     */
    record InContainer(
            String snapshot,
            String image,
            PullPolicy pull,
            @Nullable String workingDirectory,
            @Nullable Long shmBytes,
            String network,
            List<Mount> mounts,
            TrackSources sources)
            implements Place {
        /** The engine's own network of that name. */
        public static final String BRIDGE = "bridge";

        public InContainer {
            mounts = List.copyOf(mounts);
        }

        /** A container whose metrics are read from where they usually are. */
        public InContainer(
                String snapshot,
                String image,
                PullPolicy pull,
                @Nullable String workingDirectory,
                @Nullable Long shmBytes,
                String network,
                List<Mount> mounts) {
            this(snapshot, image, pull, workingDirectory, shmBytes, network, mounts, TrackSources.USUAL);
        }

        /** A container as the engine makes it where nothing is said of it. */
        public static InContainer of(String snapshot, String image) {
            return new InContainer(snapshot, image, PullPolicy.MISSING, null, null, BRIDGE, List.of());
        }

        @Override
        public long bytes() {
            long bytes = Utf8.length(snapshot)
                    + Utf8.length(image)
                    + Utf8.length(network)
                    + (workingDirectory == null ? 0 : Utf8.length(workingDirectory));
            for (Mount mount : mounts) {
                bytes += Utf8.length(mount.source()) + Utf8.length(mount.target());
            }
            return bytes;
        }
    }

    /**
     * A target beyond this machine, whose engine keeps the queue.
     *
     * @param target what the target is called
     * @param container what is wished of the container, as far as the target has such a thing
     * @param nodes those of the target that will do, where it chooses them by such traits
     */
    record AtTarget(String target, InContainer container, NodeTraits nodes) implements Place {
        /** The word that stands where others show their image, for a program that runs on a node as it is. */
        public static final String NODE = "node";

        /** A job for which any node will do. */
        public AtTarget(String target, InContainer container) {
            this(target, container, NodeTraits.ANY);
        }

        @Override
        public String image() {
            return container.image();
        }

        /** The target's engine pulls by its own rules. */
        @Override
        public PullPolicy pull() {
            return PullPolicy.NEVER;
        }

        @Override
        public String snapshot() {
            return container.snapshot();
        }

        @Override
        public long bytes() {
            return Utf8.length(target) + container.bytes() + nodes.bytes();
        }
    }

    /**
     * The machine itself: a process that its submitter's own command starts.
     *
     * @param directory where it is started
     * @param shell whether it is a shell that was there before, which is not the server's to end
     * @param noWait whether it was to start at once or not at all
     */
    record OnHost(String directory, boolean shell, boolean noWait) implements Place {
        /** The word that such a job shows where others show their image, and the network that they are on. */
        public static final String HOST = "host";

        @Override
        public String image() {
            return HOST;
        }

        @Override
        public PullPolicy pull() {
            return PullPolicy.NEVER;
        }

        @Override
        public String snapshot() {
            return "";
        }

        @Override
        public long bytes() {
            return Utf8.length(directory);
        }
    }
}
