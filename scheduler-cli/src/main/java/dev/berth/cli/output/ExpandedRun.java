package dev.berth.cli.output;

import dev.berth.core.sweep.SweepRun;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Run of a sweep as programs read it.
 *
 * @param name of the run, which its repetitions share
 */
record ExpandedRun(
        String experiment, String name, String directory, int repetition, Map<String, @Nullable Object> params) {
    static ExpandedRun of(SweepRun run) {
        return new ExpandedRun(run.experiment(), run.name(), run.directory(), run.repetition(), run.params());
    }
}
