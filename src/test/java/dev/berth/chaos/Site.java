package dev.berth.chaos;

import dev.berth.system.fixture.Api;
import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Command;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.JsonReading;
import dev.berth.system.fixture.ProjectDirectory;
import dev.berth.system.fixture.StandInEngine;
import dev.berth.system.fixture.TestFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * All that takes part: an engine, a server that reaches it through a relay, and the relay through which clients reach the
 * server.
 *
 * @param records where jobs take their notes
 */
record Site(
        StandInEngine engine,
        Daemon daemon,
        CuttingRelay toEngine,
        CuttingRelay toServer,
        Berth berth,
        Server server,
        ProjectDirectory project,
        Path records)
        implements AutoCloseable {
    static final int GPUS = 4;

    private static final String PROGRAM = "chaos.py";

    static Site open(SplittableRandom random) {
        StandInEngine engine = StandInEngine.start(GPUS, "runc");
        Path engineRelay = engine.folder().resolve("relay.sock");
        Map<String, String> variables = new HashMap<>(engine.engine().variables());
        variables.put("DOCKER_HOST", "unix://" + engineRelay);
        Berth berth = Berth.on(new Engine(variables, engine.engine().standIn()));
        return new Site(
                engine,
                Daemon.of(engine),
                CuttingRelay.open(engineRelay, engine.folder().resolve("docker.sock"), random.split()),
                CuttingRelay.open(socket(berth), berth.dataDirectory().resolve("berth.sock"), random.split()),
                berth,
                new Server(berth),
                berth.project(PROGRAM),
                TestFiles.folder(berth.home().resolve("records")));
    }

    private static Path socket(Berth berth) {
        return berth.home().resolve("relay.sock");
    }

    /** {@code berth WORDS}, through the relay. */
    Command command(String... words) {
        return berth.command("--socket", socket(berth).toString()).and(words);
    }

    /** The API through the relay. */
    Api clientApi() {
        return new Api(socket(berth));
    }

    /** The jobs whose containers run, as the engine itself says. */
    List<Long> runningJobs() {
        return engine
                .engine()
                .docker("ps", "--filter", "label=dev.berth.job", "--format", "{{.Label \"dev.berth.job\"}}")
                .lines()
                .stream()
                .map(Long::valueOf)
                .sorted()
                .toList();
    }

    /** The container of a job that runs, none where it has ended meanwhile. */
    List<String> container(long job) {
        return engine.engine()
                .docker("ps", "-q", "--filter", "label=dev.berth.job=" + job)
                .lines();
    }

    /** Waits until no job waits or runs; what is still there where that takes too long. */
    List<String> settle(Duration patience) {
        try {
            Await.that("no job waits or runs", patience, () -> live().isEmpty());
            return List.of();
        } catch (AssertionError tooLong) {
            return live();
        }
    }

    private List<String> live() {
        List<String> live = new ArrayList<>();
        berth.api()
                .get("/jobs?limit=1000")
                .json()
                .path("jobs")
                .forEach(job -> live.add("job " + job.path("id") + " is still " + job.path("state") + ": "
                        + job.path("sentence").asText()));
        return live;
    }

    /** The numbers of the jobs that are held, tasks of arrays among them. */
    List<String> held() {
        return JsonReading.each(
                berth.api().get("/jobs?state=HELD&tasks=true&limit=1000").json().path("jobs"), "number");
    }

    @Override
    public void close() {
        try (engine;
                toEngine;
                berth;
                toServer;
                server) {
            // The server ends first, the engine last, whatever goes wrong in between.
        }
    }
}
