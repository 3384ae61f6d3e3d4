package dev.berth.server.runner;

import dev.berth.core.job.Job;
import dev.berth.core.job.Part;
import dev.berth.core.job.TaskSet;
import dev.berth.core.job.Tasks;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The variables by which a program learns which task of an array it is: Berth's own, and those that scripts for Slurm read
 * (sbatch(1), "OUTPUT ENVIRONMENT VARIABLES").
 */
public final class ArrayEnvironment {
    private ArrayEnvironment() {}

    /** None for a job that is no task. */
    public static Map<String, String> of(Job job) {
        Map<String, String> variables = new LinkedHashMap<>();
        Tasks tasks = job.spec().tasks();
        if (tasks != null && job.part() instanceof Part.Task task) {
            TaskSet all = tasks.all();
            put(variables, "ID", "JOB_ID", task.array().toString());
            put(variables, "TASK", "TASK_ID", Integer.toString(task.index()));
            put(variables, "COUNT", "TASK_COUNT", Integer.toString(all.size()));
            put(variables, "MIN", "TASK_MIN", Integer.toString(all.first()));
            put(variables, "MAX", "TASK_MAX", Integer.toString(all.last()));
        }
        return variables;
    }

    private static void put(Map<String, String> variables, String own, String slurm, String value) {
        variables.put("BERTH_ARRAY_" + own, value);
        variables.put("SLURM_ARRAY_" + slurm, value);
    }
}
