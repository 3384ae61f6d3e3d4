package dev.berth.chaos;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** Which programs ran in which containers, as they noted: each alone, or beside tasks of its pack. */
final class PackLaws {
    private final Violations violations;

    PackLaws(Violations violations) {
        this.violations = violations;
    }

    /** Holds all jobs, and of arrays all tasks. */
    void hold(List<Case> jobs) {
        Map<Notes, Case> starts = new HashMap<>();
        jobs.forEach(job -> job.starts().forEach(start -> starts.put(start, job)));
        jobs.forEach(this::holdContainer);
        starts.keySet().forEach(begun -> holdTogether(begun, starts));
        Map<String, List<Notes>> packs = starts.keySet().stream()
                .filter(Notes::isPacked)
                .collect(Collectors.groupingBy(start -> start.container().job()));
        packs.forEach(this::holdOnce);
        jobs.stream()
                .filter(job -> job.entry().wish().tasks().isPacked())
                .forEach(task -> holdLeftOver(task, packs.getOrDefault(task.packNumber(), List.of())));
    }

    /** Its first attempt may be in its pack, and then the server says so of what ended there. */
    private void holdContainer(Case job) {
        boolean mayBePacked = job.entry().wish().tasks().isPacked();
        for (Notes start : job.starts()) {
            violations.unless(
                    !start.isPacked()
                            || (mayBePacked
                                    && start.attempt() == 1
                                    && start.container().job().equals(job.packNumber())),
                    ChaosLaw.PACK,
                    "attempt " + start.attempt() + " in another's container: " + job);
        }
        String told = job.view().path("packNumber").asText("");
        boolean isAlone = job.lastHasRun() && !job.starts().getLast().isPacked();
        boolean endedInPack = job.lastHasRun() && !isAlone;
        violations.unless(
                told.isEmpty()
                        ? !endedInPack || job.state().equals("CANCELLED")
                        : told.equals(job.packNumber()) && !isAlone,
                ChaosLaw.PACK,
                "it is told to be of pack \"" + told + "\": " + job);
    }

    /** When a program begins, nobody else lives in its container, but as many of its pack as may. */
    private void holdTogether(Notes begun, Map<Notes, Case> starts) {
        List<Notes> together = starts.keySet().stream()
                .filter(other -> other.container().id() == begun.container().id() && other.isAliveAt(begun))
                .toList();
        int most = begun.isPacked()
                ? Objects.requireNonNull(starts.get(begun))
                        .entry()
                        .wish()
                        .tasks()
                        .parallel()
                : 1;
        violations.unless(
                together.size() <= most
                        && together.stream().allMatch(other -> other.container().equals(begun.container())),
                ChaosLaw.PACK,
                together.stream().map(Notes::job).toList() + " at once in container " + begun.container());
    }

    /** A pack is never started again. */
    private void holdOnce(String pack, List<Notes> starts) {
        List<Long> containers =
                starts.stream().map(start -> start.container().id()).distinct().toList();
        violations.unless(containers.size() == 1, ChaosLaw.PACK, "pack " + pack + " ran in containers " + containers);
    }

    /** A task runs alone only where its pack ended before it came to it, and afterwards. */
    private void holdLeftOver(Case task, List<Notes> pack) {
        if (task.starts().isEmpty() || task.starts().getFirst().isPacked()) {
            return;
        }
        long begin = task.starts().getFirst().begin();
        violations.unless(
                pack.stream().allMatch(start -> start.last() <= begin),
                ChaosLaw.PACK,
                "it began alone as its pack still ran: " + task);
        violations.unless(task.packWasStruck(begin, pack), ChaosLaw.PACK, "it ran alone for no reason: " + task);
    }
}
