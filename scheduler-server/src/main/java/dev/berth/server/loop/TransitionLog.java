package dev.berth.server.loop;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState.Live;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Capacity;
import dev.berth.core.machine.Change;
import dev.berth.core.machine.Drain;
import dev.berth.core.machine.Starts;
import java.time.Instant;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The log of transitions, one line each, from this place alone: {@code job=17 QUEUED->STARTING gpu=0 attempt=1}. */
record TransitionLog(Capacity capacity) {
    private static final Logger LOG = LoggerFactory.getLogger(TransitionLog.class);

    void tell(Change change) {
        switch (change) {
            case Change.OfJob of -> tell(of);
            case Change.AllocationDecided(Instant _, Attempt attempt) ->
                LOG.debug("job={} its GPUs were looked at, and are its own", attempt.job());
            case Change.DependenciesMet(Instant _, JobId other) ->
                LOG.debug("job={} all who waited for it know of its end", other);
            case Change.StartsChanged(Instant _, Starts starts) -> LOG.info("starts={}", starts);
            case Change.GpuDrained(Instant _, GpuId gpu, Drain drain) ->
                LOG.warn("gpu={} {}", index(gpu), drain.sentence());
            case Change.GpuResumed(Instant _, GpuId gpu, String by) -> LOG.info("gpu={} resumed by {}", index(gpu), by);
            case Change.CleaningBegun(Instant _, Attempt attempt, Allocation _) ->
                LOG.debug("job={} has left its GPUs", attempt.job());
            case Change.CleaningEnded(Instant _, Attempt attempt) ->
                LOG.debug("job={} its GPUs were looked at", attempt.job());
        }
    }

    private void tell(Change.OfJob change) {
        Job job = change.job();
        String from = change instanceof Change.Advanced advanced
                ? advanced.before().state().name().name()
                : "";
        LOG.info(
                "job={}{} {}->{}{} attempt={}",
                job.id(),
                job.array() == null ? "" : " task=" + job.number(),
                from,
                job.state().name(),
                gpus(job),
                job.state().attempt());
    }

    private String gpus(Job job) {
        if (!(job.state() instanceof Live live) || live.allocation().isNone()) {
            return "";
        }
        return live.allocation().gpus().stream().map(this::index).collect(Collectors.joining(",", " gpu=", ""));
    }

    private String index(GpuId id) {
        return capacity.index(id).orElse(id.uuid());
    }
}
