package dev.berth.cli.command.submit;

import dev.berth.cli.exit.Failure;
import dev.berth.cli.line.Given;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The variables for a job's program, as {@code -e} gives them. */
final class VariableOptions {
    private VariableOptions() {}

    /**
     * Adds the variables of one place.
     *
     * @param files of variables, each over those before it, and all of them under what is given
     * @param given each {@code K=V}, or {@code K} for the value that it has here
     * @param here the environment of this command
     */
    static void addTo(
            Map<String, String> variables, @Nullable Given files, @Nullable Given given, Map<String, String> here) {
        if (files != null) {
            try {
                for (String file : files.texts()) {
                    EnvironmentFile.addTo(variables, files.name(), file, here);
                }
            } catch (Failure refused) {
                throw files.retold(refused);
            }
        }
        if (given != null) {
            try {
                for (String variable : given.texts()) {
                    add(variables, given.name(), variable, here);
                }
            } catch (Failure refused) {
                throw given.retold(refused);
            }
        }
    }

    private static void add(Map<String, String> variables, String name, String variable, Map<String, String> here) {
        int equals = variable.indexOf('=');
        if (equals == 0 || variable.isEmpty()) {
            throw Failure.usage(name + ": '" + variable + "' has no name; write " + name + " NAME=VALUE");
        }
        if (equals > 0) {
            variables.put(variable.substring(0, equals), variable.substring(equals + 1));
            return;
        }
        String value = here.get(variable);
        if (value == null) {
            throw Failure.usage(name + ": " + variable + " is not set here; write " + name + " " + variable
                    + "=VALUE, or export it first");
        }
        variables.put(variable, value);
    }
}
