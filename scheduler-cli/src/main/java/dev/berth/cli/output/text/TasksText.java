package dev.berth.cli.output.text;

import dev.berth.core.api.JobView;
import dev.berth.core.api.TasksView;
import dev.berth.core.option.JobOption;
import java.util.List;

/** Arrays and their tasks, for people. */
public final class TasksText {
    private static final int MAX_RANGES_LENGTH = 16;

    private static final List<String> STATES = List.of(
            "RUNNING",
            "STARTING",
            "STOPPING",
            "QUEUED",
            "HELD",
            "COMPLETED",
            "FAILED",
            "TIMEOUT",
            "OUT_OF_MEMORY",
            "LOST",
            "CANCELLED");

    private TasksText() {}

    /** "42_[5-31%4]" for an array whose tasks 5 to 31 have had no turn, "42_[0-31]" for one of them that all had. */
    static String id(JobView job) {
        TasksView tasks = job.tasks();
        if (tasks == null) {
            return job.number();
        }
        String asked = job.options().text("array");
        int throttle = asked.indexOf('%');
        String all = throttle < 0 ? asked : asked.substring(0, throttle);
        return job.number() + "_["
                + (tasks.waiting().isEmpty()
                        ? shortened(all)
                        : shortened(tasks.waiting()) + asked.substring(all.length()))
                + "]";
    }

    /** The first of many ranges stands for all. */
    private static String shortened(String ranges) {
        int end = ranges.length() <= MAX_RANGES_LENGTH ? -1 : ranges.indexOf(',');
        return end < 0 ? ranges : ranges.substring(0, end) + ",...";
    }

    /** The number of an array's first task, as 42_0. */
    public static String firstTask(JobView array) {
        String asked = array.options().text("array");
        int end = 0;
        while (end < asked.length() && Character.isDigit(asked.charAt(end))) {
            end++;
        }
        return array.number() + "_" + asked.substring(0, end);
    }

    /** "of 5 tasks in one container, 2 at a time": how the tasks of an array share containers; empty where they do not. */
    static String packs(JobView array) {
        String size = array.options().shown(JobOption.PACK.field());
        if (size.isEmpty() || array.tasks() == null) {
            return "";
        }
        String parallel = array.options().shown(JobOption.PARALLEL.field());
        return "of " + size + (size.equals("1") ? " task" : " tasks") + " in one container, "
                + (parallel.equals("1") ? "one after the other" : parallel + " at a time");
    }

    /** "4 RUNNING, 23 QUEUED, 5 COMPLETED": how an array's tasks stand, in the order of a job's life. */
    static String counts(TasksView tasks) {
        StringBuilder text = new StringBuilder();
        for (String state : STATES) {
            if (tasks.in(state) > 0) {
                text.append(text.isEmpty() ? "" : ", ")
                        .append(tasks.in(state))
                        .append(' ')
                        .append(state);
            }
        }
        return text.toString();
    }
}
