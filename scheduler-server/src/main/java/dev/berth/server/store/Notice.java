package dev.berth.server.store;

import dev.berth.core.job.JobId;
import java.time.Instant;

/**
 * A notice that is still to be sent. Its receiver may hold a secret, so that its text has only the number.
 *
 * @param id 0 for one that is not kept yet
 * @param key the name by which its receiver recognises a repetition
 * @param uid the user whose wish it is, {@link #SERVER} for the server's own
 * @param moment of what in the job's life, by its word
 * @param content what was so at that moment, as the sender wrote it
 * @param sendings how often it was begun to be sent
 * @param failures how often it did not arrive, as far as is known
 */
public record Notice(
        long id,
        String key,
        long uid,
        JobId job,
        int attempt,
        String moment,
        String receiver,
        String content,
        Instant madeAt,
        int sendings,
        int failures) {
    /** In place of a user, for the receivers of the server's configuration. */
    public static final long SERVER = -1;

    @Override
    public String toString() {
        return "notice " + id + " of job " + job;
    }
}
