package dev.berth.cli.command;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import java.io.IOException;

/** {@code berth hold} and {@code berth release}: keeps waiting jobs from starting, or lets them start again. */
record Hold(boolean held) implements Verb {
    @Override
    public Shape shape() {
        return held
                ? Shape.of(
                                "hold",
                                "<id>...",
                                "Keep waiting jobs from starting, until berth release. They keep their places; those behind"
                                        + " them may start. 42 is a whole array, 42_7 one task of it.",
                                "")
                        .examples("berth hold 17", "berth hold 17-20", "berth hold 42_7")
                : Shape.of(
                                "release",
                                "<id>...",
                                "Let held jobs go on, in the places that they have; and those that keep waiting for a job that failed."
                                        + " At Slurm they go to the end of its queue. 42 is a whole array, 42_7 one task of it.",
                                "")
                        .examples(
                                "berth release 17", "berth release 42_7", "berth release $(berth ps --state HELD -q)");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        BerthClient client = session.client();
        return EachJob.of(session.jobIds(arguments, client), session, id -> {
            session.output()
                    .changed(session.retried()
                            .steered(
                                    id,
                                    held ? client::hold : client::release,
                                    client::job,
                                    job -> held == job.state().equals("HELD")));
            return ExitCode.OK;
        });
    }
}
