package dev.berth.core.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The reason why a job stands where it stands.
 *
 * @param reason the stable code, null while it runs
 * @param sentence the one true sentence
 * @param since since when it is in this state
 * @param position its place in the queue from 1, null where it does not wait
 * @param latestStart when its program starts at the latest, null where nobody can tell
 * @param expectedStart about when its program starts by what those that run tell of their ends, null where they do not tell enough
 * @param ahead the first of the jobs that come before it, in their order
 * @param holders who holds what it waits for
 * @param help what would let it start sooner, null where nothing would that can be said
 * @param number what people call it: its id, or {@code 42_7} for a task of an array
 * @param warnings what somebody should know of it beside that, and is so now
 */
public record Explanation(
        long id,
        String state,
        @Nullable String reason,
        String sentence,
        String since,
        @Nullable Long position,
        @Nullable String latestStart,
        @Nullable String expectedStart,
        List<Ahead> ahead,
        List<Holder> holders,
        @Nullable String help,
        List<WarningView> warnings,
        String number) {

    /**
     * A job before it in the queue.
     *
     * @param user whose it is, null where the caller may not see the job
     * @param gpus how many GPUs it asked for
     * @param gpuMilli the same in thousandths of one
     */
    public record Ahead(long job, @Nullable String user, int gpus, int gpuMilli, String number) {}

    /**
     * A job that runs.
     *
     * @param user whose it is, null where it holds no GPU and the caller may not see it
     * @param gpus how many GPUs it holds
     * @param gpuMilli the same in thousandths of one
     * @param since when its program started, null where it is being started
     * @param until when it reaches its time limit, null where it has none
     * @param expectedEnd about when it ends by what it tells, for who may read what it wrote; null where that cannot be told
     */
    public record Holder(
            long job,
            @Nullable String user,
            int gpus,
            int gpuMilli,
            @Nullable String since,
            @Nullable String until,
            @Nullable String expectedEnd,
            String number) {}
}
