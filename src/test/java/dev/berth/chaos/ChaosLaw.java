package dev.berth.chaos;

/** What is counted, and shall be 0. */
enum ChaosLaw {
    SUBMIT_LOST("acknowledged submits lost"),
    SUBMIT_DOUBLED("submits that made two jobs"),
    JOB_LOST("jobs that never ended, or ended without a true reason"),
    WRONG_END("exit codes or end times that are not the program's"),
    STARTED_TWICE("programs started twice in one attempt, or in two at one time"),
    GPU_SHARED("GPUs held by two at one instant, or not those granted"),
    OVERTAKEN("jobs that overtook another"),
    THROTTLE("tasks of arrays that ran beside as many as the throttle lets"),
    PACK("tasks in a container that is not their pack's, or beside more of it than may be, or out of it for no reason"),
    RETRY(
            "retries that nobody asked for, that came too early or were not made, and ends of attempts not the program's"),
    ARRAY_END("arrays that ended before a task did, or otherwise than their tasks say"),
    NOT_READY("jobs that started before the one that they wait for had ended as asked, or failed by it for no reason"),
    LINE_MISSING("log lines missing"),
    LINE_DOUBLED("log lines doubled or out of order"),
    FOLLOWER("followers of logs and events with a gap, a repetition or a bad end"),
    LEFT_OVER("containers, holders of GPUs left over"),
    SERVER("starts that failed, stops that took more than 5 s, refusals that were wrong");

    private final String title;

    ChaosLaw(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }
}
