package dev.berth.core.machine;

/** Why a queued job waits: the stable codes for programs. */
public enum QueueReason {
    /** First in its queue, and its GPUs are not free yet. */
    AT_HEAD_WAITING_FOR_GPUS,
    /** Others were accepted before it. */
    BEHIND_HEAD,
    /** First in its queue, and every worker has a job. */
    WAITING_FOR_WORKER,
    /** First in its queue, and its image is not here yet. */
    PULLING_IMAGE,
    /** First in its queue, and the container engine does not answer. */
    ENGINE_UNREACHABLE,
    /** Its turn has come, and the container engine fails at what it needs and is asked again. */
    ENGINE_FAILING,
    /** Somebody set it aside. */
    HELD,
    /** Somebody paused the server: it starts nothing new. */
    SERVER_PAUSED,
    /** The server is about to end and starts nothing new. */
    SERVER_STOPPING
}
