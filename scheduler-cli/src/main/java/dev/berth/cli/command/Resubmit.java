package dev.berth.cli.command;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import java.io.IOException;

/** {@code berth resubmit}: submits finished jobs again. */
final class Resubmit implements Verb {
    private static final String FAILED = "--failed";
    private static final String FIELD = "failed";

    @Override
    public Shape shape() {
        return Shape.of(
                        "resubmit",
                        "<id>...",
                        "Submit finished jobs again, each as a new job at the end of the queue: the same command"
                                + " in the same copy of the directory. Of an array all of it (42), or one task (42_7) with its"
                                + " index.",
                        "")
                .flag("Of an array only the tasks that have not COMPLETED, as one array with the same indices.", FAILED)
                .examples(
                        "berth resubmit 17",
                        "berth resubmit last",
                        "berth resubmit 42_7",
                        "berth resubmit --failed 42",
                        "berth resubmit $(berth history --state LOST -q)");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        boolean failed = arguments.has(FAILED);
        BerthClient client = session.client();
        return EachJob.of(session.jobIds(arguments, client), session, id -> {
            try {
                session.output().submitted(session.retried().once(key -> client.resubmit(id, failed, key)));
            } catch (Failure refused) {
                throw retold(refused);
            }
            return ExitCode.OK;
        });
    }

    /** The API's field is an option here, whose value nobody types. */
    private static Failure retold(Failure refused) {
        var details = refused.error().details();
        return FIELD.equals(details.get("field")) && details.containsKey("rule")
                ? refused.inWords(FAILED + " " + details.get("rule"))
                : refused;
    }
}
