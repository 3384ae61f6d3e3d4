package dev.berth.core.sweep;

import dev.berth.core.command.ClosestWord;
import dev.berth.core.sweep.SweepValue.Scalar;
import dev.berth.core.sweep.SweepValue.Section;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Keys of an experiment: those that mean something, read and checked; others are the program's own, unless they are misspelt. */
final class ExperimentKeys {
    static final String PARAMS = "params";
    static final String NAME = "name";
    private static final String PATH = "path";
    private static final String REPETITIONS = "repetitions";

    private static final String TOGETHER = "reps_per_job";
    private static final String IN_PARALLEL = "reps_in_parallel";

    private static final List<String> KNOWN = List.of(
            NAME,
            PATH,
            REPETITIONS,
            "iterations",
            TOGETHER,
            IN_PARALLEL,
            PARAMS,
            "grid",
            "list",
            "ablative",
            "import_path",
            "import_exp",
            "log_path");

    /** What CW2 puts into a configuration that it has expanded. */
    private static final Set<String> WRITTEN =
            Set.of("_basic_path", "_experiment_name", "_nested_dir", "_debug", "_rep_idx", "_rep_log_path");

    private final String name;
    private final Section content;

    private ExperimentKeys(String name, Section content) {
        this.name = name;
        this.content = content;
    }

    /** The experiment of a name that has this content, with all that it inherits. */
    static Experiment read(String name, Section content) {
        ExperimentKeys keys = new ExperimentKeys(name, content);
        content.entries().forEach(keys::check);
        int repetitions = (int) keys.number(REPETITIONS, Sweep.MAX_RUNS);
        int _ = keys.orOne("iterations", Integer.MAX_VALUE);
        int together = Math.min(keys.orOne(TOGETHER, Sweep.MAX_RUNS), repetitions);
        int inParallel = Math.min(keys.orOne(IN_PARALLEL, Sweep.MAX_RUNS), together);
        return new Experiment(
                name, keys.path(), repetitions, together, inParallel, keys.params(), Expansion.all(content), content);
    }

    private void check(String key, SweepValue value) {
        if (WRITTEN.contains(key)) {
            throw new SweepRefusal(
                    value.place(),
                    key + ": is what CW2 writes into what it has expanded; take the file that it was expanded from");
        }
        if (KNOWN.contains(key) || Expansion.Kind.of(key) != null) {
            return;
        }
        String near = ClosestWord.misspelling(key, KNOWN);
        String nearStep = ClosestWord.misspelling(letters(key), Expansion.Kind.PREFIXES);
        if (near != null || nearStep != null) {
            throw new SweepRefusal(
                    value.place(),
                    Quoted.of(key) + " is not a key of an experiment; did you mean " + (near != null ? near : nearStep)
                            + "? A value of your own stands under params");
        }
    }

    /** The letters that it begins with: what is behind them tells one grid from another. */
    private static String letters(String key) {
        int end = 0;
        while (end < key.length() && Character.isLetter(key.charAt(end))) {
            end++;
        }
        return key.substring(0, end);
    }

    private SweepValue required(String key, String example) {
        SweepValue value = content.entries().get(key);
        if (value == null) {
            throw new SweepRefusal(
                    content.place(),
                    "experiment " + Quoted.of(name) + " has no " + key + "; write " + example + " in it or in DEFAULT");
        }
        return value;
    }

    private int orOne(String key, long max) {
        return content.entries().containsKey(key) ? (int) number(key, max) : 1;
    }

    private long number(String key, long max) {
        SweepValue value = required(key, key + ": 1");
        if (value instanceof Scalar scalar && scalar.value() instanceof Long number && number >= 1 && number <= max) {
            return number;
        }
        throw new SweepRefusal(
                value.place(), key + ": " + Quoted.of(value) + " is not a whole number from 1 to " + max);
    }

    private String path() {
        SweepValue value = required(PATH, "path: results");
        if (value instanceof Scalar scalar && scalar.value() instanceof String text && text.indexOf('\0') < 0) {
            return text;
        }
        throw new SweepRefusal(
                value.place(), PATH + ": " + Quoted.of(value) + " is not a text; write the directory for the results");
    }

    private Section params() {
        SweepValue value = content.entries().get(PARAMS);
        return switch (value) {
            case null -> new Section(content.place(), Map.of());
            case Section section -> section;
            default ->
                throw new SweepRefusal(
                        value.place(),
                        PARAMS + ": " + Quoted.of(value) + " is not a map of names and values; leave it out for none");
        };
    }
}
