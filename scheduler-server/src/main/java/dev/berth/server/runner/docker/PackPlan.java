package dev.berth.server.runner.docker;

import dev.berth.core.job.Job;
import dev.berth.core.job.LimitSignal;
import dev.berth.core.job.Limits;
import dev.berth.core.job.Packing;
import dev.berth.core.job.Part;
import dev.berth.core.job.Program;
import dev.berth.core.job.Signal;
import dev.berth.core.parameter.TaskParameters;
import dev.berth.server.code.PackFiles;
import dev.berth.server.code.Workspaces;
import dev.berth.server.code.Workspaces.PackedTask;
import dev.berth.server.runner.ArrayEnvironment;
import dev.berth.server.runner.docker.ContainerPlan.Mount;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The part of a container that is for the tasks of a pack.
 *
 * @param tasks those that are to run, in order; none where the job is no pack
 * @param usualGrace from TERM to KILL where a job asks for nothing else
 */
record PackPlan(List<Job> tasks, Duration usualGrace) {
    /** Where the container finds them: nobody may mount anything there. */
    private static final String DIRECTORY = "/etc/berth-pack";

    /** What tells the script to look which tasks are to end; a shell that does not listen yet takes no harm. */
    static final Signal WAKE = Signal.CONT;

    private static final String NEVER = "0";

    PackPlan {
        tasks = List.copyOf(tasks);
    }

    /** The text of the script that runs the tasks of a pack. */
    static String script() {
        try (InputStream script = Objects.requireNonNull(PackPlan.class.getResourceAsStream(PackFiles.SCRIPT))) {
            return new String(script.readAllBytes(), StandardCharsets.US_ASCII);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The command of the container. */
    List<String> command(Job pack) {
        Packing packing = Objects.requireNonNull(
                Objects.requireNonNull(pack.spec().tasks()).packing());
        Limits limits = tasks.isEmpty() ? Limits.NONE : tasks.getFirst().spec().limits();
        LimitSignal signal = limits.signal();
        List<String> command = new ArrayList<>(List.of(
                "/bin/sh",
                DIRECTORY + "/" + PackFiles.SCRIPT,
                DIRECTORY,
                Integer.toString(packing.parallel()),
                seconds(limits.time()),
                signal == null ? NEVER : seconds(signal.before()),
                signal == null ? "TERM" : signal.signal().name(),
                seconds(limits.grace() == null ? usualGrace : limits.grace())));
        tasks.forEach(task -> command.add(task.id().toString()));
        return command;
    }

    private static String seconds(@Nullable Duration time) {
        return time == null
                ? NEVER
                : Long.toString(Math.max(1, time.plusNanos(999_999_999).toSeconds()));
    }

    /** The tasks with what each needs to run. */
    List<PackedTask> packed(Program program) {
        return tasks.stream()
                .map(task -> {
                    TaskParameters parameters = program.of(task);
                    return new PackedTask(
                            task, start(task, program, parameters), parameters == null ? null : parameters.json());
                })
                .toList();
    }

    /** A script that becomes the program of a task: what one task has that another has not, and its command. */
    private static String start(Job task, Program program, @Nullable TaskParameters parameters) {
        Map<String, String> variables = new LinkedHashMap<>();
        variables.put("BERTH_JOB_ID", task.number());
        variables.putAll(ArrayEnvironment.of(task));
        if (parameters != null) {
            variables.putAll(parameters.variables());
            variables.put("BERTH_PARAMS", DIRECTORY + "/" + task.id() + "/parameters");
        }
        variables.put("BERTH_ATTEMPT", Integer.toString(task.state().attempt()));
        variables.put("BERTH_OUTPUT_DIR", ContainerPlans.OUTPUT_DIRECTORY + "/" + index(task));
        variables.put("BERTH_CHECKPOINT_DIR", ContainerPlans.CHECKPOINT_DIRECTORY + "/" + index(task));
        variables.put("BERTH_TRACK", ContainerPlans.TRACK + "s/" + index(task));
        String exports = variables.entrySet().stream()
                .map(variable -> "export " + variable.getKey() + "=" + quoted(variable.getValue()) + "\n")
                .collect(Collectors.joining());
        List<String> command = parameters == null ? program.command() : parameters.filled(program.command());
        return exports + command.stream().map(PackPlan::quoted).collect(Collectors.joining(" ", "exec ", "\n"));
    }

    private static int index(Job task) {
        return ((Part.Task) Objects.requireNonNull(task.part())).index();
    }

    /** The word for a shell, as it stands: within single quotes nothing but these has a meaning. */
    private static String quoted(String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }

    /** What is mounted for the tasks. */
    List<Mount> mounts(Workspaces workspaces, PackFiles files) {
        List<Mount> mounts = new ArrayList<>(List.of(new Mount(files.directory(), DIRECTORY, false)));
        for (Job task : tasks) {
            mounts.add(new Mount(workspaces.output(task), ContainerPlans.OUTPUT_DIRECTORY + "/" + index(task), false));
            mounts.add(new Mount(
                    workspaces.checkpoint(task), ContainerPlans.CHECKPOINT_DIRECTORY + "/" + index(task), false));
            mounts.add(new Mount(workspaces.track(task), ContainerPlans.TRACK + "s/" + index(task), false));
        }
        return mounts;
    }
}
