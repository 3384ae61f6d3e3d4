package dev.berth.server.simulation;

import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import java.util.Map;

/** Where jobs start one by one: what a server asks the engine to start, against what the engine has started by then. */
final class StartOrder {
    private final World world;

    StartOrder(World world) {
        this.world = world;
    }

    /** A server sends this start now. */
    void sent(Fate fate) {
        long turn = world.books.lastTurn(fate.job);
        if (turn == 0 || !world.rules(turn).startsOneByOne()) {
            return;
        }
        for (Map.Entry<Long, Long> earlier : inQuestion(fate.job, turn).entrySet()) {
            Attempt attempt = new Attempt(new JobId(earlier.getKey()), Math.toIntExact(earlier.getValue()));
            Law.ONE_BY_ONE.require(
                    world.ground.hasStarted(attempt),
                    () -> "the start of job " + fate.job + " is sent before that of job " + attempt);
        }
    }

    /** Attempts of the job's lane that were given their GPUs before it, and have not gone back or ended since. */
    private Map<Long, Long> inQuestion(JobId job, long turn) {
        boolean oneLane = world.capacity.cpuWorkers() == 0;
        return world.books.pairs("""
                SELECT given.job, given.attempt FROM job_event given JOIN job ON job.id = given.job
                    WHERE given.event = 'Allocated' AND given.sequence < ?
                        AND (? OR (gpu_milli = 0) = (SELECT gpu_milli = 0 FROM job WHERE id = ?))
                        AND NOT EXISTS (SELECT 1 FROM job_event over WHERE over.job = given.job
                            AND over.sequence > given.sequence
                            AND over.event NOT IN ('ContainerCreated', 'ContainerStarted'))
                """, turn, oneLane ? 1 : 0, job.value());
    }
}
