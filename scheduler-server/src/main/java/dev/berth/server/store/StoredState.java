package dev.berth.server.store;

import dev.berth.core.job.JobState;
import dev.berth.core.job.StateName;
import dev.berth.core.job.StopCause;
import java.time.Instant;
import java.util.List;

/**
 * The words of the column {@code job.state}: the names of the states, and words of their own for jobs that are not ready, and for
 * arrays and tasks in packs that hold nothing themselves.
 */
final class StoredState {
    /** Not ready, and so none of those of whom the first is next; everybody else sees it as queued. */
    static final String DEFERRED = "DEFERRED";

    /** An array whose tasks have all had their turn; everybody else sees it as running. */
    static final String DISPATCHED = "DISPATCHED";

    /** A task in a pack whose program has not begun; everybody else sees it as queued. */
    static final String PACKED = "PACKED";

    /** One whose program runs. */
    static final String PACKED_RUNNING = "PACKED_RUNNING";

    /** One that is to end, or not to begin. */
    static final String PACKED_STOPPING = "PACKED_STOPPING";

    /** In the queue of a target's engine; everybody else sees it as queued. */
    static final String HANDED_OVER = "HANDED_OVER";

    /** Set aside in that queue; everybody else sees it as held. */
    static final String HANDED_OVER_HELD = "HANDED_OVER_HELD";

    /** All words that are no names of states. */
    static final List<String> OWN_WORDS =
            List.of(DEFERRED, DISPATCHED, PACKED, PACKED_RUNNING, PACKED_STOPPING, HANDED_OVER, HANDED_OVER_HELD);

    private StoredState() {}

    static String word(JobState state) {
        return switch (state) {
            case JobState.Deferred _ -> DEFERRED;
            case JobState.Dispatched _ -> DISPATCHED;
            case JobState.HandedOver(int _, boolean isHeld) -> isHeld ? HANDED_OVER_HELD : HANDED_OVER;
            case JobState.Packed(Instant startedAt, StopCause stop) ->
                stop != null ? PACKED_STOPPING : startedAt == null ? PACKED : PACKED_RUNNING;
            default -> state.name().name();
        };
    }

    /** The name of the state that a word is shown as. */
    static String shown(String word) {
        return switch (word) {
            case DEFERRED, PACKED, HANDED_OVER -> StateName.QUEUED.name();
            case HANDED_OVER_HELD -> StateName.HELD.name();
            case DISPATCHED, PACKED_RUNNING -> StateName.RUNNING.name();
            case PACKED_STOPPING -> StateName.STOPPING.name();
            default -> word;
        };
    }

    /** The words of all jobs that are shown in a state. */
    static List<String> words(StateName state) {
        return switch (state) {
            case QUEUED -> List.of(state.name(), DEFERRED, PACKED, HANDED_OVER);
            case HELD -> List.of(state.name(), HANDED_OVER_HELD);
            case RUNNING -> List.of(state.name(), DISPATCHED, PACKED_RUNNING);
            case STOPPING -> List.of(state.name(), PACKED_STOPPING);
            default -> List.of(state.name());
        };
    }
}
