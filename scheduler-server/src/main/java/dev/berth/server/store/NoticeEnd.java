package dev.berth.server.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What has become of an attempt to send a notice.
 *
 * @param sentence why it did not arrive, without secrets; null where it did
 * @param warning for its job, or null
 */
public record NoticeEnd(
        Notice notice,
        Kind kind,
        Instant at,
        @Nullable String sentence,
        @Nullable JobWarning warning) {
    /** The ends of an attempt. */
    public enum Kind {
        /** The receiver has it. */
        ARRIVED,
        /** Nothing was sent: the receiver failed at one before. */
        NOT_BEGUN,
        /** It is to be tried again. */
        FAILED,
        /** It is not tried again. */
        GIVEN_UP
    }
}
