package dev.berth.core.option;

import dev.berth.core.job.TaskSet;
import dev.berth.core.job.Tasks;

/**
 * The forms in which an array's tasks are asked for: their indices, or a number of them. A text that is none of them is
 * an {@link IllegalArgumentException}, whose message is the rule that it breaks and goes on from the text.
 */
public final class TaskForms {
    /** The most tasks of one array. */
    public static final int MAX_TASKS = TaskSet.MAX_TASKS;

    private static final char THROTTLE = '%';

    private TaskForms() {}

    /** The tasks of such a text as 0-31%4, in the form of the API. */
    public static String indices(String text) {
        return Tasks.parse(text).toString();
    }

    /** The tasks 0 to 4 for 5, or 5%2, in the form of the API. */
    public static String counted(String text) {
        int throttle = text.indexOf(THROTTLE);
        String count = throttle < 0 ? text : text.substring(0, throttle);
        boolean isNumber = TaskSet.areDigits(count) && count.length() <= 7;
        int tasks = isNumber ? Integer.parseInt(count) : 0;
        if (tasks < 1 || tasks > MAX_TASKS) {
            throw new IllegalArgumentException("must be a number of tasks from 1 to " + MAX_TASKS);
        }
        return indices("0-" + (tasks - 1) + (throttle < 0 ? "" : text.substring(throttle)));
    }
}
