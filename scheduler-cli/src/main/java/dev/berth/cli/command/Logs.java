package dev.berth.cli.command;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.client.JobFollower;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.OnInterrupt;
import dev.berth.core.api.JobView;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;

/** {@code berth logs}: what a job's program wrote. */
final class Logs implements Verb {
    private static final String FOLLOW = "--follow";

    @Override
    public Shape shape() {
        return Shape.of("logs", "<id>", "Print what a job's program wrote to its output.", "")
                .flag("Go on with what it still writes, until the job is over.", "-f", FOLLOW)
                .examples("berth logs 17", "berth logs -f 17", "berth logs 17 > job.log");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        long id = arguments.jobId();
        BerthClient client = session.client();
        JobFollower follower = session.follower(client);
        AtomicLong written = new AtomicLong();
        JobFollower.LogSink sink = (bytes, count) -> {
            written.addAndGet(count);
            session.output().log(id, bytes, count);
        };
        if (arguments.has(FOLLOW)) {
            sayWhatItWaitsFor(client.job(id), session);
            try (OnInterrupt _ = OnInterrupt.run(() -> goesOn(id, session))) {
                follower.copyLog(id, true, sink);
            }
        } else {
            follower.copyLog(id, false, sink);
        }
        session.output().logEnd(id);
        if (written.get() == 0) {
            session.output().notice("berth: job " + id + " is " + client.job(id).state() + " and has written nothing");
        }
        return ExitCode.OK;
    }

    private static void sayWhatItWaitsFor(JobView job, Session session) {
        if (job.position() != null) {
            session.output().standing(job);
        }
    }

    private static void goesOn(long id, Session session) {
        session.environment().screen().notice(Follow.goesOn(id));
    }
}
