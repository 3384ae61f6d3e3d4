package dev.berth.server.runner.kubernetes;

/**
 * Which files of a program are brought here.
 *
 * @param metrics what it writes to {@code $BERTH_TRACK}
 * @param outputs what it leaves in {@code $BERTH_OUTPUT_DIR}
 */
record Brought(boolean metrics, boolean outputs) {
    static final Brought NOTHING = new Brought(false, false);
}
