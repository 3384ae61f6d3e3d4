package dev.berth.core.job;

/**
 * A path of the machine that a job wants in its container.
 *
 * @param source absolute path on the machine, as asked for
 * @param target absolute path in the container
 */
public record Mount(String source, String target, boolean readOnly) {
    public Mount {
        if (!source.startsWith("/") || !target.startsWith("/")) {
            throw new IllegalArgumentException("a mount has absolute paths, not " + source + ":" + target);
        }
    }

    /** As Docker writes it: {@code /data:/data:ro}. */
    @Override
    public String toString() {
        return source + ":" + target + (readOnly ? ":ro" : "");
    }
}
