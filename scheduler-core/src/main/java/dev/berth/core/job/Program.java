package dev.berth.core.job;

import dev.berth.core.parameter.Parameters;
import dev.berth.core.parameter.TaskParameters;
import dev.berth.core.text.Utf8;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The program that a job runs. Kept on disk, and in memory only while one job is accepted, shown or launched: no queue
 * and no list holds it.
 *
 * @param command the program and its arguments, as they are executed in the container
 * @param environment variables for the program; their values are secrets and stay out of {@link #toString()}
 * @param parameters those of a sweep's tasks, whose names in braces stand for their values in the command; null for none
 */
public record Program(
        List<String> command,
        Map<String, String> environment,
        @Nullable Parameters parameters) {
    public Program {
        if (command.isEmpty()) {
            throw new IllegalArgumentException("a job needs a command");
        }
        command = List.copyOf(command);
        environment = Collections.unmodifiableSortedMap(new TreeMap<>(environment));
    }

    /** Makes the program of a job that is no sweep. */
    public Program(List<String> command, Map<String, String> environment) {
        this(command, environment, null);
    }

    /** The parameters where the job is a task of a sweep; else null. */
    public @Nullable TaskParameters of(Job job) {
        return parameters != null && job.part() instanceof Part.Task task
                ? new TaskParameters(parameters, task.index())
                : null;
    }

    /** The size of the program: the bytes of its words, names and values in UTF-8. */
    public long bytes() {
        return Utf8.length(command)
                + Utf8.length(environment.keySet())
                + Utf8.length(environment.values())
                + (parameters == null ? 0 : parameters.bytes());
    }

    /** Names the environment's variables, never their values. */
    @Override
    public String toString() {
        return "Program[command=" + command + ", environment=" + environment.keySet()
                + (parameters == null ? "" : ", parameters=" + parameters.varied()) + "]";
    }
}
