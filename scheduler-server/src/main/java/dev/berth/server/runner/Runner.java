package dev.berth.server.runner;

import dev.berth.core.machine.Effect.AdoptRun;
import dev.berth.core.machine.Effect.CreateRun;
import dev.berth.core.machine.Effect.HoldRun;
import dev.berth.core.machine.Effect.OfRun;
import dev.berth.core.machine.Effect.ReadPack;
import dev.berth.core.machine.Effect.ReleaseRun;
import dev.berth.core.machine.Effect.SignalRun;
import dev.berth.core.machine.Effect.StartRun;
import dev.berth.core.machine.Effect.StopRun;
import dev.berth.core.machine.Effect.StopTask;
import dev.berth.core.machine.Effect.SweepRun;
import dev.berth.core.machine.Found;
import java.util.List;

/**
 * A runner of jobs: an engine of containers, or the machine itself. One method an effect on a run; what an effect is
 * answered by is posted as news, the same news by every runner. Each may be broken off by an {@link EngineException} at
 * any call and is then done again from its beginning; each returns whether it is done. The effects of one job come one
 * at a time.
 */
public interface Runner {
    /** Takes note of an effect as soon as it is owed, before its turn has come; on the loop's thread, and at once. */
    void expect(OfRun effect);

    /** Makes a run, of which nothing has begun. */
    boolean create(CreateRun creation);

    /** Starts the run that was made, and never a second time. */
    boolean start(StartRun launch);

    /** Ends a run with all that came of it. */
    boolean stop(StopRun stop);

    /** Ends one task of a pack that runs, or sees that it does not begin; not all that came of it. */
    boolean stopTask(StopTask stop);

    /** Sends the program of a run a signal, where it runs and is not to be stopped; not all that came of it. */
    boolean signal(SignalRun signal);

    /** Sets a run aside in the queue of the engine that has it, or lets it go on, where it waits there. */
    boolean hold(HoldRun hold);

    /** Follows a run that was started before this server was. */
    boolean adopt(AdoptRun adoption);

    /** Tells what a pack that has ended left of its tasks. */
    boolean readPack(ReadPack read);

    /** Removes what is left of a run that is finished. */
    boolean release(ReleaseRun release);

    /** Ends and removes a run that no job owns. */
    boolean sweep(SweepRun sweep);

    /** All runs that are this server's, in whatever condition; to be asked before the loop runs. */
    List<Found> list();
}
