package dev.berth.core.machine;

import dev.berth.core.job.Gpu;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.GpuRequest;
import java.util.List;
import java.util.Optional;

/**
 * What a server can give out. It does not change while the server runs.
 *
 * @param gpus the GPUs, in the order in which they are given out
 * @param workers how many jobs of the main lane run at once, at least 1
 * @param cpuWorkers how many jobs of the CPU lane run at once; 0 means that there is no such lane
 */
public record Capacity(List<Gpu> gpus, int workers, int cpuWorkers) {
    public Capacity {
        if (workers < 1 || cpuWorkers < 0) {
            throw new IllegalArgumentException("workers=" + workers + ", cpuWorkers=" + cpuWorkers);
        }
        gpus = List.copyOf(gpus);
    }

    public Lane laneOf(GpuRequest request) {
        return request.isNone() && cpuWorkers > 0 ? Lane.CPU : Lane.MAIN;
    }

    public int workers(Lane lane) {
        return lane == Lane.CPU ? cpuWorkers : workers;
    }

    public List<Lane> lanes() {
        return cpuWorkers > 0 ? List.of(Lane.MAIN, Lane.CPU) : List.of(Lane.MAIN);
    }

    public Optional<Gpu> gpu(GpuId id) {
        return gpus.stream().filter(gpu -> gpu.id().equals(id)).findFirst();
    }

    /** Why a request can never be served here, with the numbers and the way out; empty where it can. */
    public Optional<String> refusal(GpuRequest request) {
        if (request.isNone()) {
            return Optional.empty();
        }
        if (gpus.isEmpty()) {
            return Optional.of("it asks for " + request.inWords()
                    + ", but this server gives out none; start it with -g (berth server start -g)");
        }
        if (request.milli() % GpuRequest.WHOLE != 0) {
            return Optional.of("it asks for a share of a GPU, but this server gives out whole ones only;"
                    + " ask for a whole number");
        }
        if (request.count() > gpus.size()) {
            return Optional.of("it asks for " + request.inWords() + ", but this server has " + gpus.size()
                    + "; ask for at most " + gpus.size());
        }
        return Optional.empty();
    }
}
