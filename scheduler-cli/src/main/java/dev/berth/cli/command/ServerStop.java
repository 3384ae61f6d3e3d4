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
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;

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
                        "Cancel the jobs that run first, and wait as long as one at least ends each minute; those that"
                                + " wait keep their places, but for those that wait for one of them to have COMPLETED and do not keep waiting: they fail.",
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
        BooleanSupplier isGone = process.isPresent()
                ? () -> ServerEnd.waitFor(
                        process.get(), LIMIT, session.environment().pause())
                : () -> isSilent(client, session);
        if (stopJobs) {
            awaitJobs(isGone, client, server.pid());
        } else if (!isGone.getAsBoolean()) {
            throw stillEnding(server.pid(), OptionalLong.empty());
        }
        session.tellServer();
        session.output().stopped(new Stopped(server.pid(), stopJobs ? 0 : count(server, LIVE), count(server, WAITING)));
        return ExitCode.OK;
    }

    /** Waits as long as jobs get fewer. What waits at a target counts once the server was told to stop it. */
    private static void awaitJobs(BooleanSupplier isGone, BerthClient client, long pid) {
        long left = left(client).orElse(Long.MAX_VALUE);
        boolean isAnswered = true;
        while (!isGone.getAsBoolean()) {
            OptionalLong now = left(client);
            // A server with much to do may be too busy to answer, and has a minute more.
            if (now.isPresent() ? now.getAsLong() >= left : !isAnswered) {
                throw stillEnding(pid, now);
            }
            isAnswered = now.isPresent();
            left = now.orElse(left);
        }
    }

    /** Jobs that are still to be stopped; empty where the server does not answer. */
    private static OptionalLong left(BerthClient client) {
        try {
            return OptionalLong.of(count(client.server(), LIVE));
        } catch (IOException | Failure away) {
            return OptionalLong.empty();
        }
    }

    /**
     * That it is not gone.
     *
     * @param left of its jobs, where these were to end before it
     */
    private static Failure stillEnding(long pid, OptionalLong left) {
        String why = left.isEmpty() || left.getAsLong() == 0
                ? " after " + LIMIT.toSeconds() + " s; berth server status shows whether it still answers"
                : ": none of the jobs that it stops (" + left.getAsLong() + ") has ended in the last "
                        + LIMIT.toSeconds() + " s; berth ps shows them, and berth server stop without " + STOP_JOBS
                        + " ends the server now: the next one goes on with their end";
        return Failure.berth("STILL_ENDING", "the server (pid " + pid + ") is asked to stop, but still there" + why);
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
