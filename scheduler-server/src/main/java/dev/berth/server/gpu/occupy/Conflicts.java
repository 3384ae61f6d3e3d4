package dev.berth.server.gpu.occupy;

import dev.berth.core.job.GpuId;
import dev.berth.core.machine.Attempt;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Processes of others on GPUs that jobs hold, from one look to the next: who came, and who went. Nothing is done about
 * them. Belongs to one thread.
 */
public final class Conflicts {
    private Map<Conflict, ForeignProcess> known = new LinkedHashMap<>();

    /** Process of others on a GPU of a job. */
    private record Conflict(Attempt attempt, GpuId gpu, long pid, long startTicks) {}

    /** A change since the last look. */
    public sealed interface Change {
        Attempt attempt();

        GpuId gpu();

        ForeignProcess process();

        /** A process came onto a GPU that a job holds. */
        record Begun(Attempt attempt, GpuId gpu, ForeignProcess process) implements Change {}

        /** The process has left the GPU, or the job has. */
        record Ended(Attempt attempt, GpuId gpu, ForeignProcess process) implements Change {}
    }

    /**
     * The changes since the last look.
     *
     * @param foreign who else is on each GPU that could be looked at; of a GPU that could not, nothing has changed
     * @param holders the attempts of jobs on each GPU now
     */
    public List<Change> next(Map<GpuId, List<ForeignProcess>> foreign, Map<GpuId, List<Attempt>> holders) {
        Map<Conflict, ForeignProcess> now = new LinkedHashMap<>();
        known.forEach((conflict, process) -> {
            boolean isHeld = holders.getOrDefault(conflict.gpu(), List.of()).contains(conflict.attempt());
            if (isHeld && !foreign.containsKey(conflict.gpu())) {
                now.put(conflict, process);
            }
        });
        foreign.forEach((gpu, processes) -> {
            for (Attempt attempt : holders.getOrDefault(gpu, List.of())) {
                processes.forEach(
                        process -> now.put(new Conflict(attempt, gpu, process.pid(), process.startTicks()), process));
            }
        });
        List<Change> changes = new ArrayList<>();
        known.forEach((conflict, process) -> {
            if (!now.containsKey(conflict)) {
                changes.add(new Change.Ended(conflict.attempt(), conflict.gpu(), process));
            }
        });
        now.forEach((conflict, process) -> {
            if (!known.containsKey(conflict)) {
                changes.add(new Change.Begun(conflict.attempt(), conflict.gpu(), process));
            }
        });
        known = now;
        return changes;
    }
}
