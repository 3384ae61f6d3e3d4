package dev.berth.server.gpu.occupy;

import dev.berth.core.job.JobId;
import org.jspecify.annotations.Nullable;

/**
 * Process on a GPU, for people.
 *
 * @param user whose it is, by name or number
 * @param command what it is, without its arguments
 * @param line the command with its arguments
 * @param container the container it is in, null for none
 * @param job the job it belongs to, null for a process that is none of Berth's
 */
public record ProcessIdentity(
        String user,
        String command,
        String line,
        @Nullable String container,
        @Nullable JobId job) {
    /** Process that is gone, or that nobody looks at. */
    public static final ProcessIdentity UNKNOWN = new ProcessIdentity("?", "?", "?", null, null);
}
