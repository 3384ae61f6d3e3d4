package dev.berth.core.machine;

import dev.berth.core.job.JobId;
import dev.berth.core.job.StateName;
import java.time.Instant;
import java.util.Collections;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What is known of the jobs that are not ready, and of arrays and packs that may have ended. They stand in the store, and are read
 * once a job that they wait for has ended or their date has come; until then nothing is started, so that a job that becomes ready
 * is as old as its place.
 *
 * @param areAwaiting whether jobs may wait for others
 * @param ended the jobs that have ended, with how, and of which not all who wait for them know that
 * @param areDatesUnread whether a date has come of which not all who wait for it know that
 * @param earliest the first of them, each in its way
 * @param arrays the arrays of which a task has ended and nobody has looked since whether it was the last
 * @param packs the packs that have ended and of whose tasks not all is known
 * @param handedOver the jobs that a target has whose engine keeps dependencies, and of which those who wait for them have not been told
 */
public record DeferredJobs(
        boolean areAwaiting,
        SortedMap<JobId, StateName> ended,
        boolean areDatesUnread,
        Earliest earliest,
        SortedSet<JobId> arrays,
        SortedSet<JobId> packs,
        SortedSet<JobId> handedOver) {
    static final DeferredJobs NONE = new DeferredJobs(
            false, new TreeMap<>(), false, Earliest.NONE, new TreeSet<>(), new TreeSet<>(), new TreeSet<>());

    /**
     * The first of them.
     *
     * @param job the turn of the one that would have its turn first, or null
     * @param dependent the same of those that wait for other jobs and for nobody's decision
     * @param begin the first date that any of them waits for, or null
     */
    public record Earliest(
            @Nullable JobId job,
            @Nullable JobId dependent,
            @Nullable Instant begin) {
        static final Earliest NONE = new Earliest(null, null, null);
    }

    public DeferredJobs {
        ended = Collections.unmodifiableSortedMap(new TreeMap<>(ended));
        arrays = Collections.unmodifiableSortedSet(new TreeSet<>(arrays));
        packs = Collections.unmodifiableSortedSet(new TreeSet<>(packs));
        handedOver = Collections.unmodifiableSortedSet(new TreeSet<>(handedOver));
    }

    /** Those that a store has, before anybody was told of anything. */
    public static DeferredJobs of(boolean areAwaiting, SortedMap<JobId, StateName> ended, Earliest earliest) {
        return new DeferredJobs(areAwaiting, ended, false, earliest, new TreeSet<>(), new TreeSet<>(), new TreeSet<>());
    }

    /** Whether some may be ready and do not know it. */
    public boolean areUnread() {
        return !ended.isEmpty() || areDatesUnread || !arrays.isEmpty();
    }

    /** Whether one with an earlier turn may become ready up to a date. */
    boolean mayPrecede(JobId turn, Instant date) {
        return isBefore(earliest.dependent(), turn)
                || (isBefore(earliest.job(), turn)
                        && earliest.begin() != null
                        && !earliest.begin().isAfter(date));
    }

    private static boolean isBefore(@Nullable JobId one, JobId other) {
        return one != null && one.compareTo(other) < 0;
    }

    /** As they are where others are the first. */
    public DeferredJobs with(Earliest others) {
        return new DeferredJobs(areAwaiting, ended, areDatesUnread, others, arrays, packs, handedOver);
    }

    DeferredJobs awaiting() {
        return new DeferredJobs(true, ended, areDatesUnread, earliest, arrays, packs, handedOver);
    }

    /** As they are where those who wait for a job are to be told of its end before anything starts. */
    public DeferredJobs withEnded(JobId job, StateName end) {
        if (!areAwaiting) {
            return this;
        }
        SortedMap<JobId, StateName> more = new TreeMap<>(ended);
        more.put(job, end);
        return new DeferredJobs(true, more, areDatesUnread, earliest, arrays, packs, handedOver);
    }

    DeferredJobs withoutEnded(JobId job) {
        SortedMap<JobId, StateName> less = new TreeMap<>(ended);
        less.remove(job);
        return new DeferredJobs(areAwaiting, less, areDatesUnread, earliest, arrays, packs, handedOver);
    }

    DeferredJobs withDatesUnread(boolean areUnread) {
        return new DeferredJobs(areAwaiting, ended, areUnread, earliest, arrays, packs, handedOver);
    }

    /** As they are where an array is to be looked at before anything starts. */
    public DeferredJobs withArray(JobId array) {
        return new DeferredJobs(areAwaiting, ended, areDatesUnread, earliest, with(arrays, array), packs, handedOver);
    }

    DeferredJobs withoutArray(JobId array) {
        return new DeferredJobs(
                areAwaiting, ended, areDatesUnread, earliest, without(arrays, array), packs, handedOver);
    }

    /** As they are where it is to be told what a pack that has ended left of its tasks; that keeps nobody waiting. */
    public DeferredJobs withPack(JobId pack) {
        return new DeferredJobs(areAwaiting, ended, areDatesUnread, earliest, arrays, with(packs, pack), handedOver);
    }

    DeferredJobs withoutPack(JobId pack) {
        return new DeferredJobs(areAwaiting, ended, areDatesUnread, earliest, arrays, without(packs, pack), handedOver);
    }

    /** As they are where those who wait for a job that a target has are to be told of that. */
    public DeferredJobs withHandedOver(JobId job) {
        return areAwaiting
                ? new DeferredJobs(true, ended, areDatesUnread, earliest, arrays, packs, with(handedOver, job))
                : this;
    }

    DeferredJobs withoutHandedOver(JobId job) {
        return new DeferredJobs(areAwaiting, ended, areDatesUnread, earliest, arrays, packs, without(handedOver, job));
    }

    private static SortedSet<JobId> with(SortedSet<JobId> jobs, JobId job) {
        SortedSet<JobId> more = new TreeSet<>(jobs);
        more.add(job);
        return more;
    }

    private static SortedSet<JobId> without(SortedSet<JobId> jobs, JobId job) {
        SortedSet<JobId> less = new TreeSet<>(jobs);
        less.remove(job);
        return less;
    }
}
