package dev.berth.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.DeadlyRuntime;
import dev.berth.system.fixture.JsonReading;
import dev.berth.system.fixture.OwnEngine;
import dev.berth.system.fixture.Ran;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.TestFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The engine is killed (-9) in the middle of starts, at random moments, under many short programs; every fourth time the
 * server with it. {@code -Dberth.chaos.starts=200} makes a long run of it, {@code -Dberth.chaos.seed=N} plays the same
 * moments again.
 */
@SystemTest
@Tag("alone")
@Tag("long")
class KilledStartsTest {
    private static final int GPUS = 4;
    private static final int KILLS = Integer.getInteger("berth.chaos.starts", 4);
    private static final long SEED = 20_261_122;
    private static final double LATEST_SECONDS = 0.4;
    private static final Duration LONGER_THAN_ANY_PROGRAM = Duration.ofSeconds(2);
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final Set<String> FINAL = Set.of("COMPLETED", "LOST");
    private static final Set<String> OVER = Set.of("COMPLETED", "LOST", "FAILED");
    private static final Set<String> WAITING = Set.of("QUEUED", "STARTING");
    private static final Set<String> ALIVE = Set.of("RUNNING", "STOPPING");
    private static final String DATA = "data: ";
    private static final String AT_ONCE = "jobs that completed in their first attempt";

    /** One job in so many: a start is lost only where nobody knows whether it was made, and most are made at other moments. */
    private static final int LEAST_COMPLETED = 10;

    /** What an attempt is followed by another one for: nobody knows how it ended, or it was not asked to start. */
    private static final Set<String> UNKNOWN_ENDS = Set.of("StartLost", "EngineStopped", "LaunchPutOff", "GpusTaken");

    private static final List<String> MOMENTS = List.of("create before", "create after", "start before", "start after");

    private final Map<String, Integer> counts = new TreeMap<>();
    private final List<String> violations = new ArrayList<>();

    @Test
    @Timeout(value = 3, unit = TimeUnit.HOURS)
    void noProgramIsStartedTwice() {
        play(this::strike);
        assertGoodPartCompleted();
    }

    /**
     * The engine goes on, starts containerd again, and answers the start with an error. All starts that are asked for in the
     * second that takes are lost: as a rule those of all jobs here.
     */
    @Test
    @Timeout(value = 3, unit = TimeUnit.HOURS)
    void noProgramIsStartedTwiceWhereContainerdAloneDies() {
        play((_, berth, runtime, snapshot, random) ->
                strikePart("containerd", runtime::armForContainerd, berth, runtime, snapshot, random));
    }

    /** Nothing else notices: the engine answers the start with an error, or calls the program killed. */
    @Test
    @Timeout(value = 3, unit = TimeUnit.HOURS)
    void noProgramIsStartedTwiceWhereItsShimAloneDies() {
        play((_, berth, runtime, snapshot, random) ->
                strikePart("shim", runtime::armForShim, berth, runtime, snapshot, random));
        assertGoodPartCompleted();
    }

    /** The engine goes on, and calls the container created, whatever the runtime has done before it was killed, or failed. */
    @Test
    @Timeout(value = 3, unit = TimeUnit.HOURS)
    void noProgramIsStartedTwiceWhereItsRuntimeAloneFails() {
        play((_, berth, runtime, snapshot, random) -> strikePart(
                "runtime",
                random.nextBoolean() ? runtime::armForItself : runtime::armForError,
                berth,
                runtime,
                snapshot,
                random));
        assertGoodPartCompleted();
    }

    private interface Strike {
        void at(OwnEngine engine, Berth berth, DeadlyRuntime runtime, String snapshot, SplittableRandom random);
    }

    private void play(Strike strike) {
        long seed = Long.getLong("berth.chaos.seed", SEED);
        SplittableRandom random = new SplittableRandom(seed);
        Instant began = Instant.now();
        try (OwnEngine engine = OwnEngine.start(GPUS).keepContainers(true);
                Berth berth = Berth.on(engine.engine())) {
            DeadlyRuntime runtime = DeadlyRuntime.of(engine);
            berth.start("-g");
            SubmittedJob first = berth.submit(berth.project("record.py"), "record.py", "--num-gpus", "1", "--", "0");
            String snapshot = first.awaitCompleted().view().path("snapshot").asText();
            for (int kill = 0; kill < KILLS; kill++) {
                strike.at(engine, berth, runtime, snapshot, random);
            }
        }
        System.out.printf(
                "kills of the engine at a start: %d in %d s, seed %d: %s, violations %d%n",
                KILLS, Duration.between(began, Instant.now()).toSeconds(), seed, counts, violations.size());
        assertThat(violations).isEmpty();
    }

    private void assertGoodPartCompleted() {
        int jobs = KILLS * GPUS;
        assertThat(counts.getOrDefault(AT_ONCE, 0))
                .as("jobs of %d that completed in their first attempt: %s", jobs, counts)
                .isGreaterThanOrEqualTo(jobs / LEAST_COMPLETED);
    }

    private void strike(
            OwnEngine engine, Berth berth, DeadlyRuntime runtime, String snapshot, SplittableRandom random) {
        String moment = MOMENTS.get(random.nextInt(MOMENTS.size()));
        boolean atOnce = random.nextBoolean();
        boolean withServer = random.nextInt(4) == 0;
        runtime.arm(moment, atOnce ? 0 : random.nextDouble(LATEST_SECONDS));
        List<SubmittedJob> jobs = submitOneForEachGpu(berth, snapshot, random);
        engine.awaitDeath();
        if (withServer) {
            berth.kill();
        }
        // Time for what begins to end before anybody looks.
        Await.pass(Duration.ofMillis(random.nextInt(600)));
        engine.startAgain();
        if (withServer) {
            berth.start("-g");
        }
        count("killed at: " + moment + (atOnce ? "" : ", a moment later"));
        count(withServer ? "the server with it" : "the engine alone");
        jobs.forEach(job -> judge(job, moment));
    }

