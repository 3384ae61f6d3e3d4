package dev.berth.cli.command.submit;

import dev.berth.cli.exit.Failure;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.BeginTime;
import dev.berth.cli.line.GpuCount;
import dev.berth.cli.line.Shape;
import dev.berth.cli.line.Sizes;
import dev.berth.cli.line.TimeLimit;
import dev.berth.core.option.Forms;
import dev.berth.core.option.JobOption;
import dev.berth.core.option.TaskForms;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** The options of a job on a command line: declared, and made a request of, by the table {@link JobOption}. */
final class JobWords {
    private static final int MAX_CPUS = 100_000;
    private static final int MAX_NUMBER = 999_999;

    private JobWords() {}

    static boolean isGiven(JobOption option, Arguments arguments) {
        return arguments.has(name(option));
    }

    /** The usual name. */
    private static String name(JobOption option) {
        return option.names().getFirst();
    }

    static Shape addTo(Shape shape, Predicate<JobOption> which) {
        for (JobOption option : JobOption.values()) {
            if (which.test(option)) {
                shape.option(option);
            }
        }
        return shape;
    }

    /**
     * The request for a process of the machine itself.
     *
     * @param directory where it is started
     * @param shell whether it is the shell that is there already
     */
    static Map<String, Object> hostRequest(Arguments arguments, List<String> command, Path directory, boolean shell) {
        Map<String, Object> request = request(arguments, true, Map.of(), Instant.EPOCH);
        Path name = directory.getFileName();
        if (name != null) {
            request.putIfAbsent(JobOption.PROJECT.field(), name.toString());
        }
        if (shell) {
            request.putIfAbsent(JobOption.NAME.field(), "lease");
        }
        request.put("command", command);
        request.put("host", true);
        request.put("directory", directory.toString());
        request.put("shell", shell);
        return request;
    }

    /** The request without project and snapshot of its directory. Whatever is wrong with the options is told here. */
    static Map<String, Object> request(
            Arguments arguments, List<String> command, Map<String, String> here, Instant now) {
        Map<String, Object> request = request(arguments, false, here, now);
        if (!command.isEmpty()) {
            request.put("command", command);
        }
        return request;
    }

    private static Map<String, Object> request(
            Arguments arguments, boolean host, Map<String, String> here, Instant now) {
        Map<String, Object> request = new LinkedHashMap<>();
        for (JobOption option : JobOption.values()) {
            // Two options of one field are one value: a file that is a pipe is read once.
            boolean isTaken = request.containsKey(option.field()) && option != JobOption.REPEAT;
            if (!option.isOf(host) || isTaken || !isGiven(option, arguments)) {
                continue;
            }
            Object value = value(option, arguments, here, now);
            boolean isShare = value instanceof GpuCount count && count.isShare();
            request.put(isShare ? "gpuMilli" : option.field(), value instanceof GpuCount count ? count.value() : value);
        }
        return request;
    }

    private static Object value(JobOption option, Arguments arguments, Map<String, String> here, Instant now) {
        String name = arguments.typed(option.names());
        List<String> all = option.kind().isList() ? arguments.values(name(option)) : List.of();
        String text = option.kind().hasValue() && all.isEmpty() ? arguments.required(name(option)) : "";
        return switch (option.kind()) {
            case FLAG -> true;
            case TEXT -> text;
            case TEXTS -> all;
            case VARIABLES, VARIABLE_FILES ->
                VariableOptions.of(
                        arguments.values(name(JobOption.ENVIRONMENT_FILES)),
                        arguments.values(name(JobOption.ENVIRONMENT)),
                        here);
            case VOLUMES -> Volume.of(all);
            case PULL -> pull(name, text);
            case GPUS -> GpuCount.of(name, text);
            case NUMBER -> Objects.requireNonNull(arguments.number(name, 0, MAX_NUMBER));
            case CPUS -> Sizes.cpus(name, text, MAX_CPUS);
            case SIZE -> Sizes.withUnit(name, text);
            case MEMORY -> Sizes.memory(name, text);
            case DURATION -> TimeLimit.seconds(name, text);
            case DATE -> {
                BeginTime.requireWhole(
                        name, text, arguments.behind(name).stream().reduce("", (_, last) -> last));
                yield BeginTime.instant(name, text, now, ZoneId.systemDefault());
            }
            case TASKS -> tasks(name, text, TaskForms::indices, "0-31%4");
            case TASK_COUNT -> {
                requireNoArray(name, arguments);
                yield tasks(name, text, TaskForms::counted, "5, or 5%2 for 2 at a time");
            }
            case JOBS, DEPENDENCIES ->
                DependencyWords.of(
                        arguments.behind(name(JobOption.AFTER)),
                        arguments.values(name(JobOption.AFTER)),
                        arguments.values(name(JobOption.DEPENDENCY)));
        };
    }

    /** An array's tasks as the API has them, whose rules these are. */
    private static String tasks(String name, String text, UnaryOperator<String> form, String example) {
        try {
            return form.apply(text);
        } catch (IllegalArgumentException e) {
            throw Failure.usage(name + ": '" + text + "' " + e.getMessage() + "; for example " + name + " " + example);
        }
    }

    private static void requireNoArray(String name, Arguments arguments) {
        if (isGiven(JobOption.ARRAY, arguments)) {
            throw Failure.usage(name(JobOption.ARRAY) + " and " + name + " exclude each other; give one of them");
        }
    }

    private static String pull(String name, String text) {
        if (!Forms.PULLS.contains(text)) {
            throw Failure.usage(name + ": '" + text + "' is none of " + String.join(", ", Forms.PULLS)
                    + "; for example " + name + " always");
        }
        return text;
    }

    /** The origin in the line of a value of the job: its options, or the line's words. */
    static String origin(String value, Arguments arguments) {
        String given = String.join(
                ", ",
                JobOption.of(value).stream()
                        .filter(option -> isGiven(option, arguments))
                        .flatMap(option -> option.names().stream()
                                .filter(name -> name.startsWith("--"))
                                .limit(1))
                        .toList());
        return !given.isEmpty() ? given : value.equals("project") ? "directory's name" : "command line";
    }
}
