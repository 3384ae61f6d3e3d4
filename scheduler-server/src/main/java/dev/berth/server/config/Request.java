package dev.berth.server.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The words that the server's main class is called with: {@code --option=value} for each option that a person gave, and
 * some from the command that calls it.
 *
 * @param options as they came, with whatever else came that is none
 * @param detached whether the one who started it reads its first words and goes away
 * @param json whether the answer is for programs
 * @param directory what relative paths are relative to, null for this process's own
 * @param dataDirectory where the data is that nobody names a place for, null for the system's place
 * @param newDatabase whether to begin anew where a database is missing
 * @param waitForEngine whether to wait for a container engine that does not answer yet
 * @param backup the one to bring back, null for the newest
 */
public record Request(
        List<String> options,
        boolean detached,
        boolean json,
        @Nullable Path directory,
        @Nullable Path dataDirectory,
        boolean newDatabase,
        boolean waitForEngine,
        @Nullable Path backup) {
    public Request {
        options = List.copyOf(options);
    }

    public static Request of(List<String> words) {
        List<String> options = new ArrayList<>();
        boolean detached = false;
        boolean json = false;
        Path directory = null;
        Path dataDirectory = null;
        boolean newDatabase = false;
        boolean waitForEngine = false;
        Path backup = null;
        for (String word : words) {
            String value = word.substring(word.indexOf('=') + 1);
            if (word.equals("detached=true")) {
                detached = true;
            } else if (word.equals("json=true")) {
                json = true;
            } else if (word.equals("new-database=true")) {
                newDatabase = true;
            } else if (word.equals("wait-for-engine=true")) {
                waitForEngine = true;
            } else if (word.startsWith("backup=/")) {
                backup = Path.of(value);
            } else if (word.startsWith("directory=/")) {
                directory = Path.of(value);
            } else if (word.startsWith("default-data-dir=/")) {
                dataDirectory = Path.of(value);
            } else {
                options.add(word);
            }
        }
        return new Request(options, detached, json, directory, dataDirectory, newDatabase, waitForEngine, backup);
    }
}