    private interface Arm {
        void at(String moment, double seconds);
    }

    private void strikePart(
            String part, Arm arm, Berth berth, DeadlyRuntime runtime, String snapshot, SplittableRandom random) {
        String moment = MOMENTS.get(random.nextInt(MOMENTS.size()));
        arm.at(moment, random.nextBoolean() ? 0 : random.nextDouble(LATEST_SECONDS));
        List<SubmittedJob> jobs = submitOneForEachGpu(berth, snapshot, random);
        // Where what was killed before is not back yet, nobody comes to the moment: all starts are lost without it.
        Await.that(
                "somebody comes to the deadly moment, or all jobs are over",
                PATIENCE,
                () -> runtime.hasStruck() || jobs.stream().allMatch(job -> OVER.contains(job.state())));
        if (runtime.hasStruck()) {
            count(part + " killed at: " + moment);
        } else {
            runtime.disarm();
            count("nobody came to the moment");
        }
        endSomehow(berth, jobs);
        jobs.forEach(job -> startedOnce(job, moment));
    }

    /** A program that ends while containerd is away runs for ever as far as dockerd 20.10 knows, until it is stopped. */
    private static void endSomehow(Berth berth, List<SubmittedJob> jobs) {
        jobs.forEach(job -> Await.that(
                "job " + job.id() + " has begun or is over", PATIENCE, () -> !WAITING.contains(job.state())));
        Await.pass(LONGER_THAN_ANY_PROGRAM);
        jobs.stream().filter(job -> job.state().equals("RUNNING")).forEach(job -> {
            Ran _ = berth.command("cancel", Long.toString(job.id())).run();
            Await.that("job " + job.id() + " is over", PATIENCE, () -> !ALIVE.contains(job.state()));
        });
        List<SubmittedJob> back =
                jobs.stream().filter(job -> WAITING.contains(job.state())).toList();
        if (!back.isEmpty()) {
            endSomehow(berth, back);
        }
    }

    private void startedOnce(SubmittedJob job, String moment) {
        JsonNode view = job.view();
        count("jobs that ended " + view.path("state").asText());
        boolean _ = hasRun(job, view, moment);
    }

    /** Whether its program has run; no attempt of it may have run twice. A further one is what its --requeue asked for. */
    private boolean hasRun(SubmittedJob job, JsonNode view, String moment) {
        Path file = job.output().resolve("starts");
        List<String> attempts = Files.exists(file) ? TestFiles.lines(file) : List.of();
        counts.merge("programs started", attempts.size(), Integer::sum);
        if (Set.copyOf(attempts).size() < attempts.size()) {
            violations.add("after a kill at " + moment + ", started as attempts " + attempts + ": " + view);
        }
        if (view.path("attempt").asInt() > 1) {
            requeuedForNothingKnown(job, moment);
        } else if (view.path("state").asText().equals("COMPLETED")) {
            count(AT_ONCE);
        }
        return !attempts.isEmpty();
    }

    /** No attempt follows one whose end was known. */
    private void requeuedForNothingKnown(SubmittedJob job, String moment) {
        List<JsonNode> events = job.berth()
                .api()
                .get("/jobs/" + job.id() + "/events")
                .text()
                .lines()
                .filter(line -> line.startsWith(DATA))
                .map(line -> JsonReading.of(line.substring(DATA.length())))
                .toList();
        List<String> requeues = events.stream()
                .filter(event -> event.path("to").asText().equals("QUEUED"))
                .filter(event ->
                        !Set.of("QUEUED", "null").contains(event.path("from").asText()))
                .map(event -> event.path("event").asText())
                .toList();
        if (requeues.isEmpty() || !UNKNOWN_ENDS.containsAll(requeues)) {
            violations.add("after a kill at " + moment + " it was started anew for " + requeues + ": " + events);
        }
    }

    private static List<SubmittedJob> submitOneForEachGpu(Berth berth, String snapshot, SplittableRandom random) {
        List<SubmittedJob> jobs = new ArrayList<>();
        for (int job = 0; job < GPUS; job++) {
            jobs.add(submit(berth, snapshot, random.nextInt(4) == 0, random.nextInt(3) == 0 ? "0.5" : "0"));
        }
        return jobs;
    }

    private static SubmittedJob submit(Berth berth, String snapshot, boolean requeue, String seconds) {
        Map<String, Object> request =
                new HashMap<>(Map.of("gpus", 1, "command", List.of("record.py", seconds), "snapshot", snapshot));
        request.put("requeue", requeue);
        return berth.submit(request);
    }

    private void judge(SubmittedJob job, String moment) {
        try {
            Await.that("job " + job.id() + " is over", PATIENCE, () -> FINAL.contains(job.state()));
        } catch (AssertionError e) {
            violations.add("after a kill at " + moment + " it did not end as it may: " + job.view());
            return;
        }
        JsonNode view = job.view();
        count("jobs that ended " + view.path("state").asText());
        if (!hasRun(job, view, moment) && job.state().equals("COMPLETED")) {
            violations.add("after a kill at " + moment + " it is called completed and has never run: " + view);
        }
    }

    private void count(String what) {
        counts.merge(what, 1, Integer::sum);
    }
}
