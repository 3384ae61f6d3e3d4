package dev.berth.server.usage;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** The resolution at which history is kept, and for how long: a ring of blocks each, of which one is being filled. */
public enum Resolution {
    /** For an hour. */
    SECONDS(1, 60, 61),
    /** For a day. */
    MINUTES(60, 60, 25),
    /** For a year. */
    HOURS(3_600, 24, 366);

    private final int step;
    private final int samplesPerBlock;
    private final int blocks;

    Resolution(int step, int samplesPerBlock, int blocks) {
        this.step = step;
        this.samplesPerBlock = samplesPerBlock;
        this.blocks = blocks;
    }

    /** The number of seconds that a sample stands for. */
    public int step() {
        return step;
    }

    /** The number of samples to see. */
    public int shown() {
        return samplesPerBlock * (blocks - 1);
    }

    int samplesPerBlock() {
        return samplesPerBlock;
    }

    int blocks() {
        return blocks;
    }

    /** The number of the sample since 1970 that a second belongs to. */
    long slot(long epochSecond) {
        return Math.floorDiv(epochSecond, (long) step);
    }

    static Optional<Resolution> ofStep(int step) {
        return Stream.of(values()).filter(it -> it.step == step).findFirst();
    }

    /** The word for it in the API. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The one of that word. */
    public static Optional<Resolution> parse(String word) {
        return Stream.of(values()).filter(it -> it.word().equals(word)).findFirst();
    }
}
