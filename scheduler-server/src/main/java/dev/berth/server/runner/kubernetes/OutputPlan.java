package dev.berth.server.runner.kubernetes;

import dev.berth.server.runner.target.Handed;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;

/** The directory that a program leaves its results in, on the volume that the server sees as well. */
final class OutputPlan {
    private static final String VARIABLE = "BERTH_OUTPUT_DIR";

    /** Where containers of this machine have it. */
    private static final String PATH = "/output";

    private OutputPlan() {}

    /** Of the volume, the program sees its own directory and no other. */
    static VolumeMount mount(Handed handed) {
        return new VolumeMountBuilder()
                .withName(SnapshotPlan.VOLUME)
                .withMountPath(PATH)
                .withSubPath(handed.name() + "/" + VolumePlaces.OUTPUTS)
                .build();
    }

    /** Whether the program of a Job has it. */
    static boolean isIn(Job job) {
        return job.getSpec().getTemplate().getSpec().getContainers().stream()
                .flatMap(container -> container.getVolumeMounts().stream())
                .anyMatch(mount -> PATH.equals(mount.getMountPath()));
    }

    static EnvVar variable() {
        return new EnvVarBuilder().withName(VARIABLE).withValue(PATH).build();
    }
}
