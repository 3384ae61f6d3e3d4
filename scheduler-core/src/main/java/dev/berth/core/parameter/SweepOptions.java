package dev.berth.core.parameter;

import dev.berth.core.parameter.Parameters.Block;
import dev.berth.core.parameter.Parameters.Factor;
import dev.berth.core.parameter.Parameters.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** The sweep that is asked for by options: each value with each, some side by side, or some draws of them. */
public final class SweepOptions {
    /** The most parameters of one sweep. */
    public static final int MAX_NAMES = 64;

    private static final String SWEEP = "sweep";
    private static final String ZIP = "zip";
    private static final String SAMPLE = "sample";
    private static final String SEED = "seed";

    private SweepOptions() {}

    /**
     * The parameters of such a sweep: {@code sweep} changes slowest, in its order, and {@code zip} fastest.
     *
     * @param sweep a parameter each, with its values
     * @param zip parameters that change together
     * @param sample how many sets to draw of all, or null for all
     * @param seed of the draw; null is 0
     * @throws ParameterRefusal where something is wrong with one of them
     */
    public static Parameters of(List<String> sweep, List<String> zip, @Nullable Integer sample, @Nullable Long seed) {
        if (seed != null && sample == null) {
            throw new ParameterRefusal(
                    SEED, seed.toString(), "is of no use without a number of sets to draw (--sample)");
        }
        List<Axis> axes = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (String text : sweep) {
            Axis axis = axis(SWEEP, text, names);
            if (axis.isSpan() && sample == null) {
                throw new ParameterRefusal(
                        SWEEP,
                        text,
                        "is a range of numbers without end; draw some of them with --sample 50, or give it a step, as in"
                                + " 0..1:0.25");
            }
            axes.add(axis);
        }
        List<Axis> together = new ArrayList<>();
        for (String text : zip) {
            together.add(zipped(text, names, together));
        }
        if (names.isEmpty()) {
            throw sample == null
                    ? new ParameterRefusal(SWEEP, "", "must name a parameter and its values, as in lr=0.1,0.01")
                    : new ParameterRefusal(
                            SAMPLE, sample.toString(), "needs parameters to draw, as in --sweep lr=log:1e-5..1e-1");
        }
        if (sample != null && (sample < 1 || sample > Axis.MAX_VALUES)) {
            throw new ParameterRefusal(
                    SAMPLE, sample.toString(), "must be a number of sets from 1 to " + Axis.MAX_VALUES);
        }
        requireListed(axes, together, sample, names.size());
        List<Factor> factors = sample == null ? all(axes, together) : List.of(drawn(axes, together, sample, seed));
        Block block = new Block(new LinkedHashMap<>(), factors);
        if (block.count() > Axis.MAX_VALUES) {
            String counts = String.join(
                    " x ",
                    factors.stream()
                            .map(factor -> Integer.toString(factor.rows().size()))
                            .toList());
            throw new ParameterRefusal(
                    SWEEP,
                    String.join(" ", names),
                    "has " + counts + " sets of values; a sweep has at most " + Axis.MAX_VALUES
                            + ": give fewer values, or draw some of them with --sample");
        }
        return new Parameters(List.of(block));
    }

    /** Before any set is made: what is listed, zipped or drawn takes memory. */
    private static void requireListed(List<Axis> axes, List<Axis> together, @Nullable Integer sample, int names) {
        long listed = axes.stream().mapToLong(Axis::listed).sum();
        long zipped = together.isEmpty()
                ? 0
                : (long) together.size() * together.getFirst().values().size();
        if (listed + zipped > Axis.MAX_LISTED) {
            throw new ParameterRefusal(
                    axes.isEmpty() ? ZIP : SWEEP,
                    listed + zipped + " values",
                    "must be at most " + Axis.MAX_LISTED
                            + " in all; those of a range of --sweep that stands alone do not count");
        }
        if (sample != null && (long) sample * names > Axis.MAX_LISTED) {
            throw new ParameterRefusal(
                    SAMPLE,
                    sample.toString(),
                    "makes " + (long) sample * names + " values with " + names
                            + (names == 1 ? " parameter" : " parameters") + ", and at most " + Axis.MAX_LISTED
                            + " can be drawn");
        }
    }

