package dev.berth.server.runner.kubernetes;

import dev.berth.server.runner.target.Handed;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** What the cluster told of this server's Jobs and pods. Any thread. */
final class Told implements AutoCloseable {
    private final ClusterCalls calls;
    private final Watched<Job> jobs;
    private final Watched<Pod> pods;
    private final AtomicInteger turn = new AtomicInteger();

    /**
     * Nothing is asked yet.
     *
     * @param goodFor how long a list is good while changes are watched; zero to list each time
     */
    Told(ClusterCalls calls, Duration goodFor, InstantSource clock) {
        this.calls = calls;
        this.jobs = new Watched<>(calls.ownJobs(), calls, "list Jobs", goodFor, clock);
        this.pods = new Watched<>(calls.ownPods(), calls, "list pods", goodFor, clock);
    }

    List<Job> jobs() {
        return jobs.all();
    }

    List<Pod> pods() {
        return pods.all();
    }

    /**
     * Makes sure that the cluster answers, and tells of changes still. A list does so by itself; where none is due, a Job and its pods
     * are asked for, of each attempt in turn, and all is listed anew where they are not what was told.
     */
    void prove(Collection<Handed> handed) {
        if (jobs.isGood() && pods.isGood()) {
            int next = Math.floorMod(turn.getAndIncrement(), handed.size());
            handed.stream().skip(next).findFirst().filter(one -> !isTold(one)).ifPresent(_ -> renew());
        }
    }

    private boolean isTold(Handed one) {
        return jobs.agrees(
                        job -> calls.labels().areOn(job, one),
                        calls.job(one).stream().toList())
                && pods.agrees(pod -> calls.labels().areOn(pod, one), calls.podsInCache(one));
    }

    /** Has all listed anew by whoever looks next. */
    void renew() {
        jobs.renew();
        pods.renew();
    }

    @Override
    public void close() {
        renew();
    }
}
