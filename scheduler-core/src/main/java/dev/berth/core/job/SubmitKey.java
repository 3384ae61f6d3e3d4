package dev.berth.core.job;

/**
 * A client's key for one submit: the same key again is the same submit, whose answer was lost.
 *
 * @param key the client's choice, unique among that user's submits
 * @param digest of what was asked for with it; another request must not come under the same key
 */
public record SubmitKey(String key, String digest) {}
