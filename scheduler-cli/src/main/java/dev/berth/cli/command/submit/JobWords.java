package dev.berth.cli.command.submit;

import dev.berth.cli.exit.Failure;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.BeginTime;
import dev.berth.cli.line.Given;
import dev.berth.cli.line.GpuCount;
import dev.berth.cli.line.Shape;
import dev.berth.cli.line.SignalTime;
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
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** The options of a job on a command line: declared, and made a request of, by the table {@link JobOption}. */
final class JobWords {
    private static final int MAX_CPUS = 100_000;

    private JobWords() {}

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
        Map<String, Object> request = request(GivenOptions.of(arguments), true, JobVariables.NONE, Instant.EPOCH);
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
    static Map<String, Object> request(GivenOptions given, List<String> command, JobVariables variables, Instant now) {
        Map<String, Object> request = request(given, false, variables, now);
        if (!command.isEmpty()) {
            request.put("command", command);
        }
        return request;
    }

    private static Map<String, Object> request(GivenOptions given, boolean host, JobVariables variables, Instant now) {
        Map<String, Object> request = new LinkedHashMap<>();
        for (JobOption option : JobOption.values()) {
            // Two options of one field are one value.
            boolean isTaken = request.containsKey(option.field()) && option != JobOption.REPEAT;
            Given said = given.get(option);
            if (!option.isOf(host) || isTaken || said == null) {
                continue;
            }
            Object value = switch (option.kind()) {
                case VARIABLES, VARIABLE_FILES -> variables.values();
                case JOBS, DEPENDENCIES ->
                    DependencyWords.of(given.get(JobOption.AFTER), given.get(JobOption.DEPENDENCY));
                default -> value(option, said, given, now);
            };
            boolean isShare = value instanceof GpuCount count && count.isShare();
            request.put(isShare ? "gpuMilli" : option.field(), value instanceof GpuCount count ? count.value() : value);
        }
        return request;
    }

    /** A refusal says where the option is given, and by which name. */
    private static Object value(JobOption option, Given said, GivenOptions given, Instant now) {
        try {
            return checked(option, said, given, now);
        } catch (Failure refused) {
            throw said.retold(refused);
        }
    }

    private static Object checked(JobOption option, Given said, GivenOptions given, Instant now) {
        String name = said.name();
        String text = said.text();
        return switch (option.kind()) {
            case FLAG -> true;
            case TEXT -> text;
            case TEXTS -> said.texts();
            case VARIABLES, VARIABLE_FILES, JOBS, DEPENDENCIES ->
                throw new IllegalArgumentException(option + " is read together with another option");
            case VOLUMES -> Volume.of(name, said.texts());
            case PULL -> pull(name, text);
            case GPUS -> GpuCount.of(name, text);
            case NUMBER -> Arguments.number(name, text, option.bounds());
            case CPUS -> Sizes.cpus(name, text, MAX_CPUS);
            case SIZE -> Sizes.withUnit(name, text);
            case MEMORY -> Sizes.memory(name, text);
            case DURATION -> TimeLimit.seconds(name, text);
            case SIGNAL -> SignalTime.of(name, text);
            case DATE -> {
                BeginTime.requireWhole(name, text, said.behind().stream().reduce("", (_, last) -> last));
                yield BeginTime.instant(name, text, now, ZoneId.systemDefault());
            }
            case TASKS ->
                // Of a sweep all tasks are meant where only their number at a time is given.
                text.startsWith("%") && (given.isOfSweepFile() || !given.sweep().isEmpty())
                        ? tasks(
                                name,
                                text,
                                only -> TaskForms.indices("0" + only).substring(1),
                                "%4")
                        : tasks(name, text, TaskForms::indices, "0-31%4");
            case TASK_COUNT -> {
                requireNoArray(name, given);
                yield tasks(name, text, TaskForms::counted, "5, or 5%2 for 2 at a time");
            }
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

    private static void requireNoArray(String name, GivenOptions given) {
        if (given.isOfSweepFile() || !given.sweep().isEmpty()) {
            throw Failure.usage((given.isOfSweepFile()
                            ? "a sweep file"
                            : given.sweep().getFirst().name()) + " and " + name
                    + " exclude each other; to run each set of values 5 times, add --sweep repetition=1..5");
        }
        Given array = given.get(JobOption.ARRAY);
        if (array != null) {
            throw Failure.usage(array.name() + " and " + name + " exclude each other; give one of them");
        }
    }

    private static String pull(String name, String text) {
        if (!Forms.PULLS.contains(text)) {
            throw Failure.usage(name + ": '" + text + "' is none of " + String.join(", ", Forms.PULLS)
                    + "; for example " + name + " always");
        }
        return text;
    }

    /** The origin of a value of the job: the options that say it, the lines of files, or the line's words. */
    static String origin(String value, GivenOptions given) {
        String said = given.origin(value);
        return !said.isEmpty() ? said : value.equals("project") ? "directory's name" : "command line";
    }
}
