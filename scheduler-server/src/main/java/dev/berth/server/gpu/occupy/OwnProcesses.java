package dev.berth.server.gpu.occupy;

import dev.berth.core.job.GpuId;
import dev.berth.core.machine.Attempt;
import dev.berth.server.gpu.process.RunningProcess;
import java.util.Optional;

/** Knows processes of the machine itself that belong to Berth. */
@FunctionalInterface
public interface OwnProcesses {
    /** The attempt that this very process belongs to; its children need not be known. */
    Optional<Attempt> attemptOf(RunningProcess process);

    /** Whether a process of this number, which is not there any more, was Berth's until a moment ago. */
    default boolean hasJustEnded(long pid) {
        return false;
    }

    /** Whether it is Berth's on this GPU: one that is on a GPU it was not given is as foreign there as any other. */
    default boolean isOurs(GpuId gpu, RunningProcess process) {
        return attemptOf(process).isPresent();
    }
}
