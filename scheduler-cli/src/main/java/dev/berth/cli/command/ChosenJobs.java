package dev.berth.cli.command;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.client.JobQuery;
import dev.berth.cli.client.JobQuery.Owner;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.JobFilters;
import dev.berth.cli.line.Shape;
import dev.berth.core.api.JobList;
import dev.berth.core.api.JobView;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The jobs that a command changes: those that its line names, or those that a filter finds, after a question. A filter
 * finds the caller's own, or those of the user that it names.
 *
 * @param deed what is done to them, as in "cancel 3 jobs"
 * @param scope among which jobs the filter looks
 * @param states those that the filter may ask for
 */
record ChosenJobs(String deed, String scope, List<String> states) {
    static final String YES = "--yes";

    private static final int LIMIT = 1000;
    private static final int SHOWN = 10;

    Shape addTo(Shape shape) {
        return JobFilters.addTo(shape, states).flag("Do not ask before jobs that a filter finds.", "-y", YES);
    }

    /** The ids; none where the filter finds none. */
    List<Long> of(Arguments arguments, BerthClient client, Session session) throws IOException {
        if (!JobFilters.areGiven(arguments)) {
            return session.jobIds(arguments, client);
        }
        if (!arguments.words().isEmpty()) {
            throw Failure.usage("berth " + arguments.command() + " takes job ids or a filter, not both; drop '"
                    + arguments.words().getFirst() + "' or the filter");
        }
        JobList found = client.jobs(query(arguments));
        if (found.jobs().isEmpty()) {
            session.output().notice("no jobs to " + deed);
            return List.of();
        }
        if (found.next() != null) {
            session.output().notice("these are " + LIMIT + " jobs; more are left for another time");
        }
        if (!arguments.has(YES)) {
            confirm(found.jobs(), session);
        }
        return ids(found.jobs());
    }

    /** The query of a line. An administrator who names no user means their own jobs. */
    private JobQuery query(Arguments arguments) {
        JobQuery query = JobFilters.query(arguments, states, scope, LIMIT);
        return query.owner() instanceof Owner.Any ? query.with(new Owner.Self()) : query;
    }

    private void confirm(List<JobView> jobs, Session session) {
        String sentence = deed + " " + (jobs.size() == 1 ? "1 job" : jobs.size() + " jobs") + " (" + list(jobs) + ")";
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

    private static List<Long> ids(List<JobView> jobs) {
        List<Long> ids = new ArrayList<>();
        for (JobView job : jobs) {
            ids.add(job.id());
        }
        return ids;
    }

    private static String list(List<JobView> jobs) {
        StringBuilder text = new StringBuilder();
        for (JobView job : jobs.subList(0, Math.min(SHOWN, jobs.size()))) {
            text.append(text.isEmpty() ? "" : ", ").append(job.id());
        }
        return text.append(jobs.size() > SHOWN ? ", ..." : "").toString();
    }
}
