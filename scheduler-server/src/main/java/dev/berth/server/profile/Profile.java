package dev.berth.server.profile;

import dev.berth.core.api.OptionValues;
import dev.berth.core.job.NodeTraits;
import java.util.List;
import java.util.Set;

/**
 * A profile: options of a job under a name.
 *
 * @param name its {@code display_name}
 * @param preselected whether QHub's form would begin with it; nobody gets it without naming it
 * @param values the options, by the fields of {@link dev.berth.core.option.JobOption} and of the types of a request
 * @param nodes those of a target that will do
 * @param unused what the file says of it that means nothing on one machine, by its names there
 */
public record Profile(
        String name,
        String description,
        boolean preselected,
        Audience audience,
        OptionValues values,
        NodeTraits nodes,
        List<String> unused) {
    /** The label by which NVIDIA's GPU feature discovery says a node's GPUs. */
    public static final String GPU_LABEL = "nvidia.com/gpu.product";

    static final String NODE_SELECTOR = "node_selector";
    static final String TOLERATIONS = "tolerations";

    /** What is of a target's nodes alone, by its names in the file. */
    public static final Set<String> OF_NODES = Set.of(NODE_SELECTOR, TOLERATIONS);

    public Profile {
        unused = List.copyOf(unused);
    }
}
