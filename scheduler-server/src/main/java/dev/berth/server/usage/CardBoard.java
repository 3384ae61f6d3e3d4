package dev.berth.server.usage;

import dev.berth.core.job.GpuId;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState.Live;
import dev.berth.core.machine.Machine;
import dev.berth.server.gpu.GpuProcess;
import dev.berth.server.gpu.GpuReading;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How each GPU was at the last look, and who was on it. A GPU that could not be read is not on it. Written by the
 * sampler's thread, read by any.
 */
public final class CardBoard {
    /** After which it is asked again who a process is that belongs to no job: its container may not have been known. */
    private static final Duration ASK_AGAIN = Duration.ofSeconds(10);

    private final Supplier<Machine> machine;
    private final ProcessLook lookup;
    private volatile Map<GpuId, CardNow> cards = Map.of();

    /** This is the sampler's own. */
    private Map<Place, Known> known = new HashMap<>();

    private record Place(GpuId gpu, long pid) {}

    private record Known(ProcessLook.Seen seen, Instant since, Instant asked) {}

    public CardBoard(Supplier<Machine> machine, ProcessLook lookup) {
        this.machine = machine;
        this.lookup = lookup;
    }

    /** Takes a look in. */
    public void look(GpuLook look) {
        Map<Place, Known> still = new HashMap<>();
        Map<GpuId, CardNow> next = new HashMap<>();
        look.readings().forEach((gpu, reading) -> next.put(gpu, card(look.at(), gpu, reading, still)));
        known = still;
        cards = Map.copyOf(next);
    }

    private CardNow card(Instant at, GpuId gpu, GpuReading reading, Map<Place, Known> still) {
        List<OnCard> processes = new ArrayList<>();
        JobId holder = lookup.tellsJobs() || reading.processes().isEmpty() ? null : onlyHolder(gpu);
        for (GpuProcess process : reading.processes()) {
            Place place = new Place(gpu, process.pid());
            Known now = known(place, at);
            still.put(place, now);
            JobId job = now.seen.job();
            processes.add(new OnCard(process, now.seen, job == null ? holder : job, now.since));
        }
        return new CardNow(at, reading, processes);
    }

    private Known known(Place place, Instant at) {
        Known before = known.get(place);
        if (before != null
                && (before.seen.job() != null
                        || Duration.between(before.asked, at).compareTo(ASK_AGAIN) < 0)) {
            return before;
        }
        return new Known(lookup.look(place.pid()), before == null ? at : before.since, at);
    }

    private @Nullable JobId onlyHolder(GpuId gpu) {
        List<JobId> holders = machine.get().live().values().stream()
                .filter(job -> holds(job, gpu))
                .map(Job::id)
                .toList();
        return holders.size() == 1 ? holders.getFirst() : null;
    }

    static boolean holds(Job job, GpuId gpu) {
        return job.state() instanceof Live live && live.allocation().gpus().contains(gpu);
    }

    /** The GPU at the last look; empty for one that nobody looks at, or that could not be read. */
    public Optional<CardNow> card(GpuId gpu) {
        return Optional.ofNullable(cards.get(gpu));
    }
}
