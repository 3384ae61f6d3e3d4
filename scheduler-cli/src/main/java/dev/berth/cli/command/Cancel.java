package dev.berth.cli.command;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.JobStates;
import dev.berth.cli.line.Shape;
import java.io.IOException;

/** {@code berth cancel}: takes jobs out of the queue, or stops them. */
public final class Cancel implements Verb {
    private static final ChosenJobs CHOSEN = new ChosenJobs("cancel", "cancelled", JobStates.ACTIVE, true);

    @Override
    public Shape shape() {
        return CHOSEN.addTo(Shape.of(
                        "cancel",
                        "<id>...",
                        "Cancel jobs: one that waits never starts, one that runs is stopped. 42 is a whole array, 42_7 one task of it.",
                        "",
                        "Without an id, all those of your jobs that the filter finds, or with --user of that user's, after a"
                                + " question. Those that wait are cancelled first, from the newest to the oldest, so that"
                                + " none of them starts because the one before it was cancelled.",
                        ""))
                .examples(
                        "berth cancel 17",
                        "berth cancel 17-20 last",
                        "berth cancel 42_7",
                        "berth cancel --state QUEUED --name sweep",
                        "berth cancel $(berth ps -q)");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        BerthClient client = session.client();
        return CHOSEN.each(arguments, client, session, id -> {
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
