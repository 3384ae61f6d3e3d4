package dev.berth.cli.command.submit;

import dev.berth.cli.exit.Failure;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.GpuCount;
import dev.berth.cli.line.Shape;
import dev.berth.cli.line.Sizes;
import dev.berth.cli.line.TimeLimit;
import dev.berth.core.api.SubmitRequest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The options of a submit line that say what the job is to be. */
public final class JobOptions {
    static final String ENTRYPOINT = "--entrypoint";

    private static final String GPUS = "--num-gpus";
    private static final String NAME = "--name";
    private static final String PROJECT = "--project";
    private static final String IMAGE = "--image";
    private static final String PULL = "--pull";
    private static final String VARIABLE = "--env";
    private static final String VARIABLE_FILE = "--env-file";
    private static final String VOLUME = "--volume";
    private static final String DIRECTORY = "--workdir";
    private static final String CPUS = "--cpus";
    private static final String MEMORY = "--memory";
    private static final String RAM = "--ram";
    private static final String SHM = "--shm-size";
    private static final String TIME = "--time";
    private static final String NETWORK = "--network";
    private static final String TAG = "--tag";
    private static final String REQUEUE = "--requeue";
    private static final String GPU_MEMORY = "--gpu-memory";
    private static final String GPU_TYPE = "--gpu-type";
    private static final String GPU_LABEL = "--gpu-label";
    private static final String IDLE = "--idle-timeout";

    /** What Slurm's users type; --time is as good. */
    private static final String TIME_LIMIT = "--time-limit";

    static final String NO_WAIT = "--no-wait";
    private static final List<String> PULLS = List.of("missing", "always", "never");

    private static final int MAX_CPUS = 100_000;

    /** The options by the names of their values in the job's record. */
    private static final Map<String, List<String>> BY_VALUE = Map.ofEntries(
            Map.entry("gpus", List.of(GPUS)),
            Map.entry("name", List.of(NAME)),
            Map.entry("project", List.of(PROJECT)),
            Map.entry("image", List.of(IMAGE)),
            Map.entry("pull", List.of(PULL)),
            Map.entry("environment", List.of(VARIABLE, VARIABLE_FILE)),
            Map.entry("mount", List.of(VOLUME)),
            Map.entry("workingDirectory", List.of(DIRECTORY)),
            Map.entry("entrypoint", List.of(ENTRYPOINT)),
            Map.entry("cpuMilli", List.of(CPUS)),
            Map.entry("memoryBytes", List.of(MEMORY)),
            Map.entry("shmBytes", List.of(SHM)),
            Map.entry("timeLimitSeconds", List.of(TIME)),
            Map.entry("network", List.of(NETWORK)),
            Map.entry("tags", List.of(TAG)),
            Map.entry("requeue", List.of(REQUEUE)),
            Map.entry("gpuMilli", List.of(GPUS)),
            Map.entry("gpuMemoryBytes", List.of(GPU_MEMORY)),
            Map.entry("gpuType", List.of(GPU_TYPE)),
            Map.entry("gpuLabels", List.of(GPU_LABEL)),
            Map.entry("idleTimeoutSeconds", List.of(IDLE)));

    private JobOptions() {}

    static Shape addTo(Shape shape) {
        return shape.value("N", "How many GPUs the job needs; below 1 a share of one. Default: 0.", GPUS)
                .value("SIZE", "How much memory each GPU must have for it: " + Sizes.FORMS + ".", GPU_MEMORY)
                .value("TYPE", "Only GPUs with this word in their name, for example a100.", GPU_TYPE)
                .values("LABEL", "Only GPUs that the operator labelled so; may be repeated.", GPU_LABEL)
                .value("NAME", "What to call the job. Default: the command's first word.", NAME)
                .value("PROJECT", "What it belongs to. Default: the directory's name.", PROJECT)
                .values("WORD", "A word to keep with the job; may be repeated. berth status shows it.", TAG)
                .value("IMAGE", "The container image. Default: the server's.", IMAGE)
                .value("WHEN", "When to pull the image: missing, always, never.", PULL)
                .values("K=V", "A variable for the program; -e K passes the value it has here.", "-e", VARIABLE)
                .values("FILE", "Variables from a file, NAME=VALUE a line; -e beats it.", VARIABLE_FILE)
                .values("SRC:DST[:ro]", "A directory of the machine for the program to see.", "-v", VOLUME)
                .value("DIR", "Where in the container the program starts. Default: the directory.", "-w", DIRECTORY)
                .value("PROGRAM", "A program to put before the command.", ENTRYPOINT)
                .value("N", "How many CPUs it may use, for example 1.5.", CPUS)
                .value("SIZE", "How much memory it may use: " + Sizes.FORMS + "; a plain number is GB.", MEMORY, RAM)
                .value("SIZE", "How large its /dev/shm is: " + Sizes.FORMS + ".", SHM)
                .value("DURATION", "End the program after this time: " + TimeLimit.FORMS + ".", TIME)
                .value("DURATION", "End it once all its GPUs were idle so long. Default: never.", IDLE)
                .value("NAME", "The network of Docker's that it is on.", NETWORK)
                .flag("Queue it again, in its place, when the machine loses it.", REQUEUE);
    }

