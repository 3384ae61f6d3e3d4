package dev.berth.server.runner;

import dev.berth.core.job.JobId;
import dev.berth.core.machine.Forecast;
import dev.berth.core.machine.Machine;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * Forecasts of starts that know how the engine is.
 *
 * @param freeing how long it takes at most from the end of a time limit until others can have the GPUs
 */
public record StartForecasts(EngineHealth health, Duration freeing) {
    /** The latest start of a queued job; empty where nobody can tell. */
    public Optional<Instant> latestStart(Machine machine, JobId id, Instant now) {
        return Forecast.latestStart(machine, id, now, assumptions());
    }

    /**
     * The expected start of a queued job; empty where those that run do not tell enough.
     *
     * @param expectedEnds of those that run, by what they tell
     */
    public Optional<Instant> expectedStart(Machine machine, JobId id, Instant now, Map<JobId, Instant> expectedEnds) {
        return Forecast.expectedStart(machine, id, now, assumptions(), expectedEnds);
    }

    private Forecast.Assumptions assumptions() {
        boolean isAway = health.outage().isPresent();
        return new Forecast.Assumptions(
                freeing,
                job -> job.spec().isHost()
                        || (!isAway && health.failing(job.id()).isEmpty()),
                health::servedSince);
    }
}
