package dev.berth.cli.output;

import dev.berth.core.parameter.TaskParameters;
import java.util.Map;

/**
 * Task that a sweep would have, as programs read it.
 *
 * @param task its index
 * @param parameters those that tell it from others, as its command has them
 */
record PlannedTask(int task, Map<String, String> parameters) {
    static PlannedTask of(TaskParameters task) {
        return new PlannedTask(task.index(), task.shown());
    }
}
