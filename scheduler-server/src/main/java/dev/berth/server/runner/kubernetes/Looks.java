package dev.berth.server.runner.kubernetes;

import dev.berth.server.runner.target.Handed;
import dev.berth.server.runner.target.Phase;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Looks how far attempts are: by the Jobs and pods that the cluster told of, and a list of events where a Job has no pod. What it told
 * may be some moments old, so whatever that lacks is asked for by its name before anything is said of it, and so is a pod before its
 * Job is ended. Any thread.
 */
final class Looks {
    private static final Comparator<PodState> TELLING = Comparator.comparing(PodState::hasBegun)
            .thenComparing(
                    pod -> Objects.requireNonNullElse(pod.pod().getMetadata().getCreationTimestamp(), ""));

    /** Kubernetes' own word for a pod that it could not make. */
    private static final String FAILED_CREATE = "FailedCreate";

    private final ClusterCalls calls;
    private final Told told;
    private final JobPhases phases;
    private final OneStart starts;
    private final InstantSource clock;

    /** Since when a pod is seen that cannot start, by the name of its Job. Lost with the server, which then waits anew. */
    private final Map<String, Instant> troubled = new ConcurrentHashMap<>();

    Looks(ClusterCalls calls, Told told, InstantSource clock) {
        this.calls = calls;
        this.told = told;
        this.phases = new JobPhases(calls.settings().queue());
        this.starts = new OneStart(calls);
        this.clock = clock;
    }

    Map<Handed, Phase> look(Collection<Handed> handed) {
        if (handed.isEmpty()) {
            return Map.of();
        }
        told.prove(handed);
        Cluster cluster = cluster();
        Map<Handed, Phase> found = new HashMap<>();
        for (Handed one : handed) {
            of(one, cluster).ifPresent(phase -> found.put(one, phase));
        }
        return found;
    }

    /** Nobody asks for it any more. */
    void forget(Handed handed) {
        troubled.remove(handed.name());
        starts.forget(handed);
    }

    private Cluster cluster() {
        // Either may be newer than the other: what does not go together is asked for by name.
        Map<String, PodState> pods = telling(told.pods());
        Map<String, Job> jobs = told.jobs().stream()
                .collect(Collectors.toMap(job -> job.getMetadata().getName(), Function.identity(), (a, _) -> a));
        boolean isPodMissing = jobs.values().stream()
                .anyMatch(job -> !Boolean.TRUE.equals(job.getSpec().getSuspend())
                        && !pods.containsKey(job.getMetadata().getName()));
        return new Cluster(jobs, pods, isPodMissing ? hindrances(calls.events(FAILED_CREATE)) : Map.of());
    }

    /** Of each Job the pod that tells most: the one that has begun, else the latest. */
    static Map<String, PodState> telling(List<Pod> pods) {
        return pods.stream()
                .map(PodState::new)
                .collect(Collectors.toMap(
                        pod -> AttemptLabels.jobOf(pod.pod()),
                        Function.identity(),
                        (a, b) -> TELLING.compare(a, b) >= 0 ? a : b));
    }

    private static Map<String, String> hindrances(List<Event> events) {
        Map<String, String> latest = new HashMap<>();
        events.stream()
                .filter(event -> "Job".equals(event.getInvolvedObject().getKind()))
                .filter(event -> FAILED_CREATE.equals(event.getReason()))
                .sorted(Comparator.comparing(event -> Objects.requireNonNullElse(event.getLastTimestamp(), "")))
                .forEach(event -> latest.put(
                        event.getInvolvedObject().getName(), Objects.requireNonNullElse(event.getMessage(), "")));
        return latest;
    }

    private Optional<Phase> of(Handed handed, Cluster cluster) {
        Job job = cluster.jobs().get(handed.name());
        if (job == null || !calls.labels().areOn(job, handed)) {
            job = calls.job(handed).orElse(null);
        }
        PodState pod = Optional.ofNullable(cluster.pods().get(handed.name()))
                .filter(state -> calls.labels().areOn(state.pod(), handed))
                .orElse(null);
        if (!isToldEnough(job, pod)) {
            pod = telling(calls.pods(handed)).get(handed.name());
        }
        if (job == null) {
            return Optional.of(pod == null ? new Phase.Unknown() : phases.without(pod, clock.instant()));
        }
        if (JobPhases.end(job).isEmpty() && starts.isPodGone(job, pod)) {
            // Until the cluster has ended it, the program is what it was.
            return endSecondPod(handed);
        }
        if (pod != null && pod.hasBegun() && !pod.isOver()) {
            starts.keep(job, pod);
        }
        Job asked = withTrouble(handed, job, pod);
        return Optional.of(
                phases.of(asked, pod, cluster.hindrances().getOrDefault(handed.name(), ""), clock.instant()));
    }

    /** Whether nothing that ends a job hangs on a pod that may be otherwise by now. */
    private boolean isToldEnough(@Nullable Job job, @Nullable PodState pod) {
        if (job == null) {
            return pod != null;
        }
        if (JobPhases.end(job).isPresent()) {
            return pod != null && pod.isOver();
        }
        // One that is said to wait after it ran would be taken for one that the cluster took back.
        return pod == null || pod.hasBegun() || pod.isOver() || !starts.isSeen(job);
    }

    /**
     * Unless the cluster, asked for this one, knows better: its lists may be behind. The end of one that is suspended, as of a Job that
     * Kueue has taken back: no deadline ends that (Kubernetes, pkg/controller/job, pastActiveDeadline).
     */
    private Optional<Phase> endSecondPod(Handed handed) {
        PodState pod = telling(calls.pods(handed)).get(handed.name());
        Optional<Job> gone =
                calls.job(handed).filter(job -> JobPhases.end(job).isEmpty()).filter(job -> starts.isPodGone(job, pod));
        gone.filter(job -> Verdict.on(job).isEmpty()).ifPresent(job -> calls.end(job, Verdict.ofSecondPod()));
        return gone.filter(job -> pod == null && JobPhases.isSuspended(job))
                .map(job -> JobPhases.takenBack(job, clock.instant()));
    }

    /** Has a Job ended whose pod could not start for so long that it never will. */
    private Job withTrouble(Handed handed, Job job, @Nullable PodState pod) {
        StartTrouble trouble =
                pod == null || pod.isOver() ? null : StartTrouble.of(pod).orElse(null);
        if (trouble == null) {
            troubled.remove(handed.name());
            return job;
        }
        Instant now = clock.instant();
        Instant since = Objects.requireNonNullElse(troubled.putIfAbsent(handed.name(), now), now);
        boolean isGivenUp = trouble.isForGood()
                || !since.plus(calls.settings().startDeadline()).isAfter(now);
        if (isGivenUp && Verdict.on(job).isEmpty()) {
            return givenUp(handed, job);
        }
        return job;
    }

    /** Unless it has started meanwhile, or is gone. */
    private Job givenUp(Handed handed, Job known) {
        Optional<StartTrouble> trouble = Optional.ofNullable(
                        telling(calls.pods(handed)).get(handed.name()))
                .filter(pod -> !pod.isOver())
                .flatMap(StartTrouble::of);
        Optional<Job> job = calls.job(handed);
        if (trouble.isEmpty() || job.isEmpty()) {
            told.renew();
            return known;
        }
        calls.end(job.get(), Verdict.notes(trouble.get()));
        return calls.job(handed).orElse(known);
    }

    /**
     * What there is.
     *
     * @param hindrances why the pods of Jobs could not be made, by the names of the Jobs
     */
    private record Cluster(Map<String, Job> jobs, Map<String, PodState> pods, Map<String, String> hindrances) {}
}
