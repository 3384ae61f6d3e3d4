package dev.berth.core.machine;

/** The reason why a queued job waits: the stable codes for programs. */
public enum QueueReason {
    /** First in its queue, and its GPUs are not free yet. */
    AT_HEAD_WAITING_FOR_GPUS,
    /** First in its queue, and a process that is none of Berth's is on GPUs that it could have. */
    GPU_BUSY_FOREIGN,
    /** First in its queue, and GPUs that it could have are out of service. */
    GPU_DRAINED,
    /** First in its queue, and somebody else holds the lock under which this machine's GPUs are chosen. */
    GPU_LOCK_HELD,
    /** First in its queue, and the cores that it asks for are not free yet. */
    WAITING_FOR_CPUS,
    /** First in its queue, and the memory that it asks for is not free yet. */
    WAITING_FOR_MEMORY,
    /** First in its queue, and the one before it is not known to have its GPUs, or to have started, yet. */
    BEHIND_START,
    /** Others were accepted before it. */
    BEHIND_HEAD,
    /** First in its queue, and every worker has a job. */
    WAITING_FOR_WORKER,
    /** First in its queue, and its image is not here yet. */
    PULLING_IMAGE,
    /** First in its queue, and the container engine does not answer. */
    ENGINE_UNREACHABLE,
    /** The job's turn has come, and the container engine fails at what it needs and is asked again. */
    ENGINE_FAILING,
    /** The target's engine has it in its own queue. */
    AT_TARGET,
    /** The target has as many jobs of this server as it may have. */
    TARGET_FULL,
    /** As many tasks of its array run as may run at the same time. */
    ARRAY_THROTTLE,
    /** Tasks of its array that have a lower index come first. */
    ARRAY,
    /** It is in a pack, and other tasks of that come first. */
    IN_PACK,
    /** Another job has to end first. */
    DEPENDENCY,
    /** It is not to start before a date. */
    BEGIN_TIME,
    /** An attempt of it failed, and the next one does not start before a date. */
    RETRY_DELAY,
    /** Somebody set it aside. */
    HELD,
    /** Somebody paused the server: it starts nothing new. */
    SERVER_PAUSED,
    /** The server is about to end and starts nothing new. */
    SERVER_STOPPING
}
