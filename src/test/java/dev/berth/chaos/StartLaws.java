package dev.berth.chaos;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** When programs began, and on which GPUs. */
final class StartLaws {
    private final Violations violations;

    StartLaws(Violations violations) {
        this.violations = violations;
    }

    /** Each attempt once, one after the other, on the GPUs it was given and nobody else has. */
    void hold(Case job) {
        boolean requeue = job.entry().wish().requeue();
        int retried = job.retried().size();
        long before = Long.MIN_VALUE;
        for (Notes start : job.starts()) {
            violations.unless(start.begins() == 1, ChaosLaw.STARTED_TWICE, start.begins() + " starts: " + job);
            violations.unless(start.job().equals(job.number()), ChaosLaw.STARTED_TWICE, "as two jobs: " + job);
            violations.unless(
                    requeue || (job.starts().size() <= 1 + retried && start.attempt() <= 1 + job.putOffs() + retried),
                    ChaosLaw.STARTED_TWICE,
                    "it was not to be: " + job);
            violations.unless(start.contended().isEmpty(), ChaosLaw.GPU_SHARED, start.contended() + ": " + job);
            violations.unless(
                    start.granted().size() == job.entry().wish().gpus()
                            && start.opened().equals(start.granted()),
                    ChaosLaw.GPU_SHARED,
                    "not the GPUs it was granted: " + job);
            violations.unless(start.begin() >= before, ChaosLaw.STARTED_TWICE, "two at one time: " + job);
            before = start.last();
        }
    }

    /** Nothing ran but the jobs that somebody wanted, and of an array its tasks. */
    void holdRecords(List<String> records, Collection<Wish> wishes) {
        Set<String> wanted =
                wishes.stream().flatMap(wish -> wish.notes().stream()).collect(Collectors.toSet());
        records.stream()
                .filter(record -> !wanted.contains(record))
                .forEach(record -> violations.add(ChaosLaw.STARTED_TWICE, "nobody wanted program " + record));
    }

    /** Nobody started before the job that it waits for had ended as asked, or ended unstarted for no reason. */
    void holdDependencies(List<Case> jobs, List<ArrayCase> arrays) {
        Map<Long, Awaited> byId = new HashMap<>();
        jobs.forEach(job -> byId.put(job.id(), job));
        arrays.forEach(array -> byId.put(array.id(), array));
        for (Case job : jobs) {
            Awaited other = job.entry().awaited().isPresent()
                    ? byId.get(job.entry().awaited().getAsLong())
                    : null;
            boolean isMet = other == null || job.entry().isMetBy(other.state());
            boolean isAfter = other == null || job.starts().stream().allMatch(start -> start.begin() >= other.over());
            violations.unless(
                    job.failedByDependency()
                            ? !isMet && job.starts().isEmpty()
                            : isAfter && (isMet || job.starts().isEmpty()),
                    ChaosLaw.NOT_READY,
                    job + " waits for " + other);
        }
    }

    /**
     * Nobody overtook: when a program begins, all jobs that were accepted before it and begin later have their GPUs and
     * workers already, so these are no more than there are. Those that were held, waited for another, came back to the queue or are tasks of a throttled
     * array, or of packs, are left out.
     */
    void holdOrder(List<Case> jobs) {
        List<Notes> starts = jobs.stream()
                .filter(job -> job.entry().wish().steering() != Wish.Steering.HELD
                        && job.entry().awaited().isEmpty()
                        && job.entry().wish().tasks().atOnce() == 0
                        && !job.entry().wish().tasks().isPacked())
                .filter(job ->
                        job.view().path("attempt").asInt() == 1 && job.starts().size() == 1)
                .sorted(Comparator.comparingLong(Case::id))
                .map(job -> job.starts().getFirst())
                .toList();
        for (int at = 0; at < starts.size(); at++) {
            Notes begun = starts.get(at);
            List<Notes> together = new ArrayList<>(List.of(begun));
            starts.subList(0, at).stream()
                    .filter(earlier -> earlier.last() > begun.begin())
                    .forEach(together::add);
            Set<Integer> gpus = new HashSet<>();
            together.forEach(one -> gpus.addAll(one.opened()));
            int held = together.stream().mapToInt(one -> one.opened().size()).sum();
            violations.unless(
                    held == gpus.size() && together.size() <= Site.GPUS,
                    ChaosLaw.OVERTAKEN,
                    "job " + begun.job() + " began before one of "
                            + together.stream().map(Notes::job).toList());
        }
    }
}
