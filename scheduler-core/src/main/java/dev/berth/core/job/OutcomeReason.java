package dev.berth.core.job;

/** The reason why a job ended: the stable codes for programs. The sentence beside it is for people. */
public enum OutcomeReason {
    /** The program ended with code 0. */
    EXITED,
    /** The program ended with another code, or by a signal that Berth did not send. */
    EXITED_NONZERO,
    /** The program ran longer than its time limit. */
    TIME_LIMIT,
    /** The kernel ended the program for want of memory. */
    OUT_OF_MEMORY,
    /** The owner or root cancelled it. */
    CANCELLED_BY_USER,
    /** The job's image is not here and cannot be pulled. */
    IMAGE_UNAVAILABLE,
    /** The engine refused to create or start its container. */
    START_FAILED,
    /** The job asks for more than this machine has. */
    NEVER_FITS,
    /** The job's container is gone and nobody knows how the program ended. */
    CONTAINER_LOST,
    /** The machine went down while it ran. */
    MACHINE_REBOOTED,
    /** The container engine was stopped while it ran, and ended its program, or ended when it was to start it. */
    ENGINE_STOPPED,
    /** The program left its GPUs idle for longer than it may. */
    IDLE_TIMEOUT,
    /** The job's container lost its GPUs while it ran. */
    DEVICE_LOST,
    /** The node of a target that it ran on was lost. */
    NODE_LOST,
    /** The target's engine took its resources away, as for another job. */
    PREEMPTED,
    /** Somebody ended it at the target, past Berth. */
    CANCELLED_AT_TARGET,
    /** The target does not know it any more, and nobody saw its program end. */
    TARGET_LOST,
    /** A job that it waited for ended otherwise than asked for. */
    DEPENDENCY_FAILED,
    /** The array's tasks have ended, and not all of them COMPLETED. */
    TASKS_FAILED
}
