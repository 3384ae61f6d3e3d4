package dev.berth.cli.command;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.JobStates;
import dev.berth.cli.line.Shape;
import dev.berth.core.api.DeletedJob;
import java.io.IOException;

/** {@code berth delete}: removes jobs that are over, with all that is kept of them. */
public final class Delete implements Verb {
    private static final ChosenJobs CHOSEN = new ChosenJobs("delete", "deleted", JobStates.ENDED, false);

    @Override
    public Shape shape() {
        return CHOSEN.addTo(Shape.of(
                        "delete",
                        "<id>...",
                        "Delete jobs that are over, with all that is kept of them: record, log, output. An array (42) goes with all its"
                                + " tasks, and no task alone.",
                        "",
                        "Without an id, all those of your jobs that the filter finds, or with --user of that user's, after a question.",
                        ""))
                .examples(
                        "berth delete 17",
                        "berth delete 17-20",
                        "berth delete 42",
                        "berth delete --state CANCELLED --project mnist");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        BerthClient client = session.client();
        return CHOSEN.each(arguments, client, session, id -> {
            DeletedJob deleted = client.delete(id);
            session.output().deleted(deleted);
            return deleted.remains().isEmpty() ? ExitCode.OK : ExitCode.BERTH_FAILED;
        });
    }
}