    private static Axis axis(String field, String text, List<String> names) {
        try {
            Axis axis = Axis.parse(text);
            names.add(axis.name());
            ParameterText.requireApart(names);
            if (names.size() > MAX_NAMES) {
                throw new IllegalArgumentException(
                        "is one parameter more than the " + MAX_NAMES + " that a sweep may have");
            }
            return axis;
        } catch (IllegalArgumentException e) {
            throw new ParameterRefusal(field, text, String.valueOf(e.getMessage()));
        }
    }

    private static Axis zipped(String text, List<String> names, List<Axis> together) {
        Axis axis = axis(ZIP, text, names);
        if (axis.isSpan()) {
            throw new ParameterRefusal(ZIP, text, "is a range to draw from; side by side stand single values");
        }
        if (!together.isEmpty()
                && together.getFirst().values().size() != axis.values().size()) {
            Axis first = together.getFirst();
            throw new ParameterRefusal(
                    ZIP,
                    text,
                    "has " + axis.values().size() + (axis.values().size() == 1 ? " value, and " : " values, and ")
                            + first.name() + " has " + first.values().size() + "; side by side all have equally many");
        }
        return axis;
    }

    private static List<Factor> all(List<Axis> axes, List<Axis> together) {
        List<Factor> factors = new ArrayList<>();
        for (Axis axis : axes) {
            factors.add(new Factor(List.of(axis.name()), axis.values()));
        }
        factors.addAll(zipped(together));
        return factors;
    }

    private static List<Factor> zipped(List<Axis> together) {
        if (together.isEmpty()) {
            return List.of();
        }
        List<List<Value>> rows = new ArrayList<>();
        for (int row = 0; row < together.getFirst().values().size(); row++) {
            List<Value> values = new ArrayList<>();
            for (Axis axis : together) {
                values.addAll(axis.values().get(row));
            }
            rows.add(values);
        }
        return List.of(new Factor(together.stream().map(Axis::name).toList(), rows));
    }

    private static Factor drawn(List<Axis> axes, List<Axis> together, int sample, @Nullable Long seed) {
        // Its numbers are laid down in its documentation, so that a seed draws the same everywhere and always.
        Random random = new Random(seed == null ? 0 : seed);
        boolean isOpen = axes.stream().anyMatch(Axis::isSpan);
        List<List<Value>> rows = isOpen ? open(axes, together, sample, random) : closed(axes, together, sample, random);
        List<String> names = new ArrayList<>(axes.stream().map(Axis::name).toList());
        together.forEach(axis -> names.add(axis.name()));
        return new Factor(names, rows);
    }

    /** Draws with ranges: each set by itself. */
    private static List<List<Value>> open(List<Axis> axes, List<Axis> together, int sample, Random random) {
        List<List<Value>> rows = new ArrayList<>();
        for (int draw = 0; draw < sample; draw++) {
            List<Value> row = new ArrayList<>();
            for (Axis axis : axes) {
                row.addAll(
                        axis.isSpan()
                                ? List.of(axis.span().at(random.nextDouble()))
                                : axis.values().get(random.nextInt(axis.values().size())));
            }
            if (!together.isEmpty()) {
                int place = random.nextInt(together.getFirst().values().size());
                together.forEach(axis -> row.addAll(axis.values().get(place)));
            }
            rows.add(row);
        }
        return rows;
    }

    /** Draws of a product: no set twice. */
    private static List<List<Value>> closed(List<Axis> axes, List<Axis> together, int sample, Random random) {
        Parameters product = new Parameters(List.of(new Block(new LinkedHashMap<>(), all(axes, together))));
        if (sample > product.count()) {
            throw new ParameterRefusal(
                    SAMPLE,
                    Integer.toString(sample),
                    "is more than the " + product.count()
                            + " sets of values that there are; leave it out for all of them");
        }
        if (product.count() > Integer.MAX_VALUE) {
            throw new ParameterRefusal(
                    SAMPLE,
                    Integer.toString(sample),
                    "cannot be drawn from more than " + Integer.MAX_VALUE + " sets of values; give fewer values");
        }
        int count = (int) product.count();
        List<List<Value>> rows = new ArrayList<>();
        // Fisher and Yates, with what was swapped in a map in place of all positions.
        Map<Integer, Integer> swapped = new HashMap<>();
        for (int draw = 0; draw < sample; draw++) {
            int place = draw + random.nextInt(count - draw);
            int index = swapped.getOrDefault(place, place);
            swapped.put(place, swapped.getOrDefault(draw, draw));
            rows.add(List.copyOf(product.of(index).sequencedValues()));
        }
        return rows;
    }
}
