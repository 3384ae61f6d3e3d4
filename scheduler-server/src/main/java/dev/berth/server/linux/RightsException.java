package dev.berth.server.linux;

import dev.berth.core.job.Submitter;

/** The kernel does not let this server act as a user. */
public final class RightsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RightsException(Submitter who) {
        super("the kernel did not let the server act as user " + who.uid() + " (CAP_SETUID, CAP_SETGID)");
    }
}
