package dev.berth.server.container;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.machine.Effect.AdoptRun;
import dev.berth.core.machine.Effect.CreateRun;
import dev.berth.core.machine.Effect.ReleaseRun;
import dev.berth.core.machine.Effect.StartRun;
import dev.berth.core.machine.Effect.StopRun;

/**
 * One method an effect on a job that is a process of the machine and no container; what is answered is what a container's
 * effect is answered by. Each may be done again from its beginning, and returns whether it is done.
 */
public interface HostEffects {
    /** Where there are only containers. */
    HostEffects NONE = new None();

    /** Whether this job is such a process. */
    boolean owns(JobId job);

    /** On the loop's thread: there will be effects on this job. */
    void expect(Job job);

    boolean create(CreateRun creation);

    boolean start(StartRun launch);

    boolean stop(StopRun stop);

    boolean adopt(AdoptRun adoption);

    boolean release(ReleaseRun release);

    /** The ones of a server that knows of no such jobs. */
    final class None implements HostEffects {
        private None() {}

        @Override
        public boolean owns(JobId job) {
            return false;
        }

        @Override
        public void expect(Job job) {
            throw unknown(job.id());
        }

        @Override
        public boolean create(CreateRun creation) {
            throw unknown(creation.job());
        }

        @Override
        public boolean start(StartRun launch) {
            throw unknown(launch.job());
        }

        @Override
        public boolean stop(StopRun stop) {
            throw unknown(stop.job());
        }

        @Override
        public boolean adopt(AdoptRun adoption) {
            throw unknown(adoption.job());
        }

        @Override
        public boolean release(ReleaseRun release) {
            throw unknown(release.job());
        }

        private static IllegalStateException unknown(JobId job) {
            return new IllegalStateException("job " + job + " is no container, and nothing else runs here");
        }
    }
}
