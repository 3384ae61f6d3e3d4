package dev.berth.core.api;

/**
 * A session that has just begun; its other half is in the cookie.
 *
 * @param key what requests carry beside the cookie: in the header {@code Berth-Session}, or in the query as {@code session}
 */
public record StartedSession(String key, SessionView session) {

    /** Does not tell the key. */
    @Override
    public String toString() {
        return "StartedSession[" + session + "]";
    }
}
