package dev.berth.server.gpu.occupy;

import static dev.berth.server.gpu.occupy.CsvGpus.FIRST;
import static dev.berth.server.gpu.occupy.CsvGpus.SECOND;
import static dev.berth.server.gpu.occupy.GateStage.ATTEMPT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.GpuId;
import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.server.gpu.GpuProcess;
import dev.berth.server.gpu.process.RunningProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real processes on the stand-in of the driver's library. */
class PlaceholdersTest {
    private static final Attempt OTHER = new Attempt(new JobId(18), 2);

    @TempDir
    private Path folder;

    private GateStage stage;
    private Map<String, String> variables;
    private String server;
    private Placeholders placeholders;

    @BeforeEach
    void open() {
        stage = new GateStage(folder);
        variables = StandInCuda.in(folder);
        // Unlike that of any other run: they are found by it.
        server = folder.getFileName().toString();
        placeholders = placeholders(server);
    }

    @AfterEach
    void close() {
        placeholders.retain(Set.of());
    }

    private Placeholders placeholders(String server) {
        return new Placeholders(
                stage.gpus,
                stage.processes,
                gpu -> gpu.equals(SECOND) && stage.ours.containsKey(0L),
                new PlaceholderProgram(server, variables),
                stage.clock());
    }

    private List<Long> on(GpuId gpu) {
        return stage.gpus.processes(gpu).stream().map(GpuProcess::pid).toList();
    }

    private RunningProcess only(GpuId gpu) {
        assertThat(on(gpu)).hasSize(1);
        return stage.processes.find(on(gpu).getFirst()).orElseThrow();
    }

    @Test
    void oneShowsOnAllGpusOfTheAttemptUntilItIsEnded() {
        placeholders.start(ATTEMPT, List.of(FIRST, SECOND));
        RunningProcess process = only(FIRST);
        assertThat(only(SECOND)).isEqualTo(process);
        assertThat(placeholders.attemptOf(process)).contains(ATTEMPT);
        assertThat(stage.processes.words(process.pid()))
                .endsWith("berth-placeholder", server, "17", "1", FIRST.uuid(), SECOND.uuid());

        placeholders.start(ATTEMPT, List.of(FIRST, SECOND));
        assertThat(only(FIRST)).isEqualTo(process);

        placeholders.end(ATTEMPT);
        assertThat(on(FIRST)).isEmpty();
        placeholders.end(ATTEMPT);
    }

    /** A driver may show it for a moment after its end, and so may a look that began before. */
    @Test
    void oneThatIsBeingEndedOrHasJustEndedIsNobodyElses() {
        List<Optional<Attempt>> whileItEnds = new ArrayList<>();
        AtomicReference<RunningProcess> process = new AtomicReference<>();
        AtomicReference<Placeholders> own = new AtomicReference<>();
        own.set(new Placeholders(
                stage.gpus, stage.processes, _ -> false, new PlaceholderProgram(server, variables), () -> {
                    if (process.get() != null) {
                        whileItEnds.add(own.get().attemptOf(process.get()));
                    }
                    return stage.now;
                }));
        own.get().start(ATTEMPT, List.of(FIRST));
        process.set(only(FIRST));
        own.get().end(ATTEMPT);
        assertThat(whileItEnds).containsExactly(Optional.of(ATTEMPT));
        assertThat(own.get().hasJustEnded(process.get().pid())).isTrue();
        assertThat(own.get().hasJustEnded(1)).isFalse();
        stage.now = stage.now.plusSeconds(11);
        assertThat(own.get().hasJustEnded(process.get().pid())).isFalse();
    }

    @Test
    void theNextServerFindsThemAndEndsThoseOfNobody() {
        placeholders.start(ATTEMPT, List.of(FIRST));
        placeholders.start(OTHER, List.of(SECOND));
        RunningProcess kept = only(FIRST);

        Placeholders stranger = placeholders("another");
        stranger.adopt();
        stranger.retain(Set.of());
        assertThat(on(SECOND)).as("another server's are left alone").hasSize(1);

        placeholders = placeholders(server);
        placeholders.adopt();
        assertThat(placeholders.attemptOf(kept)).contains(ATTEMPT);
        placeholders.retain(Set.of(ATTEMPT));
        assertThat(only(FIRST)).isEqualTo(kept);
        assertThat(on(SECOND)).isEmpty();
    }

    @Test
    void aGpuThatTakesOneProcessOnlyIsLeftToTheJob() {
        stage.ours.put(0L, ATTEMPT);
        placeholders.start(ATTEMPT, List.of(FIRST, SECOND));
        assertThat(on(FIRST)).isEmpty();
    }

    @Test
    void whereThereIsNoDriverTheJobGoesOnWithoutOne() {
        variables = Map.of("LD_LIBRARY_PATH", "/nonexistent", "BERTH_STAND_IN_STATE", folder.toString());
        placeholders = placeholders(server);
        placeholders.start(ATTEMPT, List.of(FIRST));
        assertThat(on(FIRST)).isEmpty();
        assertThat(stage.processes.all().stream()
                        .map(process -> stage.processes.words(process.pid()))
                        .filter(words -> words.contains("berth-placeholder") && words.contains(server)))
                .isEmpty();
    }

    /** Without bound, a placeholder that never shows would keep the lock from everybody. */
    @Test
    void oneThatDoesNotShowHoldsTheJobUpForAWhileOnly() {
        variables = Map.of("LD_LIBRARY_PATH", folder.toString(), "BERTH_STAND_IN_STATE", "/dev/shm");
        Placeholders hidden = new Placeholders(
                stage.gpus,
                stage.processes,
                _ -> false,
                new PlaceholderProgram(server, variables),
                () -> stage.now = stage.now.plusSeconds(10));
        hidden.start(ATTEMPT, List.of(FIRST));
        assertThat(on(FIRST)).isEmpty();
        hidden.end(ATTEMPT);
    }
}
