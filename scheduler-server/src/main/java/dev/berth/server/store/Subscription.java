package dev.berth.server.store;

import dev.berth.core.job.Notification;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A receiver that is told of all jobs of a user. It may hold a secret, so that its text has only the number.
 *
 * @param id 0 for one that is not kept yet
 * @param moments the words of those that it is told of
 * @param afterEvent the last event of which it is not told
 * @param sentAt when something was last sent or tried, null before
 * @param error why the last thing did not arrive, null where it did
 */
public record Subscription(
        long id,
        long uid,
        String user,
        String moments,
        String receiver,
        Instant madeAt,
        long afterEvent,
        @Nullable Instant sentAt,
        @Nullable String error) {
    /** The wish that it stands for. */
    public Notification wish() {
        return Notification.parse(moments + ":" + receiver);
    }

    @Override
    public String toString() {
        return "subscription " + id + " of " + user;
    }
}
