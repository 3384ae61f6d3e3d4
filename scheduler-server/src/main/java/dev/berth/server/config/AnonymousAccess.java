package dev.berth.server.config;

/** What those may do who show nothing over TCP. */
public enum AnonymousAccess {
    /** Nothing but load the page. */
    NONE,
    /** See the GPUs, the queue and the jobs, as a reader does. */
    READ
}
