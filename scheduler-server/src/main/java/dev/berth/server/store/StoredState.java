package dev.berth.server.store;

import dev.berth.core.job.JobState;
import dev.berth.core.job.StateName;
import java.util.List;

/**
 * The words of the column {@code job.state}: the names of the states, and words of their own for jobs that are not ready and
 * for arrays that hold nothing themselves.
 */
final class StoredState {
    /** Not ready, and so none of those of whom the first is next; everybody else sees it as queued. */
    static final String DEFERRED = "DEFERRED";

    /** An array whose tasks have all had their turn; everybody else sees it as running. */
    static final String DISPATCHED = "DISPATCHED";

    private StoredState() {}

    static String word(JobState state) {
        return switch (state) {
            case JobState.Deferred _ -> DEFERRED;
            case JobState.Dispatched _ -> DISPATCHED;
            default -> state.name().name();
        };
    }

    /** The name of the state that a word is shown as. */
    static String shown(String word) {
        return switch (word) {
            case DEFERRED -> StateName.QUEUED.name();
            case DISPATCHED -> StateName.RUNNING.name();
            default -> word;
        };
    }

    /** The words of all jobs that are shown in a state. */
    static List<String> words(StateName state) {
        return switch (state) {
            case QUEUED -> List.of(state.name(), DEFERRED);
            case RUNNING -> List.of(state.name(), DISPATCHED);
            default -> List.of(state.name());
        };
    }
}
