package dev.berth.server.http.view;

import dev.berth.core.api.TrackingView.ProgressView;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState.Packed;
import dev.berth.core.job.JobState.Running;
import dev.berth.core.machine.Machine;
import dev.berth.server.http.access.Access;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.store.track.TrackQueries.StoredProgress;
import dev.berth.server.track.Tracking;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The progress of programs that run, as they tell it. */
public record ProgressViews(Tracking tracking, InstantSource clock) {
    /**
     * The progress of those that run and tell of it.
     *
     * @param asker who sees only what they may read; null for nobody
     */
    Map<JobId, ProgressView> of(List<Job> jobs, @Nullable Caller asker) {
        if (asker == null) {
            return Map.of();
        }
        Instant now = clock.instant();
        Map<JobId, ProgressView> views = new HashMap<>();
        List<Job> readable =
                jobs.stream().filter(job -> Access.mayRead(asker, job)).toList();
        told(readable).forEach((job, progress) -> {
            boolean isOverdue =
                    TrackViews.expectedEnd(progress).filter(now::isAfter).isPresent();
            views.put(job, TrackViews.progress(progress, isOverdue));
        });
        return views;
    }

    /** About when those that run end, where that is to come; of anybody's, as everybody waits for them. */
    Map<JobId, Instant> expectedEnds(Machine machine) {
        Instant now = clock.instant();
        Map<JobId, Instant> ends = new HashMap<>();
        told(machine.live().values())
                .forEach((job, progress) ->
                        TrackViews.expectedEnd(progress).filter(now::isBefore).ifPresent(end -> ends.put(job, end)));
        return ends;
    }

    /** What an earlier attempt told says nothing of this one. */
    private Map<JobId, StoredProgress> told(Collection<Job> jobs) {
        Map<JobId, Integer> attempts = new HashMap<>();
        for (Job job : jobs) {
            if (runs(job)) {
                attempts.put(job.id(), job.state().attempt());
            }
        }
        Map<JobId, StoredProgress> told = new HashMap<>(tracking.progress(List.copyOf(attempts.keySet())));
        told.entrySet()
                .removeIf(progress -> progress.getValue().attempt() != attempts.getOrDefault(progress.getKey(), 0));
        return told;
    }

    private static boolean runs(Job job) {
        return job.state() instanceof Running || (job.state() instanceof Packed packed && packed.startedAt() != null);
    }
}
