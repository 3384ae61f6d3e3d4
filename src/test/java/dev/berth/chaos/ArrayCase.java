package dev.berth.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * One array as everybody tells of it.
 *
 * @param entry what its client wanted and was told
 * @param view what the server says at the end
 * @param tasks all its tasks, also those that had no turn
 */
record ArrayCase(Ledger.Entry entry, JsonNode view, List<Case> tasks) implements Awaited {
    private static final Set<String> CANCELLED_OR_COMPLETED = Set.of("CANCELLED", "COMPLETED");

    /** The arrays of these jobs' tasks; {@code views} has what the server says of each. */
    static List<ArrayCase> of(List<Case> jobs, Map<Long, JsonNode> views) {
        Map<Long, List<Case>> tasks = jobs.stream()
                .filter(Case::isTask)
                .collect(Collectors.groupingBy(Case::array, TreeMap::new, Collectors.toList()));
        return tasks.entrySet().stream()
                .map(array -> new ArrayCase(
                        array.getValue().getFirst().entry(),
                        Objects.requireNonNull(views.get(array.getKey())),
                        array.getValue()))
                .toList();
    }

    @Override
    public long id() {
        return view.path("id").asLong();
    }

    @Override
    public String state() {
        return view.path("state").asText();
    }

    /** As the last of its tasks. */
    @Override
    public long over() {
        return tasks.stream().mapToLong(Case::over).max().orElseThrow();
    }

    boolean isOver() {
        return Case.FINAL.contains(state());
    }

    /** When it ended, as the server says, in nanoseconds of the machine's monotonic clock. */
    long ended() {
        return Case.monotonic(view.path("endedAt").asText());
    }

    /** All starts of all its tasks. */
    List<Notes> starts() {
        return tasks.stream().flatMap(task -> task.starts().stream()).toList();
    }

    /** How many of its tasks ended in which state, by their own views. */
    Map<String, Long> states() {
        return tasks.stream().collect(Collectors.groupingBy(Case::state, TreeMap::new, Collectors.counting()));
    }

    /** The same as the array itself says. */
    Map<String, Long> toldStates() {
        Map<String, Long> told = new TreeMap<>();
        view.path("tasks")
                .path("states")
                .properties()
                .forEach(state -> told.put(state.getKey(), state.getValue().asLong()));
        return told;
    }

    /** The state in which it ends by those of its tasks. */
    String stateOfTasks() {
        Set<String> states = states().keySet();
        if (states.equals(Set.of("COMPLETED"))) {
            return "COMPLETED";
        }
        return CANCELLED_OR_COMPLETED.containsAll(states) ? "CANCELLED" : "FAILED";
    }

    @Override
    public String toString() {
        return "array " + id() + " (" + entry.wish() + ") is " + state() + ": "
                + view.path("sentence").asText() + "; it says " + view.path("tasks") + ", and its tasks are "
                + states();
    }
}
