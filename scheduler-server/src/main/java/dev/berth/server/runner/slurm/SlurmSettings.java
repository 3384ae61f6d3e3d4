package dev.berth.server.runner.slurm;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a Slurm cluster is reached, and how programs have their surroundings there.
 *
 * @param host the login node that Slurm's programs are called on by {@code ssh}, with the submitter's own keys; null for this
 *     machine
 * @param programs the directory that Slurm's programs are in; null where they are on the path
 * @param environment variables for Slurm's programs: {@code SLURM_CONF}
 * @param directory where the nodes and the login node (or this machine) see the same files. What is {@code ~} at its begin is the
 *     submitter's home; each user has a directory of their own below any other
 * @param partition Slurm's; null for the cluster's default
 * @param account Slurm's; null for the user's default
 * @param qos Slurm's; null for the default
 * @param options further options of {@code sbatch}, as the operator wants them: {@code --constraint=a100}
 * @param launcher how a program gets its surroundings
 * @param deadline of each call
 */
public record SlurmSettings(
        @Nullable String host,
        @Nullable String programs,
        Map<String, String> environment,
        String directory,
        @Nullable String partition,
        @Nullable String account,
        @Nullable String qos,
        List<String> options,
        Launcher launcher,
        Duration deadline) {
    public static final String DEFAULT_DIRECTORY = "~/.berth/jobs";
    public static final Duration DEFAULT_DEADLINE = Duration.ofSeconds(20);

    public SlurmSettings {
        environment = Map.copyOf(environment);
        options = List.copyOf(options);
    }

    /**
     * How a program gets its surroundings on a node.
     *
     * @param container what makes them
     * @param template the operator's own launcher instead: a shell script, in which {@code "$@"} is the program and
     *     {@code $BERTH_IMAGE} the image; null for the one that Berth has for the container
     */
    public record Launcher(Container container, @Nullable String template) {
        /** Whether a program has a container of its own, and so an image. */
        boolean hasContainer() {
            return container != Container.NONE;
        }
    }

    /** What makes the surroundings of a program. */
    public enum Container {
        /** The node as it is; the image of a job means nothing. */
        NONE,
        APPTAINER,
        PYXIS,
        DOCKER
    }
}
