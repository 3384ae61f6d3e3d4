package dev.berth.core.job;

/** Whether a queued job's image is on this machine. */
public sealed interface ImageState {
    /** Not yet: somebody owes a look, and a pull where the look finds nothing. */
    record Pending() implements ImageState {}

    /**
     * The image is here.
     *
     * @param imageId the engine's id of it, so that the job runs what was found and not what a tag means later
     */
    record Ready(String imageId) implements ImageState {}
}
