package dev.berth.core.parameter;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;

/**
 * The parameters of one task of a sweep.
 *
 * @param index the task's
 */
public record TaskParameters(Parameters parameters, int index) {
    /** The names of what lists leave out: long, and made of the others. */
    private static final Set<String> UNSHOWN = Set.of("sweep.name", "sweep.directory");

    /** The command with the values in the places of their names. */
    public List<String> filled(List<String> command) {
        return ParameterText.filled(command, parameters.all(index));
    }

    /** The variables of all of them. */
    public Map<String, String> variables() {
        Map<String, String> variables = new LinkedHashMap<>();
        parameters.all(index).forEach((name, value) -> variables.put(ParameterText.variable(name), value.text()));
        return variables;
    }

    /** All of them as a JSON object. */
    public String json() {
        return parameters.json(index);
    }

    /** The texts of those that tell the task from others, by their names. */
    public SequencedMap<String, String> shown() {
        SequencedMap<String, String> shown = new LinkedHashMap<>();
        parameters.of(index).forEach((name, value) -> shown.put(name, value.text()));
        shown.keySet().removeAll(UNSHOWN);
        return shown;
    }
}
