package dev.berth.cli.command;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.client.JobQuery;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.JobStates;
import dev.berth.cli.line.Shape;
import java.io.IOException;

/** {@code berth cancel}: takes jobs out of the queue, or stops them. */
public final class Cancel implements Verb {
    private static final ChosenJobs CHOSEN = new ChosenJobs("cancel", JobQuery.ACTIVE, JobStates.ACTIVE);

    @Override
    public Shape shape() {
        return CHOSEN.addTo(Shape.of(
                        "cancel",
                        "<id>...",
                        "Cancel jobs: one that waits never starts, one that runs is stopped.",
                        "",
                        "Without an id, those of your jobs that the filter finds, or with --user of that user's, after a question.",
                        ""))
                .examples(
                        "berth cancel 17",
                        "berth cancel 17-20 last",
                        "berth cancel --state QUEUED --name sweep",
                        "berth cancel $(berth ps -q)");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        BerthClient client = session.client();
        return EachJob.of(CHOSEN.of(arguments, client, session), session, id -> {
            session.output()
                    .cancelled(session.retried()
                            .steered(
                                    id,
                                    client::cancel,
                                    client::job,
                                    job -> job.state().equals("CANCELLED")));
            return ExitCode.OK;
        });
    }
}
