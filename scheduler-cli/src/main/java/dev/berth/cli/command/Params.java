package dev.berth.cli.command;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import dev.berth.core.api.TrackingView;
import java.io.IOException;

/** {@code berth params}: the parameters of a job. */
final class Params implements Verb {
    @Override
    public Shape shape() {
        return Shape.of(
                        "params",
                        "<id>",
                        "List the parameters of a job: the values of its sweep, and what its program told.",
                        "A program tells them by lines of JSON in the file $BERTH_TRACK: {\"param\": {\"lr\": 0.1}}.")
                .examples("berth params 17", "berth params 42_7", "berth params 17 --json");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        BerthClient client = session.client();
        TrackingView told = client.tracking(session.jobId(arguments, client));
        session.output().parameters(told);
        told.warnings().forEach(session.output()::warning);
        return ExitCode.OK;
    }
}
