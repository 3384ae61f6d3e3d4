package dev.berth.cli.command;

import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import java.io.IOException;
import java.util.List;

/** Does one thing to several jobs: what is refused for one does not keep the others from it. */
public final class EachJob {
    private EachJob() {}

    /** The action on a job; its answer is the exit code. */
    interface Action {
        int on(long id) throws IOException;
    }

    /** The exit code: of those that are not 0, the first. */
    static int of(List<Long> ids, Session session, Action action) throws IOException {
        int code = ExitCode.OK;
        for (long id : ids) {
            int one;
            try {
                one = action.on(id);
            } catch (Failure refused) {
                if (refused.isSilent()) {
                    throw refused;
                }
                session.output().failure(refused);
                one = refused.exitCode();
            }
            code = code == ExitCode.OK ? one : code;
        }
        return code;
    }
}
