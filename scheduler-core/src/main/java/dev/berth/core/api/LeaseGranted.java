package dev.berth.core.api;

import java.util.List;
import java.util.Map;

/**
 * Event {@code granted} of {@code GET /api/v1/jobs/{id}/lease}: its GPUs are its own, and the program may be started.
 *
 * @param attempt to be named in all that is answered
 * @param gpus the GPUs, in the order in which the program sees them
 * @param environment what the program must have, whatever its user has set
 * @param defaults what it has where its user has not set it
 * @param cpus the cores it keeps to; empty for all
 */
public record LeaseGranted(
        int attempt,
        List<LeasedGpu> gpus,
        Map<String, String> environment,
        Map<String, String> defaults,
        List<Integer> cpus) {

    /** The UUIDs of the GPUs, in that order. */
    public List<String> uuids() {
        return gpus.stream().map(LeasedGpu::uuid).toList();
    }

    /** A GPU, by its number for people and by its UUID. */
    public record LeasedGpu(String index, String uuid) {}
}
