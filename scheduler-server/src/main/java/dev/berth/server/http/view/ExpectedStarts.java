package dev.berth.server.http.view;

import dev.berth.core.job.JobId;
import dev.berth.core.machine.Machine;
import dev.berth.server.runner.StartForecasts;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Expected starts of queued jobs, by what those that run tell. They are asked once, when the first start is wanted. Lives for
 * one answer.
 */
final class ExpectedStarts {
    private final Machine now;
    private final StartForecasts forecasts;
    private final ProgressViews progress;
    private @Nullable Map<JobId, Instant> ends;

    ExpectedStarts(Machine now, StartForecasts forecasts, ProgressViews progress) {
        this.now = now;
        this.forecasts = forecasts;
        this.progress = progress;
    }

    Optional<Instant> of(JobId job) {
        if (ends == null) {
            ends = progress.expectedEnds(now);
        }
        return forecasts.expectedStart(now, job, progress.clock().instant(), ends);
    }
}
