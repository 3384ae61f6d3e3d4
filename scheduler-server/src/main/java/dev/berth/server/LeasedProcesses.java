package dev.berth.server;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobState.Live;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Machine;
import dev.berth.server.gpu.occupy.OwnProcesses;
import dev.berth.server.gpu.process.RunningProcess;
import dev.berth.server.loop.Scheduling;
import dev.berth.server.runner.host.HostRunner;
import java.util.Optional;

/**
 * The processes that have come of leased programs. Nothing keeps such a program from other GPUs than its own, so that
 * it counts as Berth's on these alone.
 */
record LeasedProcesses(HostRunner hosts, Scheduling scheduling) implements OwnProcesses {
    private static final String MIG = "MIG-";

    @Override
    public Optional<Attempt> attemptOf(RunningProcess process) {
        return hosts.attemptOf(process.pid());
    }

    @Override
    public boolean isOurs(GpuId gpu, RunningProcess process) {
        return attemptOf(process).filter(attempt -> holds(attempt, gpu)).isPresent();
    }

    private boolean holds(Attempt attempt, GpuId gpu) {
        Machine now = scheduling.machine();
        return Optional.ofNullable(now.live().get(attempt.job()))
                .filter(job -> job.state().attempt() == attempt.number())
                .map(LeasedProcesses::allocation)
                .or(() -> Optional.ofNullable(now.gpus().cleaning().get(attempt)))
                .filter(held -> held.gpus().stream().anyMatch(own -> own.equals(gpu) || areSlices(own, gpu)))
                .isPresent();
    }

    private static Allocation allocation(Job job) {
        return job.state() instanceof Live live ? live.allocation() : Allocation.NONE;
    }

    /** Of a MIG device some drivers name the processes of the whole GPU. */
    private static boolean areSlices(GpuId own, GpuId other) {
        return own.uuid().startsWith(MIG) && other.uuid().startsWith(MIG);
    }
}
