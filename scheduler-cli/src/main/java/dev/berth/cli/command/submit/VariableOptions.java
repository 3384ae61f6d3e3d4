package dev.berth.cli.command.submit;

import dev.berth.cli.exit.Failure;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The variables for a job's program, as {@code -e} gives them. */
public final class VariableOptions {
    private VariableOptions() {}

    /**
     * @param files of variables, each over those before it, and all of them under what is given
     * @param given each {@code K=V}, or {@code K} for the value that it has here
     * @param here the environment of this command
     */
    static Map<String, String> of(List<String> files, List<String> given, Map<String, String> here) {
        Map<String, String> variables = new TreeMap<>();
        for (String file : files) {
            EnvironmentFile.addTo(variables, file, here);
        }
        for (String variable : given) {
            int equals = variable.indexOf('=');
            if (equals == 0 || variable.isEmpty()) {
                throw Failure.usage("-e: '" + variable + "' has no name; write -e NAME=VALUE");
            }
            if (equals > 0) {
                variables.put(variable.substring(0, equals), variable.substring(equals + 1));
                continue;
            }
            String value = here.get(variable);
            if (value == null) {
                throw Failure.usage(
                        "-e: " + variable + " is not set here; write -e " + variable + "=VALUE, or export it first");
            }
            variables.put(variable, value);
        }
        return variables;
    }
}
