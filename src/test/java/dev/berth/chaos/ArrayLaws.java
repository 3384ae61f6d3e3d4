package dev.berth.chaos;

import java.util.List;

/** How many tasks of an array ran at once, as they noted, and how it ended, against how they did. */
final class ArrayLaws {
    private final Violations violations;

    ArrayLaws(Violations violations) {
        this.violations = violations;
    }

    void hold(ArrayCase array) {
        holdThrottle(array);
        holdEnd(array);
    }

    /** When a program begins, no more of its array live than may, itself among them. */
    private void holdThrottle(ArrayCase array) {
        int atOnce = array.entry().wish().tasks().atOnce();
        List<Notes> starts = array.starts();
        for (Notes begun : starts) {
            List<String> together = starts.stream()
                    .filter(other -> other.isAliveAt(begun))
                    .map(Notes::job)
                    .toList();
            violations.unless(
                    atOnce == 0 || together.size() <= atOnce, ChaosLaw.THROTTLE, together + " ran at once: " + array);
        }
    }

    /** It ends behind its last task, in the state that they give it, or as it was cancelled. */
    private void holdEnd(ArrayCase array) {
        if (!array.isOver()) {
            violations.add(ChaosLaw.ARRAY_END, "it never ended: " + array);
            return;
        }
        int count = array.entry().wish().tasks().count();
        violations.unless(
                array.tasks().size() == count
                        && array.view().path("tasks").path("count").asInt() == count
                        && array.toldStates().equals(array.states()),
                ChaosLaw.ARRAY_END,
                "not its tasks: " + array);
        violations.unless(
                array.tasks().stream().allMatch(Case::isOver) && array.over() <= array.ended() + Case.SLACK_NANOS,
                ChaosLaw.ARRAY_END,
                "it ended before a task: " + array);
        boolean isCancelled = array.state().equals("CANCELLED");
        violations.unless(
                (isCancelled && array.entry().cancelTried()) || array.state().equals(array.stateOfTasks()),
                ChaosLaw.ARRAY_END,
                "its tasks give it another state: " + array);
        violations.unless(
                isCancelled || array.entry().cancelled().isEmpty(),
                ChaosLaw.ARRAY_END,
                "its cancel was acknowledged: " + array);
    }
}
