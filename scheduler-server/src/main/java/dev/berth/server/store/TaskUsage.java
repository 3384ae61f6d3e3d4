package dev.berth.server.store;

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

    /** This, and what a task that runs has made of its GPUs so far. */
    public TaskUsage and(long ran, @Nullable StoredUsage running) {
        if (running == null) {
            return new TaskUsage(
                    tasks + 1,
                    ranMillis + ran,
                    knownMillis,
                    utilisationMillis,
                    peakMemoryMiB,
                    idleMillis,
                    energyMillijoules);
        }
        Long peak = running.peakMemoryMiB();
        Long energy = running.energyMillijoules();
        return new TaskUsage(
                tasks + 1,
                ranMillis + ran,
                knownMillis + running.knownMillis(),
                utilisationMillis + running.utilisationMillis(),
                peak == null || peakMemoryMiB == null
                        ? (peak == null ? peakMemoryMiB : peak)
                        : Long.valueOf(Math.max(peak, peakMemoryMiB)),
                idleMillis + running.idleMillis(),
                energy == null || energyMillijoules == null
                        ? (energy == null ? energyMillijoules : energy)
                        : Long.valueOf(energy + energyMillijoules));
    }
}
