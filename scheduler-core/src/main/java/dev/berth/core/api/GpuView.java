package dev.berth.core.api;

import java.util.List;

/**
 * A GPU as the API shows it.
 *
 * @param memoryMiB total memory in MiB, 0 where unknown
 * @param holders the jobs that hold it, empty where it is free
 */
public record GpuView(int index, String uuid, String name, long memoryMiB, List<Holder> holders) {
    /**
     * A job on a GPU.
     *
     * @param milli thousandths of the GPU that it holds
     */
    public record Holder(long job, String user, int milli) {}
}
