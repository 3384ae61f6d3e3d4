package dev.berth.server.simulation;

import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Outcome;
import dev.berth.core.job.Retry;
import dev.berth.server.simulation.Fate.End;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What a job asked for where an attempt of it fails. What that means is said here once more, and of what really became of
 * programs: what is to be found may be in the place where Berth says it.
 *
 * @param most the number of retries
 * @param causes the kinds of ends, and exit codes, after which one follows
 * @param first the time before the first of them
 * @param longest the time that is never exceeded, to which it doubles
 * @param limit the time after which a program of the job is stopped; zero for none
 */
record RetryTerms(int most, Set<String> causes, Duration first, Duration longest, Duration limit) {
    static final RetryTerms NONE = new RetryTerms(0, Set.of(), Duration.ZERO, Duration.ZERO, Duration.ZERO);

    static RetryTerms of(JobSpec spec) {
        Retry retry = spec.retry();
        if (retry.most() == 0) {
            return NONE;
        }
        Set<String> causes = new TreeSet<>();
        retry.causes().kinds().forEach(kind -> causes.add(kind.name()));
        retry.causes().codes().forEach(code -> causes.add(Integer.toString(code)));
        Duration limit = spec.timeLimit() == null ? Duration.ZERO : spec.timeLimit();
        return new RetryTerms(
                retry.most(), causes, retry.delay().first(), retry.delay().longest(), limit);
    }

    /** Those of such a text; of none where there is no text. */
    static RetryTerms parse(@Nullable String text) {
        if (text == null) {
            return NONE;
        }
        List<String> words = List.of(text.split(" "));
        return new RetryTerms(
                Integer.parseInt(words.get(0)),
                Set.of(words.get(1).split(",")),
                Duration.parse(words.get(2)),
                Duration.parse(words.get(3)),
                Duration.parse(words.get(4)));
    }

    /** The text that a container has of them. */
    String text() {
        return most + " " + String.join(",", causes) + " " + first + " " + longest + " " + limit;
    }

    /** Whether a retry may follow on what became of an attempt. */
    boolean cover(Fate fate) {
        Integer code = fate.exitCode;
        boolean isOwnEnd = fate.end != null
                && !fate.isUntold()
                && fate.end != End.STOP
                && fate.end != End.REBOOT
                && !fate.isEndUnknown()
                && code != null
                && code != 0;
        // One that has ended by itself may not be heard of before its stop.
        boolean isTimeOver =
                fate.end != null && limit.isPositive() && (fate.end != End.STOP || fate.ran.compareTo(limit) >= 0);
        return (causes.contains("EXIT") && isOwnEnd && !fate.outOfMemory)
                || (causes.contains(String.valueOf(code)) && isOwnEnd && !fate.outOfMemory)
                || (causes.contains("OOM") && isOwnEnd && fate.outOfMemory)
                || (causes.contains("LOST") && fate.mayHaveBeenLost())
                || (causes.contains("TIMEOUT") && isTimeOver);
    }

    /** Whether a retry follows on an attempt that is truly said to have ended so. */
    boolean cover(Outcome end) {
        return switch (end.reason()) {
            case EXITED_NONZERO -> causes.contains("EXIT") || causes.contains(String.valueOf(end.exitCode()));
            case OUT_OF_MEMORY -> causes.contains("OOM");
            case CONTAINER_LOST, MACHINE_REBOOTED, ENGINE_STOPPED, DEVICE_LOST, NODE_LOST, PREEMPTED, TARGET_LOST ->
                causes.contains("LOST");
            case TIME_LIMIT, IDLE_TIMEOUT -> causes.contains("TIMEOUT");
            case EXITED,
                    CANCELLED_BY_USER,
                    CANCELLED_AT_TARGET,
                    IMAGE_UNAVAILABLE,
                    START_FAILED,
                    DEPENDENCY_FAILED,
                    TASKS_FAILED,
                    NEVER_FITS -> false;
        };
    }

    /** The time between the end of an attempt and the next one, of a job that was retried so often before. */
    Duration delay(int before) {
        Duration doubled = first.multipliedBy(1L << before);
        return doubled.compareTo(longest) > 0 ? longest : doubled;
    }
}
