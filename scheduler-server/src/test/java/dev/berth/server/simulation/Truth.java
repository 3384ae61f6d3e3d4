package dev.berth.server.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.api.JobEventView;
import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.StateName;
import dev.berth.core.machine.Lane;
import dev.berth.server.store.JobQueries;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The laws, held against what runs and not against what Berth believes. */
final class Truth {
    private final World world;
    private final Map<String, Integer> exitCodes = new HashMap<>();

    Truth(World world) {
        this.world = world;
    }

    /** A program ended by itself with this code. */
    void ended(String container, int exitCode) {
        exitCodes.put(container, exitCode);
    }

    /** After each step. */
    void check() {
        oneHolderPerGpu();
        oneStartPerJob();
    }

    private void oneHolderPerGpu() {
        Map<String, String> holders = new HashMap<>();
        for (String name : world.engine.running()) {
            String uuids = world.engine.plan(name).environment().getOrDefault("NVIDIA_VISIBLE_DEVICES", "");
            for (String uuid : uuids.split(",")) {
                if (uuid.startsWith("GPU-")) {
                    assertThat(holders.put(uuid, name))
                            .as("GPU %s runs %s and another", uuid, name)
                            .isNull();
                }
            }
        }
    }

    private void oneStartPerJob() {
        List<JobId> started = startedJobs();
        assertThat(started).as("no program is started twice").doesNotHaveDuplicates();
    }

    private List<JobId> startedJobs() {
        return world.engine.startedEver().stream().map(Truth::jobOf).toList();
    }

    static JobId jobOf(String container) {
        String[] parts = container.split("-");
        return new JobId(Long.parseLong(parts[parts.length - 2]));
    }

    /** Once everything has come to rest. */
    void checkEnd() {
        check();
        assertThat(world.engine.all()).as("containers left over").isEmpty();
        inOrder();
        List<JobId> started = startedJobs();
        world.record.acknowledged().forEach((id, _) -> {
            Finished end = (Finished) world.stored(new JobId(id))
                    .orElseThrow(() -> new AssertionError("acknowledged job " + id + " is lost"))
                    .state();
            checkOutcome(id, end, started.contains(new JobId(id)));
        });
    }

    /** The first turns of each lane's jobs came in the order of their acceptance, but of those that were set aside. */
    private void inOrder() {
        Map<Lane, Long> last = new EnumMap<>(Lane.class);
        try (JobQueries queries = new JobQueries(world.database())) {
            new TreeMap<>(world.record.acknowledged()).forEach((id, gpus) -> {
                Lane lane = world.capacity.laneOf(GpuRequest.whole(gpus));
                List<JobEventView> events = queries.events(new JobId(id), 0, 1_000);
                boolean wasHeld =
                        events.stream().anyMatch(event -> event.event().equals("HoldRequested"));
                events.stream()
                        .filter(_ -> !wasHeld)
                        .filter(event -> event.event().equals("Allocated"))
                        .findFirst()
                        .ifPresent(turn -> {
                            Long before = last.put(lane, turn.sequence());
                            assertThat(before == null ? 0 : before)
                                    .as("job %s had its turn before one accepted earlier", id)
                                    .isLessThan(turn.sequence());
                        });
            });
        }
    }

    private void checkOutcome(long id, Finished end, boolean started) {
        OutcomeReason reason = end.outcome().reason();
        if (reason == OutcomeReason.EXITED || reason == OutcomeReason.EXITED_NONZERO) {
            Integer code = exitCodes.get("berth-" + World.SERVER + "-" + id + "-" + end.attempt());
            assertThat(end.outcome().exitCode())
                    .as("job %s ended with its program's code", id)
                    .isEqualTo(code == null ? Integer.valueOf(0) : code);
        }
        List<StateName> onlyAfterStart = new ArrayList<>(Arrays.asList(StateName.COMPLETED, StateName.TIMEOUT));
        if (onlyAfterStart.contains(end.name())) {
            assertThat(started)
                    .as("job %s is %s and was started", id, end.name())
                    .isTrue();
        }
        if (!started) {
            assertThat(end.name()).as("job %s never started", id).isIn(StateName.CANCELLED, StateName.FAILED);
        }
    }
}
