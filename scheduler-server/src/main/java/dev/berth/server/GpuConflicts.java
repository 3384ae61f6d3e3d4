package dev.berth.server;

import dev.berth.core.job.GpuId;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobState.Live;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Machine;
import dev.berth.server.gpu.GpuReading;
import dev.berth.server.gpu.occupy.Conflicts;
import dev.berth.server.gpu.occupy.ForeignPolicy;
import dev.berth.server.gpu.occupy.ForeignProcess;
import dev.berth.server.gpu.occupy.GpuOccupants;
import dev.berth.server.store.JobWarning;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
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
    private final Predicate<JobWarning> warnings;

    /** What is not written yet, in order. */
    private final List<JobWarning> owed = new ArrayList<>();

    /**
     * Conflicts on the GPUs of a machine.
     *
     * @param policy which processes count
     * @param warnings keeps what is to be known of a job; false where it is too busy, and is asked again at the next look
     */
    GpuConflicts(GpuOccupants look, ForeignPolicy policy, Supplier<Machine> machine, Predicate<JobWarning> warnings) {
        this.look = look;
        this.policy = policy;
        this.machine = machine;
        this.warnings = warnings;
    }

    /** Takes a look at the GPUs that could be read. */
    void take(Instant at, Map<GpuId, GpuReading> readings) {
        Machine now = machine.get();
        Map<GpuId, List<Attempt>> holders = holders(now);
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
        conflicts.next(foreign, holders).forEach(change -> take(now, at, change));
        owed.removeIf(warnings);
    }

    private static Map<GpuId, List<Attempt>> holders(Machine now) {
        Map<GpuId, List<Attempt>> holders = new HashMap<>();
        for (Job job : now.live().values()) {
            ((Live) job.state())
                    .allocation()
                    .gpus()
                    .forEach(gpu ->
                            holders.computeIfAbsent(gpu, _ -> new ArrayList<>()).add(Attempt.of(job)));
        }
        return holders;
    }

    private void take(Machine now, Instant at, Conflicts.Change change) {
        ForeignProcess process = change.process();
        Attempt attempt = change.attempt();
        String sentence = now.capacity().name(change.gpu()) + ": " + process.sentence() + ", and is none of Berth's";
        boolean isOver = change instanceof Conflicts.Change.Ended;
        LOG.warn("job={} {} ({}){}", attempt.job(), sentence, process.program(), isOver ? "; that is over" : "");
        JobWarning warning = new JobWarning(
                attempt.job(),
                attempt.number(),
                JobWarning.GPU_CONFLICT,
                change.gpu() + " " + process.pid(),
                sentence,
                process.since(),
                isOver ? at : null);
        // What was not written yet is in this one.
        owed.removeIf(before -> isSame(before, warning));
        owed.add(warning);
    }

    private static boolean isSame(JobWarning one, JobWarning other) {
        return one.job().equals(other.job())
                && one.attempt() == other.attempt()
                && one.subject().equals(other.subject());
    }
}
