package dev.berth.server.retention;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.server.code.Workspaces;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.JobQueries.Filter;
import dev.berth.server.store.Rows;
import dev.berth.server.upkeep.UpkeepException;
import java.io.IOException;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Deletes the jobs that have ended longest ago, as far as a policy wants it. For one thread at a time. */
public record Retention(RetentionPolicy policy, JobQueries queries, Workspaces workspaces, JobDeletion deletion) {
    private static final Logger LOG = LoggerFactory.getLogger(Retention.class);
    private static final int JOBS_A_QUERY = 200;
    private static final Filter ENDED = Filter.ended();

    /**
     * Deletes what the policy wants deleted; answers how many jobs that were.
     *
     * @throws UpkeepException where some could not be deleted, once all others are
     */
    public int apply(Instant now) throws InterruptedException {
        Remains remains = new Remains();
        int deleted = tooOld(now, remains) + tooMany(remains) + tooBig(remains);
        if (deleted > 0) {
            LOG.info("retention: {} ended jobs deleted", deleted);
        }
        if (remains.first != null) {
            throw new UpkeepException(
                    remains.first + (remains.others == 0 ? "" : "; and so " + remains.others + " more"), null);
        }
        return deleted;
    }

    /** What could not be deleted. */
    private static final class Remains {
        private @Nullable String first;
        private int others;

        void add(JobId job, List<String> what) {
            if (first == null) {
                first = "job " + job + " could not be deleted; there remain " + String.join(", ", what);
            } else {
                others++;
            }
        }
    }

    private int tooOld(Instant now, Remains remains) throws InterruptedException {
        return policy.age() == null ? 0 : deleteOldest(now.minus(policy.age()), Long.MAX_VALUE, remains);
    }

    private int tooMany(Remains remains) throws InterruptedException {
        return policy.jobs() == null ? 0 : deleteOldest(Instant.MAX, queries.ended() - policy.jobs(), remains);
    }

    /**
     * The sizes are added up from the newest on; from where they are too much, everything older goes. What tasks have left
     * whose array has not ended is not deleted yet, and counts first.
     */
    private int tooBig(Remains remains) throws InterruptedException {
        Long limit = policy.bytes();
        long bytes = 0;
        for (JobId array : limit == null ? List.<JobId>of() : queries.openArrays()) {
            bytes += sizeOfTasks(Filter.ofTasks(array).with(ENDED.states()));
        }
        int deleted = 0;
        long before = Long.MAX_VALUE;
        while (limit != null && before > 0) {
            Rows<Job> page = queries.newest(ENDED, before, JOBS_A_QUERY);
            for (Job job : page.items()) {
                bytes += size(job);
                if (bytes > limit && delete(job, remains)) {
                    deleted++;
                }
            }
            before = page.more() ? page.items().getLast().id().value() : 0;
        }
        return deleted;
    }

    /** The bytes of a job's files, those of an array's tasks among them. */
    private long size(Job job) {
        return sizeOfOne(job) + (job.isArray() ? sizeOfTasks(Filter.ofTasks(job.id())) : 0);
    }

    private long sizeOfTasks(Filter which) {
        long bytes = 0;
        long before = Long.MAX_VALUE;
        while (before > 0) {
            Rows<Job> tasks = queries.newest(which, before, JOBS_A_QUERY);
            bytes += tasks.items().stream().mapToLong(this::sizeOfOne).sum();
            before = tasks.more() ? tasks.items().getLast().id().value() : 0;
        }
        return bytes;
    }

    private long sizeOfOne(Job job) {
        try {
            return workspaces.size(job);
        } catch (IOException e) {
            LOG.warn("job={} its size is not known: {}", job.id(), e.getMessage());
            return 0;
        }
    }

    /** At most so many of those that ended before an instant; one that cannot be deleted is passed over. */
    private int deleteOldest(Instant before, long limit, Remains remains) throws InterruptedException {
        int deleted = 0;
        Set<JobId> kept = new HashSet<>();
        while (deleted < limit) {
            List<JobId> page = queries.oldestEnded(before, kept.size() + JOBS_A_QUERY).stream()
                    .filter(job -> !kept.contains(job))
                    .limit(limit - deleted)
                    .toList();
            if (page.isEmpty()) {
                return deleted;
            }
            for (JobId id : page) {
                Optional<Job> job = queries.find(id);
                if (job.isPresent() && delete(job.get(), remains)) {
                    deleted++;
                } else {
                    kept.add(id);
                }
            }
        }
        return deleted;
    }

    private boolean delete(Job job, Remains remains) throws InterruptedException {
        List<String> left = deletion.delete(job);
        if (!left.isEmpty()) {
            LOG.debug("job={} retention could not delete {}", job.id(), left);
            remains.add(job.id(), left);
        }
        return left.isEmpty();
    }
}
