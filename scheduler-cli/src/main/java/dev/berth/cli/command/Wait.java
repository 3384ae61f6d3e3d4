package dev.berth.cli.command;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** {@code berth wait}: stays until jobs are over, and ends as they did. */
public final class Wait implements Verb {
    @Override
    public Shape shape() {
        return Shape.of(
                        "wait",
                        "<id>...",
                        "Wait until jobs are over. The exit code is the job's own; of several, the first that is not 0.",
                        "",
                        "Of an array (42), 0 where all its tasks have completed, 1 where one has failed; of a task (42_7), its own.",
                        "124: over its time limit, 130: cancelled, 137: out of memory, 125: Berth failed.",
                        "")
                .examples(
                        "berth wait 17",
                        "berth wait $(berth submit scheduler . main.py -q)",
                        "berth wait 17 18 19",
                        "berth wait 42_7");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        BerthClient client = session.client();
        List<Integer> codes = new ArrayList<>();
        session.ends(client).await(session.jobIds(arguments, client), job -> {
            session.output().ended(job);
            codes.add(ExitCode.of(job));
        });
        return codes.stream().filter(code -> code != ExitCode.OK).findFirst().orElse(ExitCode.OK);
    }
}
