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
 * The jobs that words name: 17 is an id, 42_7 is task 7 of array 42, 42_[0-4] a pack of its tasks, 17-20 are those of the caller's jobs, last is
 * their newest, anything else the name of one of theirs. What looks like a number is never taken for a name, and a job
 * that is called last is to be named by its id. Another user's job is named by its id alone, also by who may steer
 * everybody's: anybody can give a job any name.
 */
public record JobIds(BerthClient client) {
    static final String LAST = "last";

    /** As the server calls it. */
    private static final String NO_JOB = "JOB_NOT_FOUND";

    private static final int MAX_RANGE = 1000;

    /** The number of jobs of one name that are listed where the name could mean any of them. */
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
            if (isTask(word)) {
                ids.add(task(word));
            } else if (isPack(word)) {
                ids.add(pack(word));
            } else if (isOfTasks(word)) {
                throw severalTasks(word);
            } else if (looksLikeNumber(word)) {
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

    /** The number of a job as people know it: a task's, or a pack's, where the word names one. */
    static String number(String word, long id) {
        return isTask(word) || isPack(word) ? word : Long.toString(id);
    }

    /** Whether a word names a task of an array, as 42_7 does. */
    public static boolean isTask(String word) {
        int underscore = word.indexOf('_');
        return beginsAsTask(word) && underscore < word.length() - 1 && isDigits(word, underscore + 1, word.length());
    }

    /** Whether it begins as 42_7 does; anything may follow. */
    private static boolean beginsAsTask(String word) {
        int underscore = word.indexOf('_');
        return underscore > 0 && isDigits(word, 0, underscore);
    }

    /** Whether a word is that of many tasks: from one to another, or as lists show those that wait. */
    private static boolean isOfTasks(String word) {
        int dash = word.indexOf('-');
        return beginsAsTask(word)
                && (word.startsWith("[", word.indexOf('_') + 1)
                        || (dash > 0 && isTask(word.substring(0, dash)) && isTask(word.substring(dash + 1))));
    }

    /** Whether a word may be a pack of tasks, as 42_[0-4] is; lists show those that wait so, too. */
    private static boolean isPack(String word) {
        int bracket = word.indexOf('_') + 1;
        boolean hasBrackets = beginsAsTask(word) && word.startsWith("[", bracket) && word.endsWith("]");
        return hasBrackets
                && isDigits(word, bracket + 1, Math.min(bracket + 2, word.length()))
                && word.substring(bracket + 1, word.length() - 1).chars().allMatch(JobIds::isOfRanges);
    }

    private static boolean isOfRanges(int letter) {
        return (letter >= '0' && letter <= '9') || letter == ',' || letter == '-';
    }

    private static boolean isDigits(String word, int from, int to) {
        for (int at = from; at < to; at++) {
            if (word.charAt(at) < '0' || word.charAt(at) > '9') {
                return false;
            }
        }
        return true;
    }

    private static boolean looksLikeNumber(String word) {
        return isDigits(word, word.startsWith("-") ? 1 : 0, word.length());
    }

    private long task(String word) throws IOException {
        long array = id(word.substring(0, word.indexOf('_')), word);
        return client.task(array + word.substring(word.indexOf('_'))).id();
    }

    private long pack(String word) throws IOException {
        long _ = id(word.substring(0, word.indexOf('_')), word);
        try {
            return client.task(word).id();
        } catch (Failure refused) {
            throw refused.error().code().equals(NO_JOB) ? severalTasks(word) : refused;
        }
    }

    private static Failure severalTasks(String word) {
        String array = word.substring(0, word.indexOf('_'));
        return Failure.usage("job id: '" + word + "' names several tasks of an array; name the whole array by " + array
                + ", or its tasks one by one, as in " + array + "_7 " + array + "_8");
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
        throw noSuchJob("you have no job named '" + name + "'; "
                + (beginsAsTask(name)
                        ? "a task of an array is named by its index, as in " + name.substring(0, name.indexOf('_') + 1)
                                + "7"
                        : "berth ps -a lists your jobs, and one of somebody else's is named by its id"));
    }

    private static String list(List<JobView> jobs) {
        StringBuilder text = new StringBuilder();
        for (JobView job : jobs) {
            text.append(text.isEmpty() ? "" : ", ")
                    .append(job.number())
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
