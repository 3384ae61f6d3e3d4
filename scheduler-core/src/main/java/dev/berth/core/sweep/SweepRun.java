package dev.berth.core.sweep;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Run of a sweep: one repetition of one choice of parameters. Its texts and maps are made anew each time they are asked for. */
public final class SweepRun {
    private final int number;
    private final Combination combination;
    private final int repetition;

    SweepRun(int number, Combination combination, int repetition) {
        this.number = number;
        this.combination = combination;
        this.repetition = repetition;
    }

    /** The run's place in the order, from 0. */
    public int number() {
        return number;
    }

    public String experiment() {
        return combination.experiment().name();
    }

    /** The name that it has in common with the other repetitions. */
    public String name() {
        return combination.name();
    }

    /** The number of the repetition, from 0. */
    public int repetition() {
        return repetition;
    }

    /** The number of repetitions of its combination. */
    int repetitions() {
        return combination.experiment().repetitions();
    }

    /** The number of those that CW2 runs in one job. */
    int together() {
        return combination.experiment().together();
    }

    /** The number of those that run at the same time. */
    int inParallel() {
        return combination.experiment().inParallel();
    }

    /** The directory that is its own, relative as the file's {@code path} is. */
    public String directory() {
        return Experiment.joined(combination.directory(), "log/rep_") + (repetition < 10 ? "0" : "") + repetition;
    }

    /** All parameters, as {@link SweepValue#plain} has them. */
    public Map<String, @Nullable Object> params() {
        return combination.params().plain();
    }

    /** The names of what the expansions set, such as {@code net.lr}. */
    List<String> names() {
        return combination.settings().stream()
                .map(setting -> setting.axis().dotted())
                .toList();
    }

    /** Where its experiment stands. */
    SourceLine place() {
        return combination.experiment().place();
    }

    /** What the expansions set, such as {@code net.lr=0.5}. */
    public List<String> settings() {
        return combination.settings().stream().map(Setting::shown).toList();
    }
}
