package dev.berth.server.runner.kubernetes;

import dev.berth.server.runner.kubernetes.KubernetesSettings.SnapshotWay;
import dev.berth.server.runner.target.Handover;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import java.util.List;

/**
 * The container that unpacks the directory of an attempt before its program starts, in its working directory, and what it reads it
 * from.
 */
record SnapshotPlan(Container container, List<Volume> volumes) {
    static final String CONTAINER = "snapshot";

    /** The archive's name in a directory of the attempt on a volume. */
    static final String ARCHIVE = "snapshot.tar";

    /** The key of the Secret that holds the packed archive. */
    static final String PACKED = "snapshot.tar.gz";

    /** The key of the Secret that holds the link, and the variable that has it. */
    static final String LINK = "BERTH_SNAPSHOT_LINK";

    /** The name of the volume that it is read from. */
    static final String VOLUME = "snapshot";

    private static final String PATH = "/berth/snapshot";

    /** Nothing of it is a submitter's; the link comes by the environment. A failed fetch is a failed container. */
    private static final String FETCH = "wget -q -T 60 -O \"$HOME/" + ARCHIVE + "\" \"$" + LINK + "\""
            + " && tar -xf \"$HOME/" + ARCHIVE + "\" && rm \"$HOME/" + ARCHIVE + "\"";

    static SnapshotPlan of(SnapshotWay way, Handover handover) {
        String name = handover.handed().name();
        return switch (way) {
            case SnapshotWay.OnVolume volume ->
                new SnapshotPlan(
                        reading(way, List.of("tar", "-xf", PATH + "/" + ARCHIVE), name), List.of(shared(volume)));
            case SnapshotWay.InSecret _ ->
                new SnapshotPlan(
                        reading(way, List.of("tar", "-xzf", PATH + "/" + PACKED), ""),
                        List.of(new VolumeBuilder()
                                .withName(VOLUME)
                                .withNewSecret()
                                .withSecretName(AttemptSecret.snapshotName(handover.handed()))
                                .endSecret()
                                .build()));
            case SnapshotWay.ByLink _ -> new SnapshotPlan(fetching(way, handover), List.of());
        };
    }

    /** The volume that nodes and this server share. */
    private static Volume shared(SnapshotWay.OnVolume volume) {
        return new VolumeBuilder()
                .withName(VOLUME)
                .withNewPersistentVolumeClaim(volume.claim(), false)
                .build();
    }

    private static Container reading(SnapshotWay way, List<String> command, String part) {
        return new ContainerBuilder()
                .withName(CONTAINER)
                .withImage(way.image())
                .withCommand(command)
                .addNewVolumeMount()
                .withName(VOLUME)
                .withMountPath(PATH)
                .withSubPath(part.isEmpty() ? null : part)
                .withReadOnly(true)
                .endVolumeMount()
                .build();
    }

    private static Container fetching(SnapshotWay way, Handover handover) {
        return new ContainerBuilder()
                .withName(CONTAINER)
                .withImage(way.image())
                .withCommand("sh", "-c", FETCH)
                .addNewEnv()
                .withName(LINK)
                .withNewValueFrom()
                .withNewSecretKeyRef(LINK, AttemptSecret.snapshotName(handover.handed()), false)
                .endValueFrom()
                .endEnv()
                .addNewEnv()
                .withName("HOME")
                .withValue(AttemptEnvironment.HOME_PATH)
                .endEnv()
                .addNewVolumeMount()
                .withName("home")
                .withMountPath(AttemptEnvironment.HOME_PATH)
                .endVolumeMount()
                .build();
    }
}