    /** Those that a process of the machine itself has too. */
    static Shape addHostTo(Shape shape) {
        return shape.value("N", "How many GPUs it needs; below 1 a share of one. Default: 0.", GPUS)
                .value("SIZE", "How much memory each GPU must have for it: " + Sizes.FORMS + ".", GPU_MEMORY)
                .value("TYPE", "Only GPUs with this word in their name, for example a100.", GPU_TYPE)
                .values("LABEL", "Only GPUs that the operator labelled so; may be repeated.", GPU_LABEL)
                .value("N", "How many cores of its own it keeps to. Default: none, and all are there.", CPUS)
                .value("DURATION", "End it after this time: " + TimeLimit.FORMS + ".", TIME, TIME_LIMIT)
                .value("DURATION", "End it once all its GPUs were idle so long. Default: never.", IDLE)
                .value("NAME", "What to call the job. Default: the command's first word.", NAME)
                .value("PROJECT", "What it belongs to. Default: the directory's name.", PROJECT)
                .values("WORD", "A word to keep with the job; may be repeated. berth status shows it.", TAG)
                .flag("Do not wait: end with code 75, and say what is free, where it cannot start at once.", NO_WAIT);
    }

    /**
     * The request for a process of the machine itself.
     *
     * @param directory where it is started
     * @param shell whether it is the shell that is there already
     */
    static SubmitRequest hostRequest(Arguments arguments, List<String> command, Path directory, boolean shell) {
        GpuCount gpus = GpuCount.of(GPUS, arguments.value(GPUS));
        Path name = directory.getFileName();
        String project = arguments.value(PROJECT);
        return new SubmitRequest(
                shell && !arguments.has(NAME) ? "lease" : arguments.value(NAME),
                project == null && name != null ? name.toString() : project,
                arguments.has(TAG) ? List.copyOf(arguments.values(TAG)) : null,
                command,
                null,
                null,
                null,
                null,
                null,
                null,
                gpus.isShare() ? null : gpus.whole(),
                Sizes.cpus(CPUS, arguments.value(CPUS), MAX_CPUS),
                null,
                null,
                null,
                null,
                TimeLimit.seconds(arguments.value(TIME)),
                null,
                gpus.isShare() ? gpus.milli() : null,
                Sizes.withUnit(GPU_MEMORY, arguments.value(GPU_MEMORY)),
                arguments.value(GPU_TYPE),
                arguments.has(GPU_LABEL) ? List.copyOf(arguments.values(GPU_LABEL)) : null,
                TimeLimit.secondsOrNull(IDLE, arguments.value(IDLE)),
                true,
                directory.toString(),
                arguments.has(NO_WAIT),
                shell);
    }

    /** The request without project and snapshot of its directory. Whatever is wrong with the options is told here. */
    public static SubmitRequest request(Arguments arguments, List<String> command, Map<String, String> here) {
        GpuCount gpus = GpuCount.of(GPUS, arguments.value(GPUS));
        return new SubmitRequest(
                arguments.value(NAME),
                arguments.value(PROJECT),
                arguments.has(TAG) ? List.copyOf(arguments.values(TAG)) : null,
                command.isEmpty() ? null : command,
                arguments.value(ENTRYPOINT),
                arguments.value(DIRECTORY),
                VariableOptions.of(arguments.values(VARIABLE_FILE), arguments.values(VARIABLE), here),
                null,
                arguments.value(IMAGE),
                pull(arguments.value(PULL)),
                gpus.isShare() ? null : gpus.whole(),
                Sizes.cpus(CPUS, arguments.value(CPUS), MAX_CPUS),
                Sizes.memory(MEMORY, arguments.value(MEMORY)),
                Sizes.withUnit(SHM, arguments.value(SHM)),
                arguments.value(NETWORK),
                Volume.of(arguments.values(VOLUME)),
                TimeLimit.seconds(arguments.value(TIME)),
                arguments.has(REQUEUE) ? true : null,
                gpus.isShare() ? gpus.milli() : null,
                Sizes.withUnit(GPU_MEMORY, arguments.value(GPU_MEMORY)),
                arguments.value(GPU_TYPE),
                arguments.has(GPU_LABEL) ? List.copyOf(arguments.values(GPU_LABEL)) : null,
                TimeLimit.secondsOrNull(IDLE, arguments.value(IDLE)),
                null,
                null,
                null,
                null);
    }

    /** The same request with the directory's snapshot, and its name where no project is named. */
    static SubmitRequest with(SubmitRequest request, @Nullable String directory, @Nullable String snapshot) {
        return new SubmitRequest(
                request.name(),
                request.project() == null ? directory : request.project(),
                request.tags(),
                request.command(),
                request.entrypoint(),
                request.workingDirectory(),
                request.environment(),
                snapshot,
                request.image(),
                request.pull(),
                request.gpus(),
                request.cpuMilli(),
                request.memoryBytes(),
                request.shmBytes(),
                request.network(),
                request.volumes(),
                request.timeLimitSeconds(),
                request.requeue(),
                request.gpuMilli(),
                request.gpuMemoryBytes(),
                request.gpuType(),
                request.gpuLabels(),
                request.idleTimeoutSeconds(),
                request.host(),
                request.directory(),
                request.noWait(),
                request.shell());
    }

    /** Where in the line a value of the job comes from: its options, or the line's words. */
    static String origin(String value, Arguments arguments) {
        List<String> given = new ArrayList<>();
        for (String option : BY_VALUE.getOrDefault(value, List.of())) {
            if (arguments.has(option)) {
                given.add(option);
            }
        }
        if (given.isEmpty()) {
            return value.equals("project") ? "directory's name" : "command line";
        }
        return String.join(", ", given);
    }

    private static @Nullable String pull(@Nullable String text) {
        if (text != null && !PULLS.contains(text)) {
            throw Failure.usage(PULL + ": '" + text + "' is none of " + String.join(", ", PULLS) + "; for example "
                    + PULL + " always");
        }
        return text;
    }
}
