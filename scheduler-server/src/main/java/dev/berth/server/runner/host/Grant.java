package dev.berth.server.runner.host;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.GpuId;
import java.util.List;

/** The attempt and the GPUs that a client which waited may start its program with. */
public record Grant(int attempt, Allocation allocation) {
    /** The UUIDs of its GPUs. */
    public List<String> uuids() {
        return allocation.gpus().stream().map(GpuId::uuid).toList();
    }
}
