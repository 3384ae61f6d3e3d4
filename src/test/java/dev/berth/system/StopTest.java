package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.ProjectDirectory;
import dev.berth.system.fixture.Ran;
import dev.berth.system.fixture.Relay;
import dev.berth.system.fixture.Running;
import dev.berth.system.fixture.Stalled;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A server that is told to end, at any moment, ends in time and leaves what the next one needs. */
@SystemTest
class StopTest {
    /** 128 and SIGTERM, as for every program of a Java virtual machine. */
    private static final int TOLD_TO_END = 143;

    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final Path ENGINE = Path.of("/var/run/docker.sock");
    private static final int MOMENTS = 12;
    private static final int LATEST_MILLIS = 3_000;
    private static final long SEED = 20;

    /** Tells it to end, and answers what it said; measured by the clock, as the bound is a promise. */
    private static Ran terminated(Running server) {
        long begin = System.nanoTime();
        server.terminate();
        Ran ran = server.end();
        Duration took = Duration.ofNanos(System.nanoTime() - begin);
        System.out.println("ended " + took.toMillis() + " ms after SIGTERM");
        assertThat(took).as("the end of %s", ran).isLessThan(LIMIT);
        return ran.expect(TOLD_TO_END);
    }

    private static Running server(Berth berth) {
        return berth.startCommand("--foreground", "--simulate-gpus", "2").start();
    }

    private static void awaitReady(Running server) {
        Await.that("the server is ready", () -> server.said().contains(" is ready, pid " + server.pid()));
    }

    @Test
    void atAnyMomentOfItsStartAndAfter() {
        SplittableRandom random = new SplittableRandom(SEED);
        try (Berth berth = Berth.on(Engine.ofMachine())) {
            ProjectDirectory project = berth.project("record.py");
            SubmittedJob running;
            List<SubmittedJob> waiting = new ArrayList<>();
            try (Running server = server(berth)) {
                awaitReady(server);
                running = berth.submit(project, "record.py", "--num-gpus", "2", "gate");
                running.awaitBegun();
                waiting.add(berth.submit(project, "record.py", "--num-gpus", "1"));
                Ran _ = terminated(server);
            }
            for (int moment = 0; moment < MOMENTS; moment++) {
                try (Running server = server(berth)) {
                    Await.moment(Duration.ofMillis(random.nextInt(LATEST_MILLIS)));
                    Ran _ = terminated(server);
                }
            }
            berth.start("--simulate-gpus", "2");
            assertThat(running.state()).isEqualTo("RUNNING");
            waiting.add(berth.submit(project, "record.py", "--num-gpus", "1"));
            running.open();
            running.awaitCompleted();
            assertThat(running.read("starts").lines()).hasSize(1);
            assertThat(waiting).allSatisfy(job -> job.awaitCompleted());
            assertThat(berth.run("events").out()).doesNotContain("LOST");
        }
    }

    @Test
    void withFollowersWhoDoNotReadAnUploadThatStandsStillAndAnEngineThatDoesNotAnswer() {
        try (Berth berth = Berth.on(Engine.ofMachine())) {
            ProjectDirectory project = berth.project("count.py", "record.py");
            SubmittedJob writing;
            SubmittedJob starting;
            try (Relay engine = Relay.at(berth.home().resolve("engine"), ENGINE);
                    Running server = berth.startCommand("--foreground", "--simulate-gpus", "2")
                            .with("DOCKER_HOST", "unix://" + engine.socket())
                            .start()) {
                awaitReady(server);
                writing = berth.submit(project, "count.py", "--num-gpus", "1", "out", "0");
                writing.awaitFile("lines");
                Path socket = berth.dataDirectory().resolve("berth.sock");
                try (Stalled _ = Stalled.at(socket, 10, "GET /api/v1/jobs/1/log?follow=true", 0);
                        Stalled _ = Stalled.at(socket, 10, "GET /api/v1/events?follow=true&after=0", 0);
                        Stalled _ = Stalled.at(socket, 2, "POST /api/v1/snapshots", 1_000)) {
                    engine.hangAt("/start ");
                    starting = berth.submit(project, "record.py", "--num-gpus", "1");
                    Await.that("the engine is asked to start the container", engine::isHanging);
                    assertThat(starting.state()).isEqualTo("STARTING");
                    Ran _ = terminated(server);
                }
            }
            // By a relay again: which run of the engine was asked is seen by who listens there, and behind a relay
            // every dockerd of the machine counts.
            try (Relay engine = Relay.at(berth.home().resolve("engine-again"), ENGINE)) {
                berth.start(Map.of("DOCKER_HOST", "unix://" + engine.socket()), "--simulate-gpus", "2");
                assertThat(writing.state()).isEqualTo("RUNNING");
                starting.awaitCompleted();
                assertThat(starting.read("starts").lines()).hasSize(1);
                writing.open();
                writing.awaitCompleted();
                berth.stop();
            }
        }
    }

    @Test
    void whileItWaitsForAnEngineThatDoesNotAnswer() {
        try (Berth berth = Berth.on(Engine.ofMachine());
                Relay engine = Relay.at(berth.home().resolve("engine"), ENGINE).hang();
                Running server = berth.startCommand("--foreground", "--simulate-gpus", "2")
                        .with("DOCKER_HOST", "unix://" + engine.socket())
                        .start()) {
            Await.that("the engine is asked", () -> engine.connections() > 0);
            assertThat(terminated(server).err())
                    .contains("berth: the server was told to end while it started; nothing is lost");
        }
    }
}
