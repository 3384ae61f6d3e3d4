package dev.berth.server.runner.kubernetes;

import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Place.InContainer;
import dev.berth.core.job.Resources;
import dev.berth.core.job.Submitter;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The jobs that cannot be handed over to Kubernetes, each with the sentence why and the way out. Asks nobody. */
public final class KubernetesRefusals {
    /** The image reference's characters; Kubernetes itself refuses spaces around it only, and the pod would wait for ever. */
    private static final Pattern IMAGE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._/:@-]{0,1000}");

    private static final Pattern IMAGE_ID = Pattern.compile("sha256:[0-9a-f]{12,64}|[0-9a-f]{64}");

    /** Kubernetes counts them with a sign (pkg/apis/core/validation, runAsUser). */
    private static final long MAX_ID = Integer.MAX_VALUE;

    private KubernetesRefusals() {}

    /** Why a job is refused; empty where it is not. */
    public static Optional<String> of(JobSpec spec, Submitter owner, KubernetesSettings settings) {
        if (spec.isHost()) {
            return Optional.of("a job without a container cannot go to Kubernetes: give it an image with --image");
        }
        return Stream.of(image(spec), gpus(spec.resources(), settings), surroundings(spec), limits(spec), ids(owner))
                .flatMap(Optional::stream)
                .findFirst();
    }

    private static Optional<String> ids(Submitter owner) {
        return Stream.concat(Stream.of(owner.uid(), owner.gid()), owner.groups().stream())
                .filter(id -> id > MAX_ID)
                .findFirst()
                .map(_ -> "Kubernetes knows user and group ids up to " + MAX_ID + ", and " + owner.name()
                        + " has a larger one: submit as another user");
    }

    private static Optional<String> image(JobSpec spec) {
        String image = spec.image();
        if (IMAGE_ID.matcher(image).matches()) {
            return Optional.of(
                    "--image " + image + " is an image of this machine: Kubernetes' nodes cannot pull it; push it to"
                            + " a registry and give its name there");
        }
        return IMAGE.matcher(image).matches()
                ? Optional.empty()
                : Optional.of("--image \"" + image
                        + "\" is not an image's name: Kubernetes needs one that its nodes can pull,"
                        + " such as registry.example.org/lab/train:3");
    }

    private static Optional<String> gpus(Resources resources, KubernetesSettings settings) {
        if (resources.gpus().isShare()) {
            return Optional.of("--num-gpus " + resources.gpus().text()
                    + " is a part of a GPU: Kubernetes counts whole ones; ask for 1, or submit to the queue of"
                    + " this machine");
        }
        if (resources.traits().memoryBytes() != null) {
            return Optional.of(
                    "Kubernetes does not choose GPUs by their memory: ask by --gpu-type for what the target's"
                            + " setting gpu-types has, or leave the memory out");
        }
        Map<String, Map<String, String>> known = settings.nodes().traits();
        return Stream.concat(Stream.ofNullable(resources.traits().type()), resources.traits().labels().stream())
                .filter(Predicate.not(known::containsKey))
                .findFirst()
                .map(word -> "the word \"" + word + "\" means no kind of node to this target: "
                        + (known.isEmpty()
                                ? "its setting gpu-types has none"
                                : "its setting gpu-types has "
                                        + String.join(
                                                ", ",
                                                known.keySet().stream().sorted().toList())));
    }

    private static Optional<String> surroundings(JobSpec spec) {
        InContainer place = spec.container();
        if (!place.mounts().isEmpty()) {
            return Optional.of("--volume " + place.mounts().getFirst()
                    + " is a path of this machine, which Kubernetes' nodes do not have: leave it out");
        }
        if (!place.network().equals(InContainer.BRIDGE)) {
            return Optional.of("--network " + place.network()
                    + " is a network of this machine's engine; a pod has the cluster's: leave it out");
        }
        if (spec.resources().nice() != 0) {
            return Optional.of("Kubernetes has no nice value for a pod: leave --nice out, or ask for fewer --cpus");
        }
        return Optional.empty();
    }

    private static Optional<String> limits(JobSpec spec) {
        if (spec.limits().signal() != null) {
            return Optional.of(
                    "Kubernetes sends a program no signal but TERM at its end: leave --signal out, and let the"
                            + " program write its checkpoint on TERM, with a longer --grace");
        }
        if (spec.limits().idle() != null) {
            return Optional.of("Berth does not see the GPUs of Kubernetes' nodes: leave --idle-timeout out");
        }
        if (spec.tasks() != null && spec.tasks().packing() != null) {
            return Optional.of("tasks of an array do not share a container on Kubernetes: leave --pack out");
        }
        return Optional.empty();
    }
}
