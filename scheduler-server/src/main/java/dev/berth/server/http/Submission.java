package dev.berth.server.http;

import dev.berth.core.api.SubmitRequest;
import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.JobSpec;
import dev.berth.server.code.SnapshotStore;
import dev.berth.server.container.GpuEnvironment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Makes a complete, checked {@link JobSpec} of a request, or says which field breaks which rule. */
record Submission(SnapshotStore snapshots, String defaultImage) {
    private static final int MAX_NAME = 128;
    private static final int MAX_WORDS = 4_096;
    private static final int MAX_COMMAND_CHARS = 128 * 1024;
    private static final int MAX_VARIABLES = 1_024;
    private static final int MAX_VARIABLE_CHARS = 128 * 1024;
    private static final long MAX_SECONDS = Duration.ofDays(3_650).toSeconds();
    private static final Set<String> OWN_VARIABLES = Set.of("HOME", "USER");
    private static final Pattern VARIABLE_NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    /** A host, a path, a tag, a digest (github.com/distribution/reference), less strict: the engine has the last word. */
    private static final Pattern IMAGE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._/:@-]{0,254}");

    JobSpec check(SubmitRequest request) {
        List<String> command = command(request.command());
        return new JobSpec(
                label("name", request.name(), lastPart(command.getFirst())),
                label("project", request.project(), "default"),
                runnable(command),
                snapshot(request.snapshot()),
                image(request.image()),
                gpus(request.gpus()),
                environment(request.environment()),
                timeLimit(request.timeLimitSeconds()));
    }

    private static String lastPart(String word) {
        String part = word.substring(word.lastIndexOf('/') + 1);
        return part.isEmpty() ? "job" : part.length() > MAX_NAME ? part.substring(0, MAX_NAME) : part;
    }

    static String label(String field, @Nullable String value, String otherwise) {
        String label = value == null ? otherwise : value;
        if (label.isBlank() || label.length() > MAX_NAME) {
            throw ApiException.field(field, label, "must have 1 to " + MAX_NAME + " characters");
        }
        if (label.codePoints().anyMatch(Submission::isInvisible)) {
            throw ApiException.field(field, printable(label), "must not hold control or formatting characters");
        }
        return label;
    }

    private static boolean isInvisible(int character) {
        int type = Character.getType(character);
        return Character.isISOControl(character)
                || type == Character.FORMAT
                || type == Character.SURROGATE
                || type == Character.LINE_SEPARATOR
                || type == Character.PARAGRAPH_SEPARATOR;
    }

    private static String printable(String label) {
        return label.codePoints()
                .map(c -> isInvisible(c) ? '?' : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    private static List<String> command(@Nullable List<String> words) {
        if (words == null || words.isEmpty()) {
            throw ApiException.field("command", "", "must name a program, as in: berth submit scheduler . main.py");
        }
        long length = 0;
        for (String word : words) {
            if (word == null || word.indexOf('\0') >= 0) {
                throw ApiException.field("command", String.valueOf(word), "must be words without NUL");
            }
            length += word.length();
        }
        if (words.getFirst().isBlank()) {
            throw ApiException.field("command", words.getFirst(), "must name a program first");
        }
        if (words.size() > MAX_WORDS || length > MAX_COMMAND_CHARS) {
            throw ApiException.field(
                    "command",
                    words.getFirst() + " ...",
                    "must have at most " + MAX_WORDS + " words and " + MAX_COMMAND_CHARS + " characters");
        }
        return words;
    }

    /** A Python file is run by the image's Python, everything else as it stands. */
    private static List<String> runnable(List<String> command) {
        if (!command.getFirst().endsWith(".py")) {
            return command;
        }
        List<String> withPython = new ArrayList<>(List.of("python3"));
        withPython.addAll(command);
        return withPython;
    }

    private String snapshot(@Nullable String digest) {
        if (digest == null || !snapshots.holds(digest)) {
            throw ApiException.field(
                    "snapshot", String.valueOf(digest), "is not on this server; upload the directory first");
        }
        return digest;
    }

    private String image(@Nullable String image) {
        String name = image == null ? defaultImage : image;
        if (!IMAGE.matcher(name).matches()) {
            throw ApiException.field("image", printable(name), "is not an image name such as python:3.12-slim");
        }
        return name;
    }

    private static GpuRequest gpus(@Nullable Integer count) {
        int gpus = count == null ? 0 : count;
        if (gpus < 0 || gpus > GpuRequest.MAX_COUNT) {
            throw ApiException.field(
                    "gpus", Integer.toString(gpus), "must be a whole number from 0 to " + GpuRequest.MAX_COUNT);
        }
        return GpuRequest.whole(gpus);
    }

    private static Map<String, String> environment(@Nullable Map<String, String> variables) {
        if (variables == null) {
            return Map.of();
        }
        long length = 0;
        for (Map.Entry<String, String> variable : variables.entrySet()) {
            String name = variable.getKey();
            checkVariable(name, variable.getValue());
            length += name.length() + variable.getValue().length();
        }
        if (variables.size() > MAX_VARIABLES || length > MAX_VARIABLE_CHARS) {
            throw ApiException.field(
                    "environment",
                    variables.size() + " variables",
                    "must be at most " + MAX_VARIABLES + " variables of " + MAX_VARIABLE_CHARS + " characters in all");
        }
        return variables;
    }

    private static void checkVariable(String name, @Nullable String value) {
        if (!VARIABLE_NAME.matcher(name).matches()) {
            throw ApiException.field(
                    "environment", printable(name), "is not a variable's name: letters, digits and _, no digit first");
        }
        if (name.startsWith("BERTH_") || OWN_VARIABLES.contains(name)) {
            throw ApiException.field(
                    "environment", name, "is set by Berth itself for every job; leave it out, or choose another name");
        }
        if (GpuEnvironment.isReserved(name)) {
            throw ApiException.field(
                    "environment",
                    name,
                    "is set by Berth alone, so that a job sees exactly its own GPUs; ask for GPUs with --num-gpus");
        }
        if (value == null || value.indexOf('\0') >= 0) {
            throw ApiException.field("environment", name, "must have a value without NUL");
        }
    }

    private static @Nullable Duration timeLimit(@Nullable Long seconds) {
        if (seconds == null) {
            return null;
        }
        if (seconds < 1 || seconds > MAX_SECONDS) {
            throw ApiException.field(
                    "timeLimitSeconds", seconds.toString(), "must be from 1 second to " + MAX_SECONDS + " (ten years)");
        }
        return Duration.ofSeconds(seconds);
    }
}
