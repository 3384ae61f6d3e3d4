package dev.berth.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.system.fixture.Ran;
import dev.berth.system.fixture.Running;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** Holds what everybody was told against what the jobs noted. */
final class Judge {
    private static final int BERTH_FAILED = 125;

    private final Violations violations;
    private final Ledger ledger;
    private final Evidence evidence;

    Judge(Violations violations, Ledger ledger, Evidence evidence) {
        this.violations = violations;
        this.ledger = ledger;
        this.evidence = evidence;
    }

    /** Every job, and of an array every task, with all that is known of it. */
    List<Case> cases(Site site, List<Struck> struck) {
        Map<Integer, Long> byNumber = new HashMap<>();
        List<Case> cases = new ArrayList<>();
        Map<Integer, Ledger.Entry> entries = ledger.entries();
        Map<Long, Integer> putOffs = evidence.putOffs();
        for (Map.Entry<Long, JsonNode> each : evidence.views().entrySet()) {
            int number = Wish.number(each.getValue().path("name").asText());
            Long before = byNumber.put(number, each.getKey());
            violations.unless(before == null, ChaosLaw.SUBMIT_DOUBLED, "jobs " + before + " and " + each.getKey());
            Ledger.Entry entry = Optional.ofNullable(entries.get(number)).orElseThrow();
            for (JsonNode view : views(entry.wish(), each.getValue())) {
                cases.add(new Case(
                        entry,
                        view,
                        Notes.read(site.records(), entry.wish().notes(view)),
                        putOffs.getOrDefault(view.path("id").asLong(), 0),
                        struck));
            }
        }
        for (Ledger.Entry entry : entries.values()) {
            int number = entry.wish().number();
            entry.job()
                    .ifPresent(id -> violations.unless(
                            byNumber.getOrDefault(number, 0L) == id,
                            ChaosLaw.SUBMIT_LOST,
                            "job " + id + " was acknowledged, and there is " + byNumber.get(number)));
            violations.unless(
                    byNumber.containsKey(number)
                            || entry.wish().notes().stream()
                                    .allMatch(name ->
                                            Notes.read(site.records(), name).isEmpty()),
                    ChaosLaw.SUBMIT_LOST,
                    "a program ran of a job that is unknown: " + entry);
        }
        return cases;
    }

    /** A job's own, and of an array those of its tasks. */
    private List<JsonNode> views(Wish wish, JsonNode job) {
        String id = job.path("id").asText();
        return wish.isArray()
                ? IntStream.range(0, wish.tasks().count())
                        .mapToObj(index -> evidence.view(id + "_" + index))
                        .toList()
                : List.of(evidence.view(id));
    }

    /** Holds every job to the laws; what was counted of the logs. */
    LogLaws judge(List<Case> cases) {
        EndLaws ends = new EndLaws(violations);
        StartLaws starts = new StartLaws(violations);
        RetryLaws retries = new RetryLaws(violations);
        LogLaws logs = new LogLaws(violations);
        for (Case job : cases) {
            ends.hold(job);
            starts.hold(job);
            retries.hold(job);
            List<String> err = evidence.log(job.number(), "stderr");
            List<String> out = new ArrayList<>(evidence.log(job.number(), "stdout"));
            // What Berth says stands among the errors alone.
            err.stream().filter(LogLaws::isMark).forEach(out::add);
            logs.hold(job, "out", out);
            logs.hold(job, "err", err);
        }
        starts.holdOrder(cases);
        new PackLaws(violations).hold(cases);
        List<ArrayCase> arrays = ArrayCase.of(cases, evidence.views());
        arrays.forEach(new ArrayLaws(violations)::hold);
        starts.holdDependencies(cases, arrays);
        starts.holdRecords(
                evidence.records(),
                ledger.entries().values().stream().map(Ledger.Entry::wish).toList());
        ledger.followed().forEach(this::follower);
        ledger.complaints().forEach(complaint -> violations.add(ChaosLaw.SERVER, complaint));
        evidence.leftOver().forEach(left -> violations.add(ChaosLaw.LEFT_OVER, left));
        return logs;
    }

    private void follower(Followed followed) {
        try (Running command = followed.command()) {
            Ran ran = command.end();
            // Who begins while the server is away is told so at once, and has seen nothing.
            boolean neverBegan = ran.exitCode() == BERTH_FAILED && ran.out().isEmpty();
            violations.unless(
                    neverBegan || ran.exitCode() == 0,
                    ChaosLaw.FOLLOWER,
                    "of job " + followed.job() + ": exit code " + ran.exitCode() + ": " + ran.err());
            violations.unless(
                    ran.exitCode() != 0 || ran.out().equals(evidence.typedLog(followed.job())),
                    ChaosLaw.FOLLOWER,
                    "of job " + followed.job() + ": not its log");
        } catch (AssertionError endless) {
            violations.add(ChaosLaw.FOLLOWER, "of job " + followed.job() + ": " + endless.getMessage());
        }
    }

    /** Somebody followed all events of all jobs from the beginning on. */
    void events(Running follower) {
        List<Long> all = evidence.events();
        List<Long> told = Evidence.told(follower);
        int begin = told.isEmpty() ? 0 : Math.max(0, all.indexOf(told.getFirst()));
        violations.unless(
                told.equals(all.subList(begin, all.size())),
                ChaosLaw.FOLLOWER,
                "of events: told " + told.size() + " of "
                        + all.subList(begin, all.size()).size() + " events, the last of them "
                        + (told.isEmpty() ? "none" : told.getLast()));
    }
}
