package dev.berth.server.track;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.server.store.JobWarning;
import dev.berth.server.store.track.Reading;
import dev.berth.server.time.Clocks;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The warning of a job that some of what it told is left out: one for all of an attempt, as a program may break rules a thousand
 * times a second. What was left out is kept with what it told. For one thread at a time.
 */
final class TrackWarnings {
    private static final Logger LOG = LoggerFactory.getLogger(TrackWarnings.class);

    private final Function<JobId, Optional<Job>> jobs;
    private final Predicate<JobWarning> warnings;
    private final Clocks clock;
    private final Set<JobId> owed = new HashSet<>();
    private final Set<Attempt> told = new HashSet<>();

    /**
     * Warnings of which none is given yet.
     *
     * @param warnings keeps one; false where it is too busy
     */
    TrackWarnings(Function<JobId, Optional<Job>> jobs, Predicate<JobWarning> warnings, Clocks clock) {
        this.jobs = jobs;
        this.warnings = warnings;
        this.clock = clock;
    }

    /** Takes what was read; to be told of where something of it was left out. */
    void add(Reading reading) {
        if (reading.hasOmissions()) {
            owed.add(reading.attempt().job());
        }
    }

    /** Gives those that are owed. */
    void tell() {
        owed.removeIf(this::tell);
    }

    private boolean tell(JobId id) {
        Optional<Job> found = jobs.apply(id);
        if (found.isEmpty() || told.contains(Attempt.of(found.get()))) {
            return true;
        }
        Job job = found.get();
        String sentence =
                "some of what it told of itself is left out; what, and how often, says berth metrics " + job.number();
        boolean isTaken = warnings.test(
                new JobWarning(id, job.state().attempt(), JobWarning.TRACKING, "", sentence, clock.instant(), null));
        if (isTaken) {
            told.add(Attempt.of(job));
            LOG.info("job={} {}", id, sentence);
        }
        return isTaken;
    }

    /** Forgets of which jobs it told, but for those. */
    void retain(Set<JobId> those) {
        told.removeIf(attempt -> !those.contains(attempt.job()));
    }
}
