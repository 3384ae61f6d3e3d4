package dev.berth.server.runner.docker;

import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** The names that the variables of a job's program may have. */
public final class VariableNames {
    private static final Set<String> OWN = Set.of("HOME", "USER");
    private static final Pattern FORM = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    private VariableNames() {}

    /** The rule that a name breaks, going on from it; empty where it breaks none. */
    public static Optional<String> problem(String name) {
        if (!FORM.matcher(name).matches()) {
            return Optional.of("is not a variable's name: letters, digits and _, no digit first");
        }
        if (name.startsWith("BERTH_") || OWN.contains(name)) {
            return Optional.of("is set by Berth itself for every job; leave it out, or choose another name");
        }
        return GpuEnvironment.isReserved(name)
                ? Optional.of(
                        "is set by Berth alone, so that a job sees exactly its own GPUs; ask for GPUs with --num-gpus")
                : Optional.empty();
    }
}
