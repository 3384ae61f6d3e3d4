package dev.berth.cli.command.submit;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.command.JobIds;
import dev.berth.cli.command.Session;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.line.Given;
import dev.berth.core.option.Forms;
import dev.berth.core.option.JobOption;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The jobs that a job is to wait for, as a line names them. */
final class DependencyWords {
    private DependencyWords() {}

    /** Each as KIND:JOB, where the job may still be a name. */
    static List<String> of(@Nullable Given after, @Nullable Given dependencies) {
        List<String> all = new ArrayList<>();
        if (after != null) {
            try {
                addAfter(all, after);
            } catch (Failure refused) {
                throw after.retold(refused);
            }
        }
        if (dependencies != null) {
            try {
                for (String list : dependencies.texts()) {
                    for (String one : list.split(",", -1)) {
                        addTo(all, dependencies.name(), one.strip());
                    }
                }
            } catch (Failure refused) {
                throw dependencies.retold(refused);
            }
        }
        return all;
    }

    private static void addAfter(List<String> all, Given after) {
        List<String> behind = after.behind();
        for (int at = 0; at < Math.min(after.texts().size(), behind.size()); at++) {
            if (isNumber(behind.get(at)) || JobIds.isTask(behind.get(at))) {
                String line = after.name() + " " + after.texts().get(at);
                throw Failure.usage(line + " " + behind.get(at) + " is written " + line + "," + behind.get(at)
                        + "; a number that is the program's stands behind --");
            }
        }
        for (String jobs : after.texts()) {
            for (String job : jobs.split(",", -1)) {
                if (job.isBlank()) {
                    throw Failure.usage(
                            after.name() + ": '" + jobs + "' has an empty id; for example " + after.name() + " 12,13");
                }
                all.add(Forms.AFTER_OK + ":" + job.strip());
            }
        }
    }

    private static boolean isNumber(String word) {
        return !word.isEmpty() && word.chars().allMatch(Character::isDigit);
    }

    private static void addTo(List<String> all, String name, String dependency) {
        String[] words = dependency.split(":", -1);
        if (dependency.indexOf('?') >= 0) {
            throw refused(name, dependency, "waits for one of several jobs, which Berth has not; each of them counts");
        }
        switch (words[0]) {
            case "after" -> throw refused(name, dependency, "waits for a start, which Berth has not");
            case "singleton" ->
                throw refused(name, dependency, "waits for jobs of the same name, which Berth has not; name their ids");
            default -> {
                if (!Forms.DEPENDENCIES.contains(words[0])) {
                    throw refused(
                            name, dependency, "is none of " + String.join(", ", Forms.DEPENDENCIES) + " with a job");
                }
            }
        }
        for (int at = 1; at < words.length; at++) {
            if (words[at].isBlank()) {
                throw refused(name, dependency, "has an empty id");
            }
            all.add(words[0] + ":" + words[at].strip());
        }
        if (words.length == 1) {
            throw refused(name, dependency, "names no job");
        }
    }

    private static Failure refused(String name, String dependency, String rule) {
        return Failure.usage(
                name + ": '" + dependency + "' " + rule + "; for example " + name + " afterok:12:13,afterany:14");
    }

    /** Puts ids in the places of names, of ranges and of {@code last}, and numbers in those of jobs of the same file. */
    static void resolve(
            Map<String, Object> request,
            GivenOptions given,
            JobRequest.Earlier earlier,
            Session session,
            BerthClient client)
            throws IOException {
        if (!(request.get(JobOption.DEPENDENCY.field()) instanceof List<?> words)) {
            return;
        }
        Set<String> resolved = new LinkedHashSet<>();
        for (Object word : words) {
            String dependency = word.toString();
            int colon = dependency.indexOf(':');
            String job = dependency.substring(colon + 1);
            if (JobIds.isTask(job)) {
                resolved.add(dependency);
                continue;
            }
            String inFile = earlier.of(job, typed(job, given));
            if (inFile != null) {
                requireWhole(dependency, typed(job, given));
                resolved.add(dependency.substring(0, colon + 1) + inFile);
                continue;
            }
            for (long id : ids(job, given, session, client)) {
                resolved.add(dependency.substring(0, colon + 1) + id);
            }
        }
        request.put(JobOption.DEPENDENCY.field(), List.copyOf(resolved));
    }

    /** Of an array that is not there yet nobody knows the tasks. */
    private static void requireWhole(String dependency, String typed) {
        if (dependency.startsWith(Forms.AFTER_CORR + ":")) {
            throw Failure.usage(typed
                    + " stands in the same file, and its tasks are not there yet to wait for one by one ("
                    + Forms.AFTER_CORR + "); submit that array before, and name its number, or write "
                    + Forms.AFTER_OK);
        }
    }

    /** A job as the line or the file names it. */
    private static String typed(String job, GivenOptions given) {
        Given after = given.get(JobOption.AFTER);
        Given naming = after != null && isIn(after.texts(), job) ? after : given.get(JobOption.DEPENDENCY);
        return naming == null ? job : naming.with(job);
    }

    private static List<Long> ids(String job, GivenOptions given, Session session, BerthClient client)
            throws IOException {
        String typed = typed(job, given);
        List<Long> ids;
        try {
            ids = session.jobIds(List.of(job), client);
        } catch (Failure refused) {
            throw Failure.of(
                    refused.exitCode(),
                    refused.error().code(),
                    typed + ": " + refused.error().message());
        }
        requireAll(typed, job, ids);
        return ids;
    }

    /** Whether one of the words of {@code --after} names that job. */
    static boolean isIn(List<String> after, String job) {
        for (String jobs : after) {
            for (String one : jobs.split(",", -1)) {
                if (one.strip().equals(job)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** A program must not run on what a job that nobody found would have made. */
    private static void requireAll(String typed, String job, List<Long> ids) {
        int dash = job.indexOf('-', 1);
        boolean isRange = dash > 0 && isNumber(job.substring(0, dash)) && isNumber(job.substring(dash + 1));
        if (isRange
                && ids.size() != Long.parseLong(job.substring(dash + 1)) - Long.parseLong(job.substring(0, dash)) + 1) {
            throw Failure.of(
                    ExitCode.REFUSED,
                    "NO_SUCH_JOB",
                    typed + ": of these only " + ids.size() + " " + (ids.size() == 1 ? "is" : "are")
                            + " there and yours; name them one by one");
        }
    }
}
