package dev.berth.server.runner.host;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.GpuId;
import java.util.List;

/** What a client that waited may start its program with. */
public record Grant(int attempt, Allocation allocation) {
    /** By what its GPUs are known to those who use them. */
    public List<String> uuids() {
        return allocation.gpus().stream().map(GpuId::uuid).toList();
    }
}
