package dev.berth.server.runner.kubernetes;

import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.target.Handed;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.VersionInfo;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a program from beginning a second time. A Job whose pod is deleted, by somebody or as its node is drained, gets another one
 * from Kubernetes before 1.26, which does not count a pod that is gone as failed (seen with 1.20), and from any where Kueue takes the
 * Job back and admits it again. So once a program runs, its pod is noted with the Job, and the Secret of its variables is removed,
 * without which no other pod of the Job can start it.
 */
final class OneStart {
    private static final Logger LOG = LoggerFactory.getLogger(OneStart.class);
    private static final String POD = "dev.berth/pod";
    private static final int FIRST_MINOR = 26;

    private final ClusterCalls calls;

    /** The uids of the pods that programs were seen to run in, by the names of the Jobs: the cluster may tell of a Job as it was. */
    private final Map<String, String> noted = new ConcurrentHashMap<>();

    OneStart(ClusterCalls calls) {
        this.calls = calls;
    }

    /** Whether a cluster makes no second pod by itself, seen or not (Kubernetes, pkg/controller/job: a deleted pod has failed). */
    static boolean isSure(VersionInfo version) {
        return ClusterHealth.isAtLeast(version, FIRST_MINOR);
    }

    /** Whether the program of a Job has been seen to run. */
    static boolean hasBegun(Job job) {
        return note(job).isPresent();
    }

    private static Optional<String> note(Job job) {
        return Optional.ofNullable(job.getMetadata().getAnnotations()).map(notes -> notes.get(POD));
    }

    private Optional<String> known(Job job) {
        return note(job)
                .or(() -> Optional.ofNullable(noted.get(job.getMetadata().getName())));
    }

    /** Whether this server, or an earlier one, has seen the program of a Job run, of which the cluster may tell as it was. */
    boolean isSeen(Job job) {
        return known(job).isPresent();
    }

    /** Whether the pod that the program ran in is not there any more. */
    boolean isPodGone(Job job, @Nullable PodState pod) {
        return known(job).filter(uid -> pod == null || !uid.equals(uid(pod))).isPresent();
    }

    /** Sees to it that the program begins in no other pod. What cannot be done now, the next look does. */
    void keep(Job job, PodState pod) {
        String name = job.getMetadata().getName();
        if (known(job).isPresent()) {
            return;
        }
        try {
            calls.deleteSecret(name);
            calls.note(name, Map.of(POD, uid(pod)));
            noted.put(name, uid(pod));
        } catch (EngineException e) {
            LOG.debug("Job {}: a second start cannot be ruled out yet: {}", name, e.sentence());
        }
    }

    private static String uid(PodState pod) {
        return Objects.requireNonNullElse(pod.pod().getMetadata().getUid(), "");
    }

    /** Nobody asks for it any more. */
    void forget(Handed handed) {
        noted.remove(handed.name());
    }
}
