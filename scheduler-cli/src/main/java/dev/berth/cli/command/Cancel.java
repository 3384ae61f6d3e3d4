package dev.berth.cli.command;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import java.io.IOException;

/** {@code berth cancel}: takes jobs out of the queue, or stops them. */
final class Cancel implements Verb {
    @Override
    public Shape shape() {
        return Shape.of("cancel", "<id>...", "Cancel jobs: one that waits never starts, one that runs is stopped.", "")
                .examples("berth cancel 17", "berth cancel 17 18", "berth cancel $(berth ps -q)");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        BerthClient client = session.client();
        int code = ExitCode.OK;
        for (long id : arguments.jobIds()) {
            try {
                session.output().cancelled(client.cancel(id));
            } catch (Failure refused) {
                session.output().failure(refused);
                code = code == ExitCode.OK ? refused.exitCode() : code;
            }
        }
        return code;
    }
}
