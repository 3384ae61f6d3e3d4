package dev.berth.server.runner;

import java.time.Duration;

/**
 * The place where work that blocks is done: on virtual threads, or in a simulation one after the other in virtual time.
 */
public interface Tasks {
    /** Does the work soon, on a thread of its own. */
    void run(Runnable work);

    /** Does the work after a while. */
    void runAfter(Duration delay, Runnable work);
}
