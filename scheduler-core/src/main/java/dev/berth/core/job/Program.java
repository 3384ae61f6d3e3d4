package dev.berth.core.job;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The program that a job runs. Kept on disk, and in memory only while one job is accepted, shown or launched: no queue
 * and no list holds it.
 *
 * @param command the program and its arguments, as they are executed in the container
 * @param environment variables for the program; their values are secrets and stay out of {@link #toString()}
 */
public record Program(List<String> command, Map<String, String> environment) {
    public Program {
        if (command.isEmpty()) {
            throw new IllegalArgumentException("a job needs a command");
        }
        command = List.copyOf(command);
        environment = Collections.unmodifiableSortedMap(new TreeMap<>(environment));
    }

    /** The size of the program: the bytes of its words, names and values in UTF-8. */
    public long bytes() {
        return Utf8.length(command) + Utf8.length(environment.keySet()) + Utf8.length(environment.values());
    }

    /** Names the environment's variables, never their values. */
    @Override
    public String toString() {
        return "Program[command=" + command + ", environment=" + environment.keySet() + "]";
    }
}
