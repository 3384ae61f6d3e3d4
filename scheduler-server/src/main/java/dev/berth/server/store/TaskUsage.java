package dev.berth.server.store;

import java.util.function.LongBinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The GPU use of those tasks of an array that have ended, each in its last attempt, as sums.
 *
 * @param tasks the number of those whose program ran
 * @param ranMillis for how long their programs ran
 * @param knownMillis for how long the utilisation was known
 * @param utilisationMillis that time weighted with the percent in it
 * @param peakMemoryMiB the most that one of them held, null where nobody told
 * @param idleMillis for how long all GPUs of a task were idle
 * @param energyMillijoules null where nobody told
 */
public record TaskUsage(
        long tasks,
        long ranMillis,
        long knownMillis,
        long utilisationMillis,
        @Nullable Long peakMemoryMiB,
        long idleMillis,
        @Nullable Long energyMillijoules) {

    /** This, and the time of one task more. */
    public TaskUsage andRan(long millis) {
        return new TaskUsage(
                tasks + 1,
                ranMillis + millis,
                knownMillis,
                utilisationMillis,
                peakMemoryMiB,
                idleMillis,
                energyMillijoules);
    }

    /** This, and what one of those tasks has made of its GPUs. */
    public TaskUsage and(StoredUsage task) {
        return new TaskUsage(
                tasks,
                ranMillis,
                knownMillis + task.knownMillis(),
                utilisationMillis + task.utilisationMillis(),
                both(peakMemoryMiB, task.peakMemoryMiB(), Math::max),
                idleMillis + task.idleMillis(),
                both(energyMillijoules, task.energyMillijoules(), Long::sum));
    }

    private static @Nullable Long both(@Nullable Long one, @Nullable Long other, LongBinaryOperator join) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return join.applyAsLong(one, other);
    }
}
