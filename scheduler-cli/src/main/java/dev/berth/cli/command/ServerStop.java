package dev.berth.cli.command;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.client.ServerLocation;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.launch.ServerEnd;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import dev.berth.cli.output.Stopped;
import dev.berth.core.api.ServerView;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** {@code berth server stop}: ends the server. */
final class ServerStop implements Verb {
    private static final String STOP_JOBS = "--stop-jobs";
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Duration STEP = Duration.ofMillis(200);
    private static final List<String> LIVE = List.of("STARTING", "RUNNING", "STOPPING");
    private static final List<String> WAITING = List.of("QUEUED");

    @Override
    public Shape shape() {
        return Shape.of(
                        "server stop",
                        "",
                        "Stop the server. Jobs that run go on, and the next server takes them over; jobs that wait are"
                                + " kept.",
                        "",
                        "A server of another machine is stopped where --url names it, and never because BERTH_URL"
                                + " does.",
                        "")
                .flag(
                        "Cancel the jobs that run first; those that wait keep their places, but for those that wait for one of"
                                + " them to have COMPLETED and do not keep waiting: they fail.",
                        STOP_JOBS)
                .examples("berth server stop", "berth server stop --stop-jobs");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        arguments.noWords();
        boolean stopJobs = arguments.has(STOP_JOBS);
        requireNamed(session);
        BerthClient client = session.client();
        session.requireSame(client);
        ServerView server = client.server();
        // A number of another machine's process means nothing here.
        Optional<ProcessHandle> process = session.remote() == null ? ServerEnd.process(server.pid()) : Optional.empty();
        client.stop(stopJobs);
        long left = count(server, LIVE);
        while (process.isPresent()
                ? !ServerEnd.waitFor(process.get(), LIMIT, session.environment().pause())
                : !isSilent(client, session)) {
            long before = left;
            left = stopJobs ? left(client) : 0;
            if (left >= before) {
                throw stillEnding(server.pid(), left);
            }
        }
        session.tellServer();
        session.output().stopped(new Stopped(server.pid(), stopJobs ? 0 : count(server, LIVE), count(server, WAITING)));
        return ExitCode.OK;
    }

    /** Jobs that are still to be stopped; none where the server does not answer any more. */
    private static long left(BerthClient client) {
        try {
            return count(client.server(), LIVE);
        } catch (IOException | Failure away) {
            return 0;
        }
    }

    private static Failure stillEnding(long pid, long left) {
        String wayOut = left == 0
                ? "berth server status shows whether it still answers"
                : "none of the jobs that it stops (" + left
                        + ") has ended meanwhile: berth ps shows them, and berth server stop without " + STOP_JOBS
                        + " ends it now and lets them go on";
        return Failure.berth(
                "STILL_ENDING",
                "the server (pid " + pid + ") is asked to stop, but still there after " + LIMIT.toSeconds() + " s; "
                        + wayOut);
    }

    /** A variable that was set for other commands is no reason to stop a server of another machine. */
    private static void requireNamed(Session session) {
        if (session.location().source() == ServerLocation.Source.URL_VARIABLE) {
            throw Failure.usage("BERTH_URL names the server at " + session.place()
                    + ", which no variable lets stop; say"
                    + " berth server stop --url " + session.place() + " where that one is meant, or --data-dir or"
                    + " --socket for one of this machine");
        }
    }

    private static long count(ServerView server, List<String> states) {
        long jobs = 0;
        for (ServerView.StateCount count : server.jobs()) {
            jobs += states.contains(count.state()) ? count.jobs() : 0;
        }
        return jobs;
    }

    /** For a server whose process cannot be seen from here: whether it stops to answer. */
    private static boolean isSilent(BerthClient client, Session session) {
        for (Duration spent = Duration.ZERO; spent.compareTo(LIMIT) < 0; spent = spent.plus(STEP)) {
            try {
                ServerView _ = client.server();
            } catch (IOException | Failure away) {
                return true;
            }
            session.environment().pause().pause(STEP);
        }
        return false;
    }
}
