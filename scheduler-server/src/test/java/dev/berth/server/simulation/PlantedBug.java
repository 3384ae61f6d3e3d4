package dev.berth.server.simulation;

import java.util.List;
import java.util.stream.Stream;

/**
 * A bug that the simulation has to find: real source text, and what stands there instead.
 *
 * @param name what the bug does
 * @param likelySeed the seed of a day that found it before, which is played first; a change of the simulation makes it another
 */
record PlantedBug(String name, List<Edit> edits, long likelySeed) {
    /**
     * One piece of one source file.
     *
     * @param type the class's name
     * @param from occurs once
     */
    record Edit(String type, String from, String to) {
        /** The file's text with the bug in it. */
        String in(String source) {
            int first = source.indexOf(from);
            if (first < 0 || source.indexOf(from, first + 1) >= 0) {
                throw new IllegalStateException("the list is stale: " + type + " does not have once\n" + from);
            }
            return source.substring(0, first) + to + source.substring(first + from.length());
        }
    }

    static PlantedBug of(String name, String type, String from, String to) {
        return new PlantedBug(name, List.of(new Edit(type, from, to)), 0);
    }

    PlantedBug and(String type, String from, String to) {
        return new PlantedBug(
                name,
                Stream.concat(edits.stream(), Stream.of(new Edit(type, from, to)))
                        .toList(),
                likelySeed);
    }

    /** The same, found before on the day of this seed. */
    PlantedBug foundOn(long seed) {
        return new PlantedBug(name, edits, seed);
    }

    @Override
    public String toString() {
        return name;
    }
}
