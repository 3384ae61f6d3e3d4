package dev.berth.core.job;

import java.util.Locale;

/** The rule for when a job's image is pulled; the names are Docker's ({@code docker run --pull}). */
public enum PullPolicy {
    /** Only where it is not on the machine. */
    MISSING,
    /** Before each job, so that a tag means what it means now. */
    ALWAYS,
    /** Never: it is on the machine or the job fails. */
    NEVER;

    /** The policy's word on a command line, in requests and in what is shown of a job. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
