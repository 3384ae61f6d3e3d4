package dev.berth.cli.output.text;

import dev.berth.core.api.JobView;
import dev.berth.core.api.ServerView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The server and its GPUs for people. */
public final class ServerText {
    private static final int MIB_A_GIB = 1024;

    private ServerText() {}

    public static List<String> page(ServerView server, Instant now) {
        List<String> lines = new ArrayList<>();
        JobText.field(lines, "server", "Berth " + server.version() + ", pid " + server.pid());
        JobText.field(lines, "since", JobText.ago(server.since(), now));
        JobText.field(lines, "socket", server.socket());
        String url = server.url();
        if (url != null) {
            JobText.field(lines, "url", url);
        }
        JobText.field(lines, "data", server.dataDirectory());
        JobText.field(lines, "engine", server.engine());
        JobText.field(lines, "image", server.image());
        JobText.field(lines, "workers", workers(server));
        JobText.field(lines, "GPUs", gpuCount(server));
        String driver = server.driver();
        if (driver != null) {
            JobText.field(lines, "driver", driver + (server.cuda() == null ? "" : ", up to CUDA " + server.cuda()));
        }
        JobText.field(lines, "jobs", jobs(server));
        outage(lines, server, now);
        pause(lines, server, now);
        failingTasks(lines, server, now);
        warnings(lines, server);
        return lines;
    }

    /** The server in a few lines; {@code first} is the job that is first in the queue, null where none is to be told. */
    public static List<String> summary(ServerView server, @Nullable JobView first, Instant now) {
        List<String> lines = new ArrayList<>();
        JobText.field(
                lines,
                "server",
                "Berth " + server.version() + ", up " + Times.between(server.since(), now) + ", " + server.engine());
        JobText.field(lines, "workers", workers(server));
        JobText.field(lines, "GPUs", gpuCount(server));
        JobText.field(lines, "jobs", jobs(server));
        if (first != null) {
            JobText.field(lines, "queue", "job " + first.number() + " of " + first.user() + ": " + first.sentence());
        }
        outage(lines, server, now);
        pause(lines, server, now);
        failingTasks(lines, server, now);
        warnings(lines, server);
        return lines;
    }

    private static void outage(List<String> lines, ServerView server, Instant now) {
        ServerView.EngineOutage outage = server.engineOutage();
        if (outage != null) {
            JobText.field(
                    lines,
                    "outage",
                    "engine unreachable since " + JobText.ago(outage.since(), now) + ": " + outage.sentence()
                            + "; jobs that run go on, and all else waits for it");
        }
    }

    private static void pause(List<String> lines, ServerView server, Instant now) {
        ServerView.Pause paused = server.paused();
        if (paused != null) {
            JobText.field(
                    lines,
                    "paused",
                    "by " + paused.by() + ", " + JobText.ago(paused.since(), now)
                            + "; nothing is started until berth server resume");
        }
    }

    private static void failingTasks(List<String> lines, ServerView server, Instant now) {
        for (ServerView.FailingTask failing : server.failingTasks()) {
            JobText.field(lines, "failing", sentence(failing, now));
        }
    }

    /** Background work that does not succeed, in a sentence without its stop. */
    public static String sentence(ServerView.FailingTask failing, Instant now) {
        return failing.task() + ", since " + JobText.ago(failing.since(), now) + " (" + failing.failures()
                + (failing.failures() == 1 ? " failure" : " failures") + "): " + failing.sentence()
                + "; tried again at " + Times.utc(failing.nextTry());
    }

    private static void warnings(List<String> lines, ServerView server) {
        for (String warning : server.warnings()) {
            JobText.field(lines, "warning", warning);
        }
    }

    private static String workers(ServerView server) {
        return server.workers()
                + (server.cpuWorkers() == 0 ? "" : ", and " + server.cpuWorkers() + " for jobs without a GPU");
    }

    private static String gpuCount(ServerView server) {
        if (server.gpus().isEmpty()) {
            return "none to allocate (berth server start -g allocates those of the machine)";
        }
        long free =
                server.gpus().stream().filter(gpu -> gpu.holders().isEmpty()).count();
        return server.gpus().size() + (server.simulated() ? " simulated, " : ", ") + free + " free"
                + (server.gpuWay() == null ? "" : "; given " + server.gpuWay());
    }

    private static String jobs(ServerView server) {
        StringBuilder text = new StringBuilder();
        for (ServerView.StateCount count : server.jobs()) {
            if (count.jobs() > 0) {
                text.append(text.isEmpty() ? "" : ", ")
                        .append(count.jobs())
                        .append(' ')
                        .append(count.state());
            }
        }
        return text.isEmpty() ? "none" : text.toString();
    }

    public static String memory(long mebibytes) {
        if (mebibytes < MIB_A_GIB) {
            return mebibytes == 0 ? "-" : mebibytes + " MiB";
        }
        long tenths = (mebibytes * 10 + MIB_A_GIB / 2) / MIB_A_GIB;
        return tenths / 10 + (tenths % 10 == 0 ? "" : "." + tenths % 10) + " GiB";
    }
}
