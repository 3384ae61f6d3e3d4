package dev.berth.cli.command;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.client.JobQuery;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import dev.berth.cli.output.Overview;
import dev.berth.core.api.JobList;
import dev.berth.core.api.JobView;
import dev.berth.core.api.ServerView;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** {@code berth status}: one job, or everything at a glance. */
final class Status implements Verb {
    private static final int LIMIT = 100;

    @Override
    public Shape shape() {
        return Shape.of(
                        "status",
                        "[<id>]",
                        "Show all about one job, an array (42) or a task of it (42_7); without an id, the server, its GPUs, the queue and"
                                + " your own jobs.",
                        "")
                .examples("berth status", "berth status 17", "berth status 42_7", "berth status 17 --json");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        BerthClient client = session.client();
        if (arguments.words().isEmpty()) {
            session.output().overview(overview(client, session));
        } else {
            session.output().job(client.job(session.jobId(arguments, client)));
        }
        return ExitCode.OK;
    }

    private static Overview overview(BerthClient client, Session session) throws IOException {
        ServerView server = client.server();
        JobList active = client.jobs(JobQuery.of(JobQuery.ACTIVE, LIMIT));
        String user = session.environment().user();
        List<JobView> own = new ArrayList<>();
        JobView first = null;
        for (JobView job : active.jobs()) {
            Long position = job.position();
            first = first == null && position != null && position == 1 ? job : first;
            if (job.user().equals(user)) {
                own.add(job);
            }
        }
        if (active.next() != null) {
            session.output()
                    .notice("berth: of the queue, only the first " + LIMIT + " jobs were looked at for yours;"
                            + " berth ps shows more");
        }
        return new Overview(server, user, own, first);
    }
}
