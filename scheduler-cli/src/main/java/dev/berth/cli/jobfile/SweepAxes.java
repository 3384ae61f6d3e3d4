package dev.berth.cli.jobfile;

import dev.berth.core.sweep.SweepRefusal;
import dev.berth.core.sweep.SweepValue;
import dev.berth.core.sweep.SweepValue.Items;
import dev.berth.core.sweep.SweepValue.Scalar;
import dev.berth.core.sweep.SweepValue.Section;
import java.util.ArrayList;
import java.util.List;

/**
 * Parameters of a sweep as a job file has them: a map of names and values, {@code {lr: [0.1, 0.01], seed: 1..5}}, or texts
 * as in the command line, {@code ['lr=0.1,0.01', seed=1..5]}.
 */
final class SweepAxes {
    private SweepAxes() {}

    /** Each as {@code NAME=VALUES}. */
    static List<String> texts(String key, SweepValue value) {
        return value instanceof Section map ? ofMap(key, map) : ofTexts(key, value);
    }

    private static List<String> ofMap(String key, Section map) {
        if (map.entries().isEmpty()) {
            throw new SweepRefusal(
                    map.place(), key + " names no parameter; for example " + key + ": {lr: [0.1, 0.01]}");
        }
        List<String> texts = new ArrayList<>();
        map.entries().forEach((name, values) -> {
            if (name.isEmpty() || name.indexOf('=') >= 0) {
                throw new SweepRefusal(values.place(), key + " has a name that is empty or has a '=' in it");
            }
            texts.add(name + "=" + values(key + "." + name, values));
        });
        return texts;
    }

    private static String values(String key, SweepValue value) {
        return switch (value) {
            case Scalar _ -> BerthFile.text(key, value);
            case Items list
            when list.items().isEmpty() ->
                throw new SweepRefusal(value.place(), key + " has no values; write some, or leave it out");
            case Items _ ->
                String.join(
                        ",",
                        BerthFile.items(key, value).stream()
                                .map(SweepAxes::whole)
                                .toList());
            case Section _ ->
                throw new SweepRefusal(
                        value.place(),
                        key + " takes a list of values and has a map; a parameter in a map of the program's is written "
                                + key.substring(key.indexOf('.') + 1) + ".NAME: [0.1, 0.01]");
        };
    }

    /** The value of a list as it stands in a text: a comma of its own does not end it. */
    private static String whole(String value) {
        return value.replace("\\", "\\\\").replace(",", "\\,");
    }

    private static List<String> ofTexts(String key, SweepValue value) {
        List<String> texts = BerthFile.items(key, value);
        for (String text : texts) {
            if (value instanceof Items && text.indexOf('=') < 0) {
                throw new SweepRefusal(
                        value.place(),
                        key + ": '" + text + "' is no name with values: YAML ends an item of a list at a comma; write "
                                + key + ": {lr: [0.1, 0.01]}, or put each in quotes, as in " + key
                                + ": ['lr=0.1,0.01']");
            }
        }
        return texts;
    }
}
