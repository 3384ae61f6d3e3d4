package dev.berth.cli.command.submit;

import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Given;
import dev.berth.cli.line.OptionLayer;
import dev.berth.core.option.JobOption;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Options of a job from all places where they are given. What the first of them says of a field of the API counts; of
 * variables each counts for itself.
 *
 * @param layers what counts more first
 * @param sweepFile the sweep file that says which tasks there are, as the user wrote it; empty for none
 */
record GivenOptions(List<OptionLayer> layers, String sweepFile) {
    /** The row of a dry run that says how many tasks there are. */
    private static final String TASKS = "tasks";

    private static final List<JobOption> OF_SWEEPS = List.of(JobOption.SWEEP, JobOption.ZIP, JobOption.SAMPLE);

    GivenOptions {
        layers = List.copyOf(layers);
    }

    GivenOptions(List<OptionLayer> layers) {
        this(layers, "");
    }

    /** Whether a sweep file says which tasks there are. */
    boolean isOfSweepFile() {
        return !sweepFile.isEmpty();
    }

    /** The options that give a sweep its parameters, as far as they are given. */
    List<Given> sweep() {
        List<Given> sweep = new ArrayList<>();
        for (JobOption option : OF_SWEEPS) {
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
        Set<String> origins = new LinkedHashSet<>();
        boolean isOfTasks = field.equals(TASKS) || field.equals(JobOption.ARRAY.field());
        if (isOfTasks && isOfSweepFile()) {
            origins.add(sweepFile);
        }
        if (isOfTasks) {
            OF_SWEEPS.forEach(option -> addOrigins(option, origins));
        }
        JobOption.of(isOfTasks ? JobOption.ARRAY.field() : field).forEach(option -> addOrigins(option, origins));
        return String.join(", ", origins);
    }

    private void addOrigins(JobOption option, Set<String> origins) {
        for (OptionLayer layer : layers(option.field())) {
            Given given = layer.get(option);
            if (given != null) {
                origins.add(origin(option, given));
            }
        }
    }

    /** The place where an option is given, for people: itself by its usual name in the line, or the line of a file. */
    static String origin(JobOption option, Given given) {
        return given.place().isEmpty() ? "--" + option.key() : given.place();
    }
}
