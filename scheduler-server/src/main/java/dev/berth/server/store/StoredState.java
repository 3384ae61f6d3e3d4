package dev.berth.server.store;

import dev.berth.core.job.JobState;
import dev.berth.core.job.StateName;
import java.util.List;

/** The words of the column {@code job.state}: the names of the states, and one of its own for jobs that are not ready. */
final class StoredState {
    /** Not ready, and so none of those of whom the first is next; everybody else sees it as queued. */
    static final String DEFERRED = "DEFERRED";

    private StoredState() {}

    static String word(JobState state) {
        return state instanceof JobState.Deferred ? DEFERRED : state.name().name();
    }

    /** The name of the state that a word is shown as. */
    static String shown(String word) {
        return word.equals(DEFERRED) ? StateName.QUEUED.name() : word;
    }

    /** The words of all jobs that are shown in a state. */
    static List<String> words(StateName state) {
        return state == StateName.QUEUED ? List.of(state.name(), DEFERRED) : List.of(state.name());
    }
}
