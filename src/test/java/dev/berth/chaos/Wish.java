package dev.berth.chaos;

import java.util.List;
import java.util.SplittableRandom;

/**
 * A job as a client wants it.
 *
 * @param number which of all wishes it is; its job's notes are found by it
 * @param millis how long its program runs
 * @param code what the program ends with where nobody ends it
 * @param heeds whether it ends at a SIGTERM
 * @param requeue whether it may be started again when the machine loses it
 * @param limitSeconds its time limit, 0 for none
 * @param steering what its client does with it afterwards
 * @param followed whether somebody follows its log
 * @param typed whether it is submitted by the command; else over the API
 * @param after how the job that was accepted before it has to end before it starts; empty where it waits for none
 */
record Wish(
        int number,
        int gpus,
        int millis,
        int code,
        boolean heeds,
        boolean requeue,
        int limitSeconds,
        Steering steering,
        boolean followed,
        boolean typed,
        String after) {
    private static final String PREFIX = "chaos-";
    private static final int GPUS_AT_MOST = 3;

    private static final List<String> AFTER = List.of("afterok", "afterany", "afternotok");

    enum Steering {
        LEFT_ALONE,
        CANCELLED,
        HELD
    }

    /** A likely one. */
    static Wish of(int number, SplittableRandom random) {
        boolean lasting = chance(random, 20);
        int millis = lasting ? 5_000 + random.nextInt(7_000) : 300 + random.nextInt(3_000);
        int steered = random.nextInt(100);
        return new Wish(
                number,
                random.nextInt(GPUS_AT_MOST + 1),
                millis,
                chance(random, 60) ? 0 : random.nextInt(1, 100),
                chance(random, 90),
                chance(random, 35),
                lasting && chance(random, 25) ? 2 : 0,
                steered < 14 ? Steering.CANCELLED : steered < 22 ? Steering.HELD : Steering.LEFT_ALONE,
                lasting && chance(random, 50),
                chance(random, 50),
                chance(random, 15) ? AFTER.get(random.nextInt(AFTER.size())) : "");
    }

    private static boolean chance(SplittableRandom random, int percent) {
        return random.nextInt(100) < percent;
    }

    String name() {
        return PREFIX + number;
    }

    /** The number in a job's name. */
    static int number(String name) {
        return Integer.parseInt(name, PREFIX.length(), name.length(), 10);
    }

    List<String> command() {
        return List.of("chaos.py", "" + number, "" + millis, "" + code, heeds ? "heeds" : "ignores");
    }
}
