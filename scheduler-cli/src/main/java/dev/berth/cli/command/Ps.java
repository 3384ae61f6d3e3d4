package dev.berth.cli.command;

import dev.berth.cli.client.JobQuery;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** {@code berth ps}: lists jobs. */
final class Ps implements Verb {
    private static final String ALL = "--all";
    private static final String LAST = "--last";
    private static final String STATE = "--state";
    private static final int ACTIVE_LIMIT = 1000;
    private static final int ALL_LIMIT = 100;
    private static final int MAX_LAST = 10_000;

    static final List<String> STATES = List.of(
            "QUEUED",
            "STARTING",
            "RUNNING",
            "STOPPING",
            "COMPLETED",
            "FAILED",
            "TIMEOUT",
            "OUT_OF_MEMORY",
            "LOST",
            "CANCELLED");

    @Override
    public Shape shape() {
        return Shape.of("ps", "", "List the jobs that run, then those that wait, in the order of the queue.", "")
                .flag("Every job, newest first, those that are over too (the newest 100).", "-a", ALL)
                .value("N", "The N newest jobs, those that are over too.", "-n", LAST)
                .values("STATE", "Only jobs in this state, newest first: " + String.join(", ", STATES) + ".", STATE)
                .examples("berth ps", "berth ps -a", "berth ps --state FAILED -n 20", "berth cancel $(berth ps -q)");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        arguments.noWords();
        List<String> states = states(arguments.values(STATE));
        Integer last = arguments.number(LAST, 1, MAX_LAST);
        boolean all = arguments.has(ALL) || last != null || !states.isEmpty();
        int limit = last != null ? last : all ? ALL_LIMIT : ACTIVE_LIMIT;
        String hint = "these are the " + (all ? "newest " : "first ") + limit
                + (all ? "; berth ps -n " + Math.min(MAX_LAST, 10 * limit) + " shows more" : ", more wait behind them");
        session.output().jobs(session.client().jobs(new JobQuery(all, states, limit)), hint);
        return ExitCode.OK;
    }

    private static List<String> states(List<String> given) {
        List<String> states = new ArrayList<>();
        for (String list : given) {
            for (String word : list.split(",", -1)) {
                String state = word.strip().toUpperCase(Locale.ROOT);
                if (!STATES.contains(state)) {
                    throw Failure.usage("--state: '" + word + "' is not a state" + Nearest.question(state, STATES)
                            + " the states are " + String.join(", ", STATES));
                }
                states.add(state);
            }
        }
        return states;
    }
}
