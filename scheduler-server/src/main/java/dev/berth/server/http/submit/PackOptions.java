package dev.berth.server.http.submit;

import dev.berth.core.api.OptionValues;
import dev.berth.core.job.DependencyKind;
import dev.berth.core.job.Packing;
import dev.berth.core.job.Prerequisites;
import dev.berth.core.job.Tasks;
import dev.berth.core.option.JobOption;
import dev.berth.server.http.exchange.ApiException;
import org.jspecify.annotations.Nullable;

/** The options for how the tasks of an array share containers. */
final class PackOptions {
    private PackOptions() {}

    /** The tasks as they are to run; null for a job that is no array. */
    static @Nullable Tasks of(OptionValues asked, @Nullable Tasks tasks) {
        Integer size = Options.number(asked, JobOption.PACK);
        Integer parallel = Options.number(asked, JobOption.PARALLEL);
        if (size == null) {
            if (parallel != null) {
                throw refused(
                        JobOption.PARALLEL, parallel, "is of the tasks of a pack; say how many these are (--pack)");
            }
            return tasks;
        }
        if (tasks == null) {
            throw refused(
                    JobOption.PACK,
                    size,
                    "is of the tasks of an array, and this job is none; make it one (--array, --repeat, --sweep, --zip"
                            + " or --sample), or leave it out");
        }
        return tasks.with(new Packing(size, parallel(parallel, size, tasks)));
    }

    private static int parallel(@Nullable Integer parallel, int size, Tasks tasks) {
        if (parallel == null) {
            return 1;
        }
        if (parallel > size) {
            throw refused(JobOption.PARALLEL, parallel, "must be from 1 to " + size + ", the tasks of a pack (--pack)");
        }
        if (tasks.atOnce() > 0 && parallel > tasks.atOnce()) {
            throw refused(
                    JobOption.PARALLEL,
                    parallel,
                    "is more than the " + (tasks.atOnce() == 1 ? "one task" : tasks.atOnce() + " tasks")
                            + " of the array that may run at the same time (%"
                            + tasks.atOnce() + "); give a lower number here, or a higher one there");
        }
        return parallel;
    }

    /** Throws where tasks that share containers would each wait for another end. */
    static void requireTogether(@Nullable Tasks tasks, Prerequisites prerequisites) {
        boolean isTaskByTask = prerequisites.dependencies().stream()
                .anyMatch(dependency -> dependency.kind() == DependencyKind.AFTER_CORR);
        if (tasks != null && tasks.packing() != null && isTaskByTask) {
            throw refused(
                    JobOption.PACK,
                    tasks.packing().size(),
                    "does not go with aftercorr, where each task waits for another one and starts alone; leave it out,"
                            + " or wait for the whole array (afterok)");
        }
    }

    private static ApiException refused(JobOption option, int value, String rule) {
        return ApiException.field(option.field(), Integer.toString(value), rule);
    }
}
