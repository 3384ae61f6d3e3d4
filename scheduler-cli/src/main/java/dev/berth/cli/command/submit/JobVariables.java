package dev.berth.cli.command.submit;

import dev.berth.cli.line.Given;
import dev.berth.cli.line.OptionLayer;
import dev.berth.core.option.JobOption;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The variables for a job's program, out of all places that give some.
 *
 * @param values by their names
 * @param origins where each comes from, for people, by their names
 */
record JobVariables(SortedMap<String, String> values, Map<String, String> origins) {
    static final JobVariables NONE = new JobVariables(new TreeMap<>(), Map.of());

    /** Reads them, files too, which may be read once only: one may be a pipe. */
    static JobVariables of(GivenOptions given, Map<String, String> here) {
        JobVariables all = new JobVariables(new TreeMap<>(), new HashMap<>());
        for (OptionLayer layer : given.layers(JobOption.ENVIRONMENT.field()).reversed()) {
            all.add(JobOption.ENVIRONMENT_FILES, layer.get(JobOption.ENVIRONMENT_FILES), here);
            all.add(JobOption.ENVIRONMENT, layer.get(JobOption.ENVIRONMENT), here);
        }
        return all;
    }

    /** Adds those of one place, which count more than what is there. */
    private void add(JobOption option, @Nullable Given given, Map<String, String> here) {
        if (given == null) {
            return;
        }
        Map<String, String> more = new TreeMap<>();
        boolean isFiles = option == JobOption.ENVIRONMENT_FILES;
        VariableOptions.addTo(more, isFiles ? given : null, isFiles ? null : given, here);
        values.putAll(more);
        more.keySet().forEach(name -> origins.put(name, GivenOptions.origin(option, given)));
    }

    /** Their names alone: the values are secrets. */
    @Override
    public String toString() {
        return values.keySet().toString();
    }
}
