package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.security.auth.module.UnixSystem;
import dev.berth.core.api.ServerView.StateCount;
import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobState.Held;
import dev.berth.server.config.Configuration;
import dev.berth.server.config.ProcessEnvironment;
import dev.berth.server.example.Jobs;
import dev.berth.server.gpu.FoundGpus;
import dev.berth.server.runner.docker.FakeContainerEngine;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.JobStore;
import dev.berth.server.upkeep.BackgroundWork;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A start that cannot run what waits says so before it does anything. */
@Timeout(60)
class SmallerStartTest {
    private static final String HELD =
            "; at the front of the queue such a job is held until a server is started that can run"
                    + " it (--drop-unfit fails it)";

    @TempDir
    private Path directory;

    private final List<String> told = new ArrayList<>();

    private FoundGpus gpus = FoundGpus.simulated(1, null);

    /** How many jobs were in which state when that was told. */
    private List<StateCount> then = List.of();

    private static List<StateCount> counts(Path database) {
        try (JobQueries queries = new JobQueries(database)) {
            return queries.counts(null);
        }
    }

    /** Starts a server with one GPU on these jobs, and ends it. */
    private void startOn(List<Job> jobs, String... options) {
        Path place = directory.resolve("data");
        List<String> words =
                new ArrayList<>(List.of("--port=0", "--gpus=true", "--simulate-gpus=1", "--data-dir=" + place));
        words.addAll(List.of(options));
        Configuration configuration = Configuration.read(
                words,
                new ProcessEnvironment(
                        Map.of(), directory, place, directory.resolve("none"), new UnixSystem().getUid()));
        DataDirectory data = DataDirectory.hold(place);
        try (JobStore store = new JobStore(data.database())) {
            jobs.forEach(job -> store.write(Jobs.upTo(job)));
            store.commit();
        }
        BerthServer server = BerthServer.start(new BerthServer.Parts(
                configuration.settings(),
                List.of(),
                data,
                false,
                new FakeContainerEngine(InstantSource.system(), (_, _) -> {}),
                gpus,
                InstantSource.system(),
                System::nanoTime,
                BackgroundWork.onVirtualThreads(InstantSource.system()),
                sentence -> {
                    told.add(sentence);
                    then = counts(data.database());
                },
                failure -> {
                    throw new AssertionError(failure);
                }));
        assertThat(server.facts().warnings())
                .as("what is told once the server runs may not be true any more")
                .noneMatch(warning -> warning.contains("cannot run here"));
        server.stop();
    }

    @Test
    void allThatItCannotRunAreCountedBeforeAnyIsHeld() {
        startOn(LongStream.rangeClosed(1, 300)
                .mapToObj(id -> Jobs.queued(id, 2))
                .toList());
        assertThat(told)
                .containsExactly(
                        "300 jobs that wait cannot run here (1, 2, 3, 4, 5, 6, 7, 8, and 292 more); job 1: it asks"
                                + " for 2 GPUs, but this server has 1" + HELD);
        assertThat(then).containsExactly(new StateCount("QUEUED", 300));
        assertThat(counts(directory.resolve("data").resolve("berth.db"))).containsExactly(new StateCount("HELD", 300));
    }

    @Test
    void whatLeavesItFewerGpusIsNamed() {
        gpus = FoundGpus.simulated(4, "2");
        startOn(List.of(Jobs.queued(1, 2)));
        assertThat(told)
                .singleElement()
                .asString()
                .contains("it asks for 2 GPUs, but this server has 1 of the machine's 4, as it was started with"
                        + " CUDA_VISIBLE_DEVICES=2");
    }

    @Test
    void whatSomebodyHoldsIsNoneOfThem() {
        startOn(List.of(held(1, "ada"), held(2, Held.BY_SERVER), held(3, "ada")));
        assertThat(told)
                .containsExactly(
                        "job 2, which waits, cannot run here: it asks for 2 GPUs, but this server has 1" + HELD);
    }

    private static Job held(long id, String by) {
        return Jobs.job(id, Jobs.spec(2), Jobs.ADA, new Held(1, new ImageState.Pending(), by, Jobs.STARTED));
    }

    @Test
    void whereAllCanRunNothingIsSaid() {
        startOn(List.of());
        assertThat(told).isEmpty();
    }

    @Test
    void whoWishesThatTheyFailIsToldSo() {
        startOn(List.of(Jobs.queued(1, 1), Jobs.queued(2, 3), Jobs.queued(3, 3)), "--drop-unfit=true");
        assertThat(told)
                .containsExactly(
                        "2 jobs that wait cannot run here (2, 3); job 2: it asks for 3 GPUs, but this server has 1;"
                                + " at the front of the queue such a job fails (--drop-unfit)");
    }
}
