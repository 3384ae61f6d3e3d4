package dev.berth.cli.command;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.client.JobQuery;
import dev.berth.cli.client.JobQuery.Owner;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.JobFilters;
import dev.berth.cli.line.JobStates;
import dev.berth.cli.line.Shape;
import dev.berth.core.api.JobList;
import dev.berth.core.api.JobView;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The jobs that a command changes: those that its line names, or all those that a filter finds, after a question. A filter
 * finds the caller's own, or those of the user that it names.
 *
 * @param deed what is done to them, as in "cancel 3 jobs"
 * @param done the same when it is done, as in "cancelled 3 jobs"
 * @param states those that the filter may ask for, and asks for where the line names none
 * @param newestFirst whether it is done to the newest of those that the line names first, so that none that waits for
 *     another is started, or ended, by what is done to that
 */
record ChosenJobs(String deed, String done, List<String> states, boolean newestFirst) {
    static final String YES = "--yes";

    private static final int PAGE = 1000;
    private static final int SHOWN = 10;

    Shape addTo(Shape shape) {
        return JobFilters.addTo(shape, states).flag("Do not ask before jobs that a filter finds.", "-y", YES);
    }

    /** Does it to each of them; of those that a filter finds, says in the end to how many. The exit code is as EachJob's. */
    int each(Arguments arguments, BerthClient client, Session session, EachJob.Action action) throws IOException {
        if (!JobFilters.areGiven(arguments)) {
            List<Long> ids = session.jobIds(arguments, client);
            return EachJob.of(
                    newestFirst ? ids.stream().sorted(Comparator.reverseOrder()).toList() : ids, session, action);
        }
        List<Long> ids = found(arguments, client);
        if (ids.isEmpty()) {
            session.output().notice("no jobs to " + deed);
            return ExitCode.OK;
        }
        if (!arguments.has(YES)) {
            confirm(ids, session);
        }
        AtomicInteger count = new AtomicInteger();
        try {
            return EachJob.of(ids, session, id -> {
                int code = action.on(id);
                if (code == ExitCode.OK) {
                    count.incrementAndGet();
                }
                return code;
            });
        } finally {
            session.output()
                    .notice(
                            count.get() == ids.size()
                                    ? done + " " + jobs(ids.size())
                                    : done + " " + count.get() + " of " + jobs(ids.size()) + ", and not the others");
        }
    }

    /**
     * All that the filter finds, those that wait first, each kind from the newest to the oldest: what is done to one lets
     * none start that is still to come.
     */
    private List<Long> found(Arguments arguments, BerthClient client) throws IOException {
        if (!arguments.words().isEmpty()) {
            throw Failure.usage("berth " + arguments.command() + " takes job ids or a filter, not both; drop '"
                    + arguments.words().getFirst() + "' or the filter");
        }
        List<Long> ids = new ArrayList<>();
        List<Long> others = new ArrayList<>();
        JobQuery query = query(arguments);
        JobList page = client.jobs(query);
        while (true) {
            for (JobView job : page.jobs()) {
                (JobStates.WAITING.contains(job.state()) ? ids : others).add(job.id());
            }
            Long next = page.next();
            if (next == null) {
                ids.addAll(others);
                return ids;
            }
            page = client.jobs(query.before(next));
        }
    }

    /** The query of a line. An administrator who names no user means their own jobs. */
    private JobQuery query(Arguments arguments) {
        JobQuery query = JobFilters.query(arguments, states, JobQuery.ALL, PAGE);
        JobQuery ofStates = query.states().isEmpty() ? query.withStates(states) : query;
        return query.owner() instanceof Owner.Any ? ofStates.with(new Owner.Self()) : ofStates;
    }

    private void confirm(List<Long> ids, Session session) {
        String sentence = deed + " " + jobs(ids.size()) + " (" + list(ids) + ")";
        Terminal.Question question = session.environment().terminal().question();
        if (question == null) {
            throw Failure.usage(
                    "nobody can be asked whether to " + sentence + "; add " + YES + ", or name the jobs by their ids");
        }
        session.environment().screen().notice(sentence + "? [y/N]");
        String answer = question.answer();
        if (!answer.strip().equalsIgnoreCase("y") && !answer.strip().equalsIgnoreCase("yes")) {
            throw Failure.of(ExitCode.REFUSED, "NOT_CONFIRMED", "nothing was done, as you said");
        }
    }

    private static String jobs(int count) {
        return count == 1 ? "1 job" : count + " jobs";
    }

    private static String list(List<Long> ids) {
        StringBuilder text = new StringBuilder();
        for (long id : ids.subList(0, Math.min(SHOWN, ids.size()))) {
            text.append(text.isEmpty() ? "" : ", ").append(id);
        }
        return text.append(ids.size() > SHOWN ? ", ..." : "").toString();
    }
}
