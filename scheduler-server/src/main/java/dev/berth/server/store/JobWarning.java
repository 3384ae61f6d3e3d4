package dev.berth.server.store;

import dev.berth.core.job.JobId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A warning about a job: what its user should know beside its state. There is one of a code and a subject in an
 * attempt.
 *
 * @param code what kind of thing it is, for programs
 * @param subject what it is about, as in a GPU's UUID or a pid; empty where there is but one
 * @param sentence for people
 * @param endedAt since when it is not so any more, or null while it is
 */
public record JobWarning(
        JobId job,
        int attempt,
        String code,
        String subject,
        String sentence,
        Instant since,
        @Nullable Instant endedAt) {
    /** A process that is none of Berth's came onto a GPU that the job holds. */
    public static final String GPU_CONFLICT = "GPU_CONFLICT";

    /** The job leaves its GPUs idle. */
    public static final String GPU_IDLE = "GPU_IDLE";

    /** The job's program on the machine itself is in no cgroup of its own. */
    public static final String NO_CGROUP = "NO_CGROUP";

    /** Some of what the job's program told is left out. */
    public static final String TRACKING = "TRACKING";

    /** The job's container has lost its GPUs. */
    public static final String DEVICE_LOST = "DEVICE_LOST";

    /** A notice of the job has not arrived. */
    public static final String NOTICE_FAILED = "NOTICE_FAILED";

    /** The words that begin each sentence in which the receiver of a notice is named, which not everybody may see. */
    public static final String NAMES_RECEIVER = "the notice of its ";
}
