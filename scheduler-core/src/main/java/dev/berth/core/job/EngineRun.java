package dev.berth.core.job;

/**
 * A run of the container engine, from the start of its process to its end. An engine that was killed may not know what
 * it started just before; only the run that was asked for something knows what became of it.
 *
 * @param id another one for each run; empty where nobody can tell runs apart
 */
public record EngineRun(String id) {
    /** Nobody can tell; it is the same as no other, not even as itself. */
    public static final EngineRun UNKNOWN = new EngineRun("");

    /** Whether the other is known to be this very run. */
    public boolean isSameAs(EngineRun other) {
        return !id.isEmpty() && id.equals(other.id);
    }
}
