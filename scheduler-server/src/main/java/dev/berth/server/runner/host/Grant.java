package dev.berth.server.runner.host;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.GpuId;
import java.util.List;

/**
 * What a client which waited may start its program with.
 *
 * @param track the file in which the program tells of its job; empty for none
 */
public record Grant(int attempt, Allocation allocation, String track) {
    /** The UUIDs of its GPUs. */
    public List<String> uuids() {
        return allocation.gpus().stream().map(GpuId::uuid).toList();
    }
}
