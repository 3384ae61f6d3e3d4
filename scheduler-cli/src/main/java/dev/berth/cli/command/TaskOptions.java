package dev.berth.cli.command;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import dev.berth.core.api.JobView;
import dev.berth.core.api.TasksView;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The options that lists of the tasks of arrays have in common. */
final class TaskOptions {
    static final String TASKS = "--tasks";
    static final String PARAM = "--param";

    private TaskOptions() {}

    /** Adds them to a list; {@code tasks} is what it says of the first one. */
    static Shape addTo(Shape shape, String tasks) {
        return shape.flag(tasks, TASKS)
                .value("NAME=VALUE", "With " + TASKS + ", only tasks of a sweep that have this parameter.", PARAM);
    }

    /** The parameter that the tasks must have; null for any. */
    static @Nullable String param(Arguments arguments, String verb) {
        String param = arguments.value(PARAM);
        if (param != null && param.indexOf('=') < 1) {
            throw Failure.usage(
                    PARAM + ": '" + param + "' must be a name and its value; for example " + PARAM + " lr=0.1");
        }
        if (param != null && !arguments.has(TASKS)) {
            throw Failure.usage(PARAM + " goes with " + TASKS + ", as only the tasks of sweeps have parameters: berth "
                    + verb + " " + TASKS + " 42 " + PARAM + " " + param);
        }
        return param;
    }

    /**
     * The id of the array that the line names. Says which of its tasks are not listed, unless they are chosen by a parameter.
     *
     * @param param as {@link #param}
     * @param withWaiting whether tasks that wait would be listed
     */
    static long array(Arguments arguments, Session session, @Nullable String param, boolean withWaiting)
            throws IOException {
        BerthClient client = session.client();
        JobView array = client.job(session.jobId(arguments, client));
        TasksView tasks = array.tasks();
        if (tasks == null) {
            throw Failure.of(
                    ExitCode.REFUSED,
                    "NO_ARRAY",
                    "job " + array.number() + " is no array and has no tasks; berth status " + array.number()
                            + " shows it");
        }
        if (param == null) {
            tellUnlisted(array, tasks, session, withWaiting);
        }
        return array.id();
    }

    /** Those that had no turn are no jobs of their own. */
    private static void tellUnlisted(JobView array, TasksView tasks, Session session, boolean withWaiting) {
        if (withWaiting && !tasks.waiting().isEmpty()) {
            session.output()
                    .notice("berth: not listed, as their turn has not come: tasks " + tasks.waiting() + " of array "
                            + array.number());
        }
        if (!tasks.unstarted().isEmpty()) {
            session.output()
                    .notice("berth: not listed, as they ended with their array and had no turn: " + array.number()
                            + "_[" + tasks.unstarted() + "] " + tasks.unstartedState());
        }
    }
}
