package dev.berth.server.simulation;

import java.util.function.Supplier;

/** What must hold whatever happens. */
enum Law {
    ONE_HOLDER("a GPU runs the programs of one job"),
    ONE_START(
            "a program is started once, and again only where its job said --requeue and the machine lost it, or asked for a"
                    + " retry after such an end"),
    RETRIES("a job is retried as often as it asked for, not before the delay that it asked for, and no more"),
    ATTEMPTS_KEPT("each attempt of a job before its last is there as it was"),
    LOOKED_AT("GPUs were found free before a container was made on them"),
    SERVED("a container is made only on GPUs that its server allocates"),
    CLEAN("what a program left on a GPU has been looked at before the next one is there"),
    DURABLE("what was acknowledged is there, once"),
    IN_ORDER("first in, first out"),
    ONE_SIGNAL(
            "a program is sent its signal once, not early and not behind its stop, and again only where it may not have been sent"),
    READY("no job starts before what it waits for has ended as asked, or before its date"),
    THROTTLE("no more tasks of an array run at once than it asks for"),
    WHOLE_ARRAY("each task of an array has its turn or ends with it, and the array ends with the last of them"),
    WHOLE_PACK(
            "a task that its pack did not come to runs in a container of its own, unless nobody knows whether it had begun"),
    NO_TASK_MORE(
            "no task starts of an array that is held or cancelled, and those that run of a cancelled one are stopped"),
    ONE_BY_ONE("where jobs start one by one, no start is sent while that of an earlier one is in question"),
    TRUE_END("a job ends as its program did, and says so"),
    LOST_IS_LOST("LOST is said of what was lost, and of nothing else"),
    WHOLE_LOG("the log is what the program wrote: nothing missing, nothing doubled"),
    FILES_STAY("a program that runs keeps its files"),
    NOTHING_LEFT("no container is left behind, and none of its files"),
    OTHERS_ALONE("containers of others are left alone"),
    NEW_IDS("an id is assigned once"),
    FORECAST("a job starts by when it was said to start at the latest, as long as nothing else goes wrong"),
    OWN_JOBS("a job is its submitter's, and no other user steers it"),
    ANSWERED("whoever asks is answered, or told that the server ends"),
    COMES_TO_REST("everything ends once nothing stands in its way"),
    STANDS("the server does not end by itself");

    private final String sentence;

    Law(String sentence) {
        this.sentence = sentence;
    }

    String sentence() {
        return sentence;
    }

    /** Breaks the run off where this law does not hold. */
    void require(boolean holds, Supplier<String> what) {
        if (!holds) {
            throw new Violation(this, what.get(), null);
        }
    }
}
