package dev.berth.cli.command;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.client.JobQuery;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.core.api.JobView;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The jobs that words name: 17 is an id, 17-20 are those of the caller's jobs, last is their newest, anything else the
 * name of one of theirs. What looks like a number is never taken for a name, and a job that is called last is to be
 * named by its id. Another user's job is named by its id alone, also by who may steer everybody's: anybody can give a
 * job any name.
 */
record JobIds(BerthClient client) {
    static final String LAST = "last";

    private static final int MAX_RANGE = 1000;

    /**
     * The number of jobs of one name that are listed where the name could mean any of them. are listed where the name
     * could mean any of them.
     */
    private static final int SHOWN = 10;

    /** The ids, at least one, in the order of the words. An id that is given is not looked up. */
    List<Long> of(String command, List<String> words) throws IOException {
        if (words.isEmpty()) {
            throw Failure.usage("berth " + command + " needs a job id, for example: berth " + command
                    + " 17; berth ps -a lists them");
        }
        List<Long> ids = new ArrayList<>();
        for (String word : words) {
            int dash = word.indexOf('-', 1);
            if (looksLikeNumber(word)) {
                ids.add(id(word, word));
            } else if (dash > 0
                    && looksLikeNumber(word.substring(0, dash))
                    && looksLikeNumber(word.substring(dash + 1))) {
                addRange(ids, word, dash);
            } else {
                ids.add(word.equals(LAST) ? newest() : named(word));
            }
        }
        return ids;
    }

    static long only(String command, List<Long> ids) {
        if (ids.size() > 1) {
            throw Failure.usage("berth " + command + " takes one job id, not " + ids.size());
        }
        return ids.getFirst();
    }

    private static boolean looksLikeNumber(String word) {
        for (int at = word.startsWith("-") ? 1 : 0; at < word.length(); at++) {
            if (word.charAt(at) < '0' || word.charAt(at) > '9') {
                return false;
            }
        }
        return true;
    }

    private void addRange(List<Long> ids, String word, int dash) throws IOException {
        long first = id(word.substring(0, dash), word);
        long last = id(word.substring(dash + 1), word);
        if (last < first || last - first >= MAX_RANGE) {
            throw Failure.usage("job id: '" + word + "' must go from a lower to a higher id, over at most " + MAX_RANGE
                    + " jobs; for example 17-20");
        }
        JobQuery query = JobQuery.own(JobQuery.ALL, (int) (last - first) + 1).before(last + 1);
        List<Long> own = client.jobs(query).jobs().stream()
                .map(JobView::id)
                .filter(id -> id >= first)
                .toList()
                .reversed();
        if (own.isEmpty()) {
            throw noSuchJob("none of the jobs " + word + " is yours; one of somebody else's is named by its own id");
        }
        ids.addAll(own);
    }

    private static long id(String digits, String word) {
        try {
            long id = Long.parseLong(digits);
            if (id > 0) {
                return id;
            }
        } catch (NumberFormatException notANumber) {
            throw idExpected(word);
        }
        throw idExpected(word);
    }

    private static Failure idExpected(String word) {
        return Failure.usage("job id: '" + word
                + "' is not a whole number from 1 on; berth ps -a shows the ids in its first column");
    }

    private long newest() throws IOException {
        List<JobView> jobs = client.jobs(JobQuery.own(JobQuery.ALL, 1)).jobs();
        if (jobs.isEmpty()) {
            throw noSuchJob("you have submitted no job, so there is no last one");
        }
        return jobs.getFirst().id();
    }

    /** A name means the job that runs or waits; where none does, the one that is over. */
    private long named(String name) throws IOException {
        for (String scope : List.of(JobQuery.ACTIVE, JobQuery.ALL)) {
            List<JobView> jobs =
                    client.jobs(JobQuery.own(scope, SHOWN).withName(name)).jobs();
            if (jobs.size() == 1) {
                return jobs.getFirst().id();
            }
            if (jobs.size() > 1) {
                throw Failure.usage(
                        "job id: '" + name + "' is the name of " + (jobs.size() == SHOWN ? "many" : "several")
                                + " of your jobs: " + list(jobs) + "; name one by its id");
            }
        }
        throw noSuchJob("you have no job named '" + name
                + "'; berth ps -a lists your jobs, and one of somebody else's is named" + " by its id");
    }

    private static String list(List<JobView> jobs) {
        StringBuilder text = new StringBuilder();
        for (JobView job : jobs) {
            text.append(text.isEmpty() ? "" : ", ")
                    .append(job.id())
                    .append(" (")
                    .append(job.state())
                    .append(')');
        }
        return text.append(jobs.size() == SHOWN ? ", ..." : "").toString();
    }

    private static Failure noSuchJob(String sentence) {
        return Failure.of(ExitCode.REFUSED, "NO_SUCH_JOB", sentence);
    }
}
