package dev.berth.server.runner.kubernetes;

import dev.berth.core.job.Resources;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import io.fabric8.kubernetes.client.VersionInfo;

/**
 * The container beside an attempt's program that prints what the program writes to {@code $BERTH_TRACK}: so it comes as a log
 * does. Kubernetes starts it before the program and ends it after the program (kubernetes.io, "Sidecar Containers"). It has no
 * variable, file or right of the submitter's but that file.
 */
final class TrackPlan {
    static final String CONTAINER = "track";
    static final String VOLUME = "track";
    static final String PATH = "/berth/track";

    private static final String VARIABLE = "BERTH_TRACK";
    private static final String FILE = "lines";

    /**
     * Nodes have them from 1.29 on, and may be three versions behind the API server (kubernetes.io, "Version Skew Policy"). An
     * older node would wait for the end of this container before it starts the program.
     */
    private static final int FIRST_MINOR = 32;

    /**
     * Prints what is new every second, and the rest when it is to end. A file that is shorter than it was is printed from its
     * beginning. Its complaints would be in the log, too.
     */
    private static final String PRINT = """
            exec 2> /dev/null
            sent=0; last=
            trap 'last=yes' TERM
            while :; do
              end=$last
              size=0
              if [ -f "$0" ]; then size=$(wc -c < "$0") || size=0; fi
              if [ "$size" -lt "$sent" ]; then sent=0; fi
              if [ "$size" -gt "$sent" ]; then
                tail -c "+$((sent + 1))" "$0" | head -c "$((size - sent))"
                sent=$size
              fi
              if [ -n "$end" ]; then exit 0; fi
              sleep 1 & wait "$!"
            done
            """;

    private TrackPlan() {}

    /** Whether a cluster has such containers. */
    static boolean isPossible(VersionInfo version) {
        return ClusterHealth.isAtLeast(version, FIRST_MINOR);
    }

    /** The container, as far as it is not like all others. */
    static Container container(String image, Resources resources) {
        return new ContainerBuilder()
                .withName(CONTAINER)
                .withImage(image)
                .withRestartPolicy("Always")
                .withCommand("sh", "-c", PRINT, PATH + "/" + FILE)
                .withEnv(AttemptEnvironment.WITHOUT_GPUS)
                .withResources(PodResources.small(resources))
                .build();
    }

    /** The program's variable; without such a container what it writes there goes nowhere. */
    static EnvVar variable(boolean isRead) {
        return new EnvVarBuilder()
                .withName(VARIABLE)
                .withValue(isRead ? PATH + "/" + FILE : "/dev/null")
                .build();
    }
}
