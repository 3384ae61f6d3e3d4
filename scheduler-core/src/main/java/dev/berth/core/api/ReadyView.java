package dev.berth.core.api;

import java.util.List;

/**
 * The answer to {@code GET /health/ready}, told to a caller without an identity.
 *
 * @param status {@code ready} or {@code not ready}
 */
public record ReadyView(String status, List<Check> checks) {
    /**
     * One thing that the server needs.
     *
     * @param sentence how it stands
     */
    public record Check(String name, boolean ok, String sentence) {}
}
