package dev.berth.core.job;

import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What is read for a job's metrics beside the file that Berth gives its program.
 *
 * @param sources in order
 */
public record TrackSources(Set<Source> sources) {
    private static final String NONE_WORD = "none";

    /** The rule for their words. */
    public static final String RULE = "must be of tensorboard, csv and stdout, or none alone";

    /** What is read of a job that says nothing of it. */
    public static final TrackSources USUAL = new TrackSources(EnumSet.of(Source.TENSORBOARD, Source.CSV));

    public static final TrackSources NONE = new TrackSources(EnumSet.noneOf(Source.class));

    /** A kind of source. */
    public enum Source {
        /** TensorBoard's event files in the output directory. */
        TENSORBOARD("tensorboard"),
        /** CW2's tables in the output directory. */
        CSV("csv"),
        /** Lines of standard output that begin with {@code ::berth}. */
        STDOUT("stdout");

        private final String word;

        Source(String word) {
            this.word = word;
        }
    }

    public TrackSources {
        Set<Source> ordered = EnumSet.noneOf(Source.class);
        ordered.addAll(sources);
        sources = Collections.unmodifiableSet(ordered);
    }

    /**
     * The sources of words with commas between them.
     *
     * @throws IllegalArgumentException whose message is {@link #RULE}, which goes on from the text
     */
    public static TrackSources parse(String text) {
        if (text.equals(NONE_WORD)) {
            return NONE;
        }
        Set<Source> sources = EnumSet.noneOf(Source.class);
        for (String word : text.split(",", -1)) {
            sources.add(Stream.of(Source.values())
                    .filter(source -> source.word.equals(word))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException(RULE)));
        }
        return new TrackSources(sources);
    }

    /** These and others. */
    public TrackSources and(TrackSources others) {
        Set<Source> all = EnumSet.noneOf(Source.class);
        all.addAll(sources);
        all.addAll(others.sources);
        return new TrackSources(all);
    }

    /** Those of them that are of what a program prints: the files of one that runs elsewhere are not here. */
    public TrackSources printed() {
        return has(Source.STDOUT) ? new TrackSources(EnumSet.of(Source.STDOUT)) : NONE;
    }

    public boolean has(Source source) {
        return sources.contains(source);
    }

    /** Their words, in one order. */
    public List<String> words() {
        return sources.isEmpty()
                ? List.of(NONE_WORD)
                : sources.stream().map(source -> source.word).toList();
    }

    @Override
    public String toString() {
        return String.join(",", words());
    }
}
