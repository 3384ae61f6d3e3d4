package dev.berth.cli;

import dev.berth.core.api.GpuList;
import dev.berth.core.api.JobList;
import dev.berth.core.api.SnapshotView;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Makes the distribution's cache of loaded classes: has its {@code bin/berth} rehearse the usual commands against a
 * scripted server. Part of the build; it fails where a command does.
 */
public final class RehearsalStage {
    /** Of the script that is submitted. */
    private static final String DIGEST = "d287bb7f9d15abdc5b6e98536263815744b6ef21c8f3c839fc434ca70d8efe99";

    private static final String JOB = "GET /api/v1/jobs/17";

    private RehearsalStage() {}

    /** Takes the distribution's directory. */
    public static void main(String[] arguments) throws IOException {
        Path directory = Files.createTempDirectory("berth");
        Path socket = directory.resolve("s");
        Path code = Files.createDirectory(directory.resolve("code"));
        Path said = directory.resolve("said");
        Path script = Files.writeString(code.resolve("main.py"), "print(1)");
        try (ScriptedServer server = ScriptedServer.at(socket)) {
            script(server);
            rehearse(Path.of(arguments[0]), socket, code, said);
        } finally {
            for (Path path : List.of(socket, said, script, code, directory)) {
                Files.deleteIfExists(path);
            }
        }
    }

    private static void script(ScriptedServer server) {
        server.json("GET /api/v1/server", 200, Samples.server())
                .json("GET /api/v1/server", 200, Samples.server())
                .json(
                        "GET /api/v1/jobs?scope=active&limit=100",
                        200,
                        new JobList(List.of(Samples.running(16), Samples.queued(17, 1)), null))
                .json(
                        "GET /api/v1/jobs?scope=active&limit=1000",
                        200,
                        new JobList(List.of(Samples.running(16), Samples.queued(17, 1)), null))
                .json("GET /api/v1/gpus", 200, new GpuList(Samples.server().gpus(), false))
                .json("GET /api/v1/jobs/17/explanation", 200, Samples.explanation(17, "RUNNING", null, "it runs"))
                .json(
                        "GET /api/v1/jobs?scope=all&limit=100",
                        200,
                        new JobList(List.of(Samples.running(16), Samples.queued(17, 1)), null))
                .json(
                        "GET /api/v1/jobs?scope=ended&limit=100",
                        200,
                        new JobList(List.of(Samples.ended(9, "COMPLETED", 0)), null))
                .json("POST /api/v1/jobs/17/hold", 202, Samples.queued(17, 1))
                .json("POST /api/v1/jobs/17/release", 202, Samples.queued(17, 1))
                .json(JOB, 200, Samples.running(17))
                .json(JOB, 200, Samples.running(17))
                .json(JOB, 200, Samples.ended(17, "COMPLETED", 0))
                .json(JOB, 200, Samples.ended(17, "COMPLETED", 0))
                .allEvents("GET /api/v1/events?follow=true", true, Samples.event(4, 17, "RUNNING", "COMPLETED"))
                .events(17, true, Samples.event(4, 17, "RUNNING", "COMPLETED"))
                .json("POST /api/v1/jobs/17/cancel", 202, Samples.running(17))
                .json("POST /api/v1/snapshots", 200, new SnapshotView("ab", 1, 8, List.of(DIGEST)))
                .json("POST /api/v1/contents?snapshot=ab", 200, new SnapshotView("ab", 1, 8, List.of()))
                .json("POST /api/v1/jobs", 201, Samples.queued(17, 3))
                .events(
                        17,
                        true,
                        Samples.event(3, 17, "STARTING", "RUNNING"),
                        Samples.event(4, 17, "RUNNING", "COMPLETED"))
                .json(JOB, 200, Samples.running(17))
                .json(JOB, 200, Samples.ended(17, "COMPLETED", 0))
                .json(JOB, 200, Samples.ended(17, "COMPLETED", 0))
                .log(17, 0, true, true, "text")
                .log(17, 4, true, true, "");
    }

    private static void rehearse(Path distribution, Path socket, Path code, Path said) throws IOException {
        String commands = """
                ps
                status
                status 17 --json
                server status
                gpus
                explain 17
                cancel 17
                ps -a --format {{.ID}}
                history
                hold 17
                release 17
                wait 17
                events 17
                submit scheduler CODE main.py --num-gpus 1 -e A=B --follow -- --lr 0.1
                """.replace("CODE", code.toString());
        ProcessBuilder builder = new ProcessBuilder(
                        distribution.resolve("bin/berth").toString())
                .redirectErrorStream(true)
                .redirectOutput(said.toFile());
        builder.environment().put("BERTH_MAKE_CACHE", "yes");
        builder.environment().put("BERTH_SOCKET", socket.toString());
        builder.environment().remove("BERTH_URL");
        Process process = builder.start();
        try (OutputStream in = process.getOutputStream()) {
            in.write(commands.getBytes(StandardCharsets.UTF_8));
        }
        if (process.onExit().join().exitValue() != 0) {
            throw new IllegalStateException("the rehearsal failed: " + Files.readString(said));
        }
    }
}
