package dev.berth.cli.command;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import dev.berth.core.api.TrackingView;
import java.io.IOException;

/** {@code berth artifacts}: the files of its output that a job named. */
final class Artifacts implements Verb {
    @Override
    public Shape shape() {
        return Shape.of(
                        "artifacts",
                        "<id>",
                        "List the files of a job's output that its program named.",
                        "A program names them by lines of JSON in the file $BERTH_TRACK: {\"artifact\": \"model.pt\"}. berth get"
                                + " fetches them.")
                .examples("berth artifacts 17", "berth get 17 model.pt", "berth artifacts 17 --json");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        BerthClient client = session.client();
        TrackingView told = client.tracking(session.jobId(arguments, client));
        session.output().artifacts(told);
        told.warnings().forEach(session.output()::warning);
        return ExitCode.OK;
    }
}
