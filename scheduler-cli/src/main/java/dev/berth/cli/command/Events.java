package dev.berth.cli.command;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.client.EventStream;
import dev.berth.cli.client.JobFollower;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import dev.berth.core.api.JobEventView;
import java.io.IOException;

/** {@code berth events}: what happened to jobs, a line each. */
final class Events implements Verb {
    private static final String FOLLOW = "--follow";

    @Override
    public Shape shape() {
        return Shape.of(
                        "events",
                        "[<id>]",
                        "List what happened to jobs, or to one: the time, the job, its state before and after, the event.",
                        "",
                        "With --follow, what happens from now on; of one job, all from its beginning to its end. A restart"
                                + " of the server makes no gap.",
                        "")
                .flag("Go on with what still happens, until Ctrl-C or the job's end.", "-f", FOLLOW)
                .examples("berth events", "berth events -f", "berth events 17", "berth events -f --json");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        BerthClient client = session.client();
        boolean follow = arguments.has(FOLLOW);
        if (!arguments.words().isEmpty()) {
            ofOne(session.jobId(arguments, client), follow, client, session);
        } else if (follow) {
            session.eventFollower(client).follow(session.output()::event);
        } else {
            copy(client.events(EventStream.UNKNOWN, false), 0, session);
        }
        return ExitCode.OK;
    }

    private static void ofOne(long id, boolean follow, BerthClient client, Session session) throws IOException {
        if (follow) {
            session.follower(client).untilEnd(id, session.output()::event);
        } else if (JobFollower.isFinal(client.job(id).state())) {
            copy(client.events(id, 0L), id, session);
        } else {
            // The stream of a job that is not over would wait for its end.
            copy(client.events(EventStream.UNKNOWN, false), id, session);
        }
    }

    /** The events of the stream; only those of one job where {@code id} is not 0. */
    private static void copy(EventStream stream, long id, Session session) throws IOException {
        try (stream) {
            for (JobEventView event = stream.next(); event != null; event = stream.next()) {
                if (id == 0 || event.job() == id) {
                    session.output().event(event);
                }
            }
        }
    }
}
