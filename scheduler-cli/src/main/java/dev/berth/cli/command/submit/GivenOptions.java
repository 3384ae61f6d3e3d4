package dev.berth.cli.command.submit;

import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Given;
import dev.berth.cli.line.OptionLayer;
import dev.berth.core.option.JobOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Options of a job from all places where they are given. What the first of them says of a field of the API counts; of
 * variables each counts for itself.
 *
 * @param layers what counts more first
 * @param isOfSweepFile whether a sweep file says which tasks there are
 */
record GivenOptions(List<OptionLayer> layers, boolean isOfSweepFile) {
    GivenOptions {
        layers = List.copyOf(layers);
    }

    GivenOptions(List<OptionLayer> layers) {
        this(layers, false);
    }

    /** The options that give a sweep its parameters, as far as they are given. */
    List<Given> sweep() {
        List<Given> sweep = new ArrayList<>();
        for (JobOption option : List.of(JobOption.SWEEP, JobOption.ZIP, JobOption.SAMPLE)) {
            Given given = get(option);
            if (given != null) {
                sweep.add(given);
            }
        }
        return sweep;
    }

    /** The options of a command line. */
    static GivenOptions of(Arguments line) {
        return new GivenOptions(List.of(OptionLayer.of(line)));
    }

    /** The layers that count for a field, what counts more first. */
    List<OptionLayer> layers(String field) {
        List<OptionLayer> saying = new ArrayList<>();
        for (OptionLayer layer : layers) {
            boolean isFirst = saying.isEmpty() || field.equals(JobOption.ENVIRONMENT.field());
            if (isFirst && layer.says(field)) {
                saying.add(layer);
            }
        }
        return saying;
    }

    boolean has(JobOption option) {
        return get(option) != null;
    }

    /** The option as it counts; null where nobody gives it, or something else is given for the same field. */
    @Nullable
    Given get(JobOption option) {
        for (OptionLayer layer : layers(option.field())) {
            Given given = layer.get(option);
            if (given != null) {
                return given;
            }
        }
        return null;
    }

    /** Its value; null where nobody gives it. */
    @Nullable
    String text(JobOption option) {
        Given given = get(option);
        return given == null ? null : given.text();
    }

    List<String> texts(JobOption option) {
        Given given = get(option);
        return given == null ? List.of() : given.texts();
    }

    /** The places where a value of the job is said, for people; empty where it is not. */
    String origin(String field) {
        List<String> origins = new ArrayList<>();
        for (JobOption option : JobOption.of(field)) {
            for (OptionLayer layer : layers(option.field())) {
                Given given = layer.get(option);
                if (given != null) {
                    origins.add(given.place().isEmpty() ? "--" + option.key() : given.place());
                }
            }
        }
        return String.join(", ", origins);
    }
}
