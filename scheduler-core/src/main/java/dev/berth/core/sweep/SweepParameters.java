package dev.berth.core.sweep;

import dev.berth.core.parameter.ParameterText;
import dev.berth.core.parameter.Parameters;
import dev.berth.core.parameter.Parameters.Block;
import dev.berth.core.parameter.Parameters.Factor;
import dev.berth.core.parameter.Parameters.Value;
import dev.berth.core.parameter.Range;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The parameters of an array that has a task for each run of a sweep file, in their order. */
public final class SweepParameters {
    private static final String RUN = "sweep";
    private static final Value NULL = ParameterText.typed("null");

    private SweepParameters() {}

    /**
     * The parameters of these runs, with what tells of each run itself: {@code sweep.experiment}, {@code sweep.name}, {@code
     * sweep.directory}, {@code sweep.repetition}.
     *
     * @throws SweepRefusal where a parameter cannot be one of a task
     */
    public static Parameters of(List<SweepRun> runs) {
        List<Block> blocks = new ArrayList<>();
        SequencedMap<String, Value> constants = new LinkedHashMap<>();
        List<String> names = List.of();
        List<List<Value>> rows = new ArrayList<>();
        SweepRun before = runs.getFirst();
        for (SweepRun run : runs) {
            SequencedMap<String, Value> rest = new LinkedHashMap<>();
            flatten(run, "", run.params(), rest);
            SequencedMap<String, Value> own = own(run, rest);
            boolean isNext = !rows.isEmpty() && names.equals(List.copyOf(own.keySet())) && constants.equals(rest);
            if (!isNext && !rows.isEmpty()) {
                blocks.add(block(before, constants, names, rows));
                rows = new ArrayList<>();
            }
            before = run;
            constants = rest;
            names = List.copyOf(own.keySet());
            rows.add(List.copyOf(own.sequencedValues()));
        }
        blocks.add(block(runs.getLast(), constants, names, rows));
        return new Parameters(blocks);
    }

    /**
     * The same parameters of the tasks from the first to the last index, by the same indices. Those before have nulls, which take
     * next to no room, and those behind are left out.
     *
     * @param all parameters that {@link #of} made
     */
    public static Parameters part(Parameters all, int first, int last) {
        List<Block> kept = new ArrayList<>();
        int at = 0;
        for (Block block : all.blocks()) {
            Factor factor = block.factors().getFirst();
            int from = Math.max(first - at, 0);
            int to = Math.min(last + 1 - at, factor.rows().size());
            if (from < to) {
                kept.add(new Block(
                        block.constants(),
                        List.of(new Factor(factor.names(), factor.rows().subList(from, to)))));
            }
            at += factor.rows().size();
        }
        if (first > 0) {
            kept.addFirst(nulls(kept.getFirst(), first));
        }
        return new Parameters(kept);
    }

    /** So many sets with the names of a block, in their order: a command may have each name that all tasks have. */
    private static Block nulls(Block block, int count) {
        SequencedMap<String, Value> constants = new LinkedHashMap<>();
        block.constants().keySet().forEach(name -> constants.put(name, NULL));
        List<String> names = block.factors().getFirst().names();
        int counted = names.size() - 1;
        Factor others = new Factor(names.subList(0, counted), List.of(Collections.nCopies(counted, NULL)));
        Factor last =
                new Factor(names.subList(counted, names.size()), new Range(BigDecimal.ZERO, BigDecimal.ONE, count));
        return new Block(constants, List.of(others, last));
    }

    private static Block block(
            SweepRun run, SequencedMap<String, Value> constants, List<String> names, List<List<Value>> rows) {
        try {
            return new Block(constants, List.of(new Factor(names, rows)));
        } catch (IllegalArgumentException e) {
            throw new SweepRefusal(run.place(), "the run " + Quoted.of(run.name()) + " " + e.getMessage());
        }
    }

    /** What the expansions set, taken out of all parameters, and what tells of the run. */
    private static SequencedMap<String, Value> own(SweepRun run, SequencedMap<String, Value> all) {
        if (all.keySet().stream().anyMatch(name -> name.equals(RUN) || name.startsWith(RUN + "."))) {
            throw new SweepRefusal(
                    run.place(), RUN + " is what tasks learn of their run itself; give that parameter another name");
        }
        SequencedMap<String, Value> own = new LinkedHashMap<>();
        Set<String> set = new TreeSet<>(run.names());
        for (String name : List.copyOf(all.keySet())) {
            if (set.stream().anyMatch(path -> name.equals(path) || name.startsWith(path + "."))) {
                own.put(name, all.remove(name));
            }
        }
        own.put(RUN + ".experiment", ParameterText.text(run.experiment()));
        own.put(RUN + ".name", ParameterText.text(run.name()));
        own.put(RUN + ".directory", ParameterText.text(run.directory()));
        own.put(RUN + ".repetition", ParameterText.typed(Integer.toString(run.repetition())));
        return own;
    }

    private static void flatten(SweepRun run, String path, Map<?, ?> section, SequencedMap<String, Value> to) {
        section.forEach((key, value) -> {
            String name = path + key;
            boolean isName = ParameterText.isName(String.valueOf(key))
                    && String.valueOf(key).indexOf('.') < 0
                    && name.length() <= ParameterText.MAX_NAME;
            if (!isName) {
                throw new SweepRefusal(
                        run.place(),
                        "the parameter " + Quoted.cut(name) + " of " + Quoted.of(run.name())
                                + " cannot be a variable: names are letters, digits, _ and -, no digit first, and at most "
                                + ParameterText.MAX_NAME + " long with those of the maps that they stand in");
            }
            if (value instanceof Map<?, ?> inner && !inner.isEmpty()) {
                flatten(run, name + ".", inner, to);
            } else {
                to.put(name, value(value));
            }
        });
    }

    private static Value value(@Nullable Object value) {
        String json = json(value);
        return value instanceof String text ? ParameterText.text(text) : new Value(json, json);
    }

    private static String json(@Nullable Object value) {
        return switch (value) {
            case null -> "null";
            case String text -> ParameterText.text(text).json();
            case Double number when Double.isFinite(number) -> PythonText.represented(number);
            case Double number -> ParameterText.text(number.toString()).json();
            case List<?> items ->
                "[" + String.join(",", items.stream().map(SweepParameters::json).toList()) + "]";
            case Map<?, ?> entries ->
                "{"
                        + String.join(
                                ",",
                                entries.entrySet().stream()
                                        .map(entry -> json(entry.getKey()) + ":" + json(entry.getValue()))
                                        .toList())
                        + "}";
            default -> value.toString();
        };
    }
}
