package dev.berth.cli.snapshot;

/** Hears how far a snapshot is. */
public interface Progress {
    /** The progress that is shown to nobody. */
    Progress NONE = (_, _, _) -> {};

    /** The step that is being done. */
    enum Step {
        READING,
        SENDING
    }

    /**
     * Tells how much of it is done.
     *
     * @param done bytes
     * @param all bytes
     */
    void at(Step step, long done, long all);
}
