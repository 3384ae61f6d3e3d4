package dev.berth.cli.command;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.client.JobFollower;
import dev.berth.cli.exit.ExitCode;
import dev.berth.core.api.JobView;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** {@code berth wait}: stays until jobs are over, and ends as they did. */
final class Wait implements Verb {
    @Override
    public Shape shape() {
        return Shape.of(
                        "wait",
                        "<id>...",
                        "Wait until jobs are over. The exit code is the job's own; of several, the first that is not 0.",
                        "",
                        "124: over its time limit, 130: cancelled, 137: out of memory, 125: Berth failed.",
                        "")
                .examples("berth wait 17", "berth wait $(berth submit scheduler . main.py -q)", "berth wait 17 18 19");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        BerthClient client = session.client();
        JobFollower follower = session.follower(client);
        List<JobView> jobs = new ArrayList<>();
        for (long id : session.jobIds(arguments, client)) {
            jobs.add(client.job(id));
        }
        int code = ExitCode.OK;
        for (JobView job : jobs) {
            JobView ended = JobFollower.isFinal(job.state()) ? job : follower.untilEnd(job.id(), _ -> {});
            session.output().ended(ended);
            code = code == ExitCode.OK ? ExitCode.of(ended) : code;
        }
        return code;
    }
}
