package dev.berth.cli.command;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.exit.ExitCode;
import java.io.IOException;

/** {@code berth requeue}: queues jobs that are over once more. */
final class Requeue implements Verb {
    @Override
    public Shape shape() {
        return Shape.of(
                        "requeue",
                        "<id>...",
                        "Queue jobs that are over once more, each as a new job at the end of the queue: the same command"
                                + " in the same copy of the directory.",
                        "")
                .examples("berth requeue 17", "berth requeue last", "berth requeue $(berth history --state LOST -q)");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        BerthClient client = session.client();
        return Each.of(session.jobIds(arguments, client), session, id -> {
            session.output().submitted(session.handIn().once(key -> client.requeue(id, key)));
            return ExitCode.OK;
        });
    }
}
