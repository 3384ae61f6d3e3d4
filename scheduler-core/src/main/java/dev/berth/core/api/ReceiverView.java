package dev.berth.core.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A receiver of notices, without its secret.
 *
 * @param moments what it is told of: start, end, fail
 * @param receiver enough of it to tell it from others
 * @param waiting how many notices wait for it
 * @param sentAt when it was last sent something, or that was tried; null before
 * @param error why the last thing did not arrive; null where it did
 */
public record ReceiverView(
        long id,
        String user,
        List<String> moments,
        String receiver,
        String createdAt,
        long waiting,
        @Nullable String sentAt,
        @Nullable String error) {}
