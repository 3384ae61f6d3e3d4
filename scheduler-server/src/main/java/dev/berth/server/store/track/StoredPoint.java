package dev.berth.server.store.track;

/**
 * A point of a metric as it is kept.
 *
 * @param millis since 1970
 */
public record StoredPoint(long step, long millis, double value) {}
