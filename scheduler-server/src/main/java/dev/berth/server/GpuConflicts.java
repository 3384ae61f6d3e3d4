package dev.berth.server;

import dev.berth.core.job.GpuId;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState.Live;
import dev.berth.core.machine.Machine;
import dev.berth.server.gpu.GpuReading;
import dev.berth.server.gpu.occupy.Conflicts;
import dev.berth.server.gpu.occupy.ForeignPolicy;
import dev.berth.server.gpu.occupy.ForeignProcess;
import dev.berth.server.gpu.occupy.GpuOccupants;
import dev.berth.server.store.JobWarning;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns a job of processes of others that come onto its GPUs, once each, and says when they are gone. Nothing is ended.
 * Belongs to the thread that looks at the GPUs.
 */
final class GpuConflicts {
    private static final Logger LOG = LoggerFactory.getLogger(GpuConflicts.class);

    private final Conflicts conflicts = new Conflicts();
    private final GpuOccupants look;
    private final ForeignPolicy policy;
    private final Supplier<Machine> machine;
    private final Consumer<JobWarning> warnings;

    /**
     * Conflicts on the GPUs of a machine.
     *
     * @param policy which processes count
     * @param warnings keeps what is to be known of a job
     */
    GpuConflicts(GpuOccupants look, ForeignPolicy policy, Supplier<Machine> machine, Consumer<JobWarning> warnings) {
        this.look = look;
        this.policy = policy;
        this.machine = machine;
        this.warnings = warnings;
    }

    /** Takes a look at the GPUs that could be read. */
    void take(Instant at, Map<GpuId, GpuReading> readings) {
        Machine now = machine.get();
        Map<GpuId, List<JobId>> holders = holders(now);
        Map<GpuId, List<ForeignProcess>> foreign = new TreeMap<>();
        readings.forEach((gpu, reading) -> {
            if (holders.containsKey(gpu)) {
                foreign.put(
                        gpu,
                        look.foreign(gpu, reading.processes()).stream()
                                .filter(process -> policy.blocks(process.there()))
                                .toList());
            }
        });
        for (Conflicts.Change change : conflicts.next(foreign, holders)) {
            switch (change) {
                case Conflicts.Change.Begun begun -> tell(now, begun, null);
                case Conflicts.Change.Ended ended -> tell(now, ended, at);
            }
        }
    }

    private static Map<GpuId, List<JobId>> holders(Machine now) {
        Map<GpuId, List<JobId>> holders = new HashMap<>();
        for (Job job : now.live().values()) {
            ((Live) job.state())
                    .allocation()
                    .gpus()
                    .forEach(gpu -> holders.merge(gpu, List.of(job.id()), GpuConflicts::joined));
        }
        return holders;
    }

    private static List<JobId> joined(List<JobId> some, List<JobId> more) {
        return Stream.concat(some.stream(), more.stream()).toList();
    }

    private void tell(Machine now, Conflicts.Change change, @Nullable Instant endedAt) {
        Job job = now.live().get(change.job());
        if (job == null) {
            return;
        }
        ForeignProcess process = change.process();
        String sentence = now.capacity().name(change.gpu()) + ": " + process.sentence() + ", and is none of Berth's";
        LOG.warn("job={} {} ({}){}", job.id(), sentence, process.program(), endedAt == null ? "" : "; it has left");
        warnings.accept(new JobWarning(
                job.id(),
                job.state().attempt(),
                JobWarning.GPU_CONFLICT,
                change.gpu() + " " + process.pid(),
                sentence,
                process.since(),
                endedAt));
    }
}
