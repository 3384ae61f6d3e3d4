package dev.berth.server.fuzz;

import dev.berth.server.fuzz.FuzzConnection.Answer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What was sent and how it was answered, in numbers. For one thread. */
public final class AnswerCounts {
    private static final Set<String> MAKING = Set.of("POST /api/v1/jobs", "POST /api/v1/jobs/{id}/resubmit");
    private static final String PIPELINES = "POST /api/v1/pipelines";
    private static final Pattern FIRST_ID = Pattern.compile("\\{\"id\":([0-9]+)");
    private static final String PROJECT_DELETION = "POST /api/v1/projects/delete";
    private static final Pattern DELETED = Pattern.compile("\"deleted\":([0-9]+)");
    private static final Pattern ID = Pattern.compile("\"id\":([0-9]+)");

    private final Map<String, Integer> reached = new TreeMap<>();
    private final Map<String, Integer> accepted = new TreeMap<>();
    private final Map<Integer, Integer> statuses = new TreeMap<>();
    private final Set<Long> made = new TreeSet<>();
    private final Set<Long> deleted = new TreeSet<>();
    private final Map<String, String> failures = new TreeMap<>();
    private long deletedWithProjects;
    private int broken;
    private int brokenAnswered;

    void add(HostileRequest request, Answer answer) {
        String name = request.operation().name();
        statuses.merge(answer.status(), 1, Integer::sum);
        if (request.isWhole()) {
            reached.merge(name, 1, Integer::sum);
        }
        if (answer.status() < 300) {
            accepted.merge(name + " " + answer.status(), 1, Integer::sum);
        }
        Matcher id = ID.matcher(answer.body());
        if (MAKING.contains(name) && answer.status() == 201 && id.find()) {
            made.add(Long.valueOf(id.group(1)));
        }
        Matcher each = FIRST_ID.matcher(answer.body());
        while (name.equals(PIPELINES) && answer.status() == 201 && each.find()) {
            made.add(Long.valueOf(each.group(1)));
        }
        // Another operation of that path may have been sent as DELETE.
        if (answer.status() == 200 && answer.body().contains("\"remains\":[]") && id.find()) {
            deleted.add(Long.valueOf(id.group(1)));
        }
        Matcher count = DELETED.matcher(answer.body());
        if (name.equals(PROJECT_DELETION) && answer.status() == 200 && count.find()) {
            deletedWithProjects += Long.parseLong(count.group(1));
        }
    }

    void addBroken(boolean answered) {
        broken++;
        brokenAnswered += answered ? 1 : 0;
    }

    /** The first of its kind is kept. */
    void addFailure(String kind, String told) {
        failures.putIfAbsent(kind, told);
    }

    /** With what another counted. */
    public void add(AnswerCounts other) {
        other.reached.forEach((name, count) -> reached.merge(name, count, Integer::sum));
        other.accepted.forEach((name, count) -> accepted.merge(name, count, Integer::sum));
        other.statuses.forEach((status, count) -> statuses.merge(status, count, Integer::sum));
        made.addAll(other.made);
        deleted.addAll(other.deleted);
        deletedWithProjects += other.deletedWithProjects;
        other.failures.forEach(failures::putIfAbsent);
        broken += other.broken;
        brokenAnswered += other.brokenAnswered;
    }

    public int total() {
        return broken + statuses.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** How many requests reached each route. */
    public Map<String, Integer> reached() {
        return reached;
    }

    /** One of each kind of answer that may not be. */
    public List<String> failures() {
        return List.copyOf(failures.values());
    }

    /** The jobs that were accepted. */
    public Set<Long> made() {
        return made;
    }

    /** The number of jobs that were deleted with their projects, whose answers name none. */
    public long deletedWithProjects() {
        return deletedWithProjects;
    }

    /** The jobs that were deleted one by one. */
    public Set<Long> deleted() {
        return deleted;
    }

    public int allAccepted() {
        return accepted.values().stream().mapToInt(Integer::intValue).sum();
    }

    @Override
    public String toString() {
        return total() + " requests, answered " + statuses + "; done " + accepted + "; of " + broken + " broken ones "
                + brokenAnswered + " answered";
    }
}
