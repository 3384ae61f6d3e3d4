package dev.berth.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A job, or an array, as a client wants it.
 *
 * @param number which of all wishes it is; its job's notes are found by it
 * @param millis how long its program runs
 * @param code what the program's first attempt ends with where nobody ends it, see {@link #code}
 * @param heeds whether it ends at a SIGTERM
 * @param requeue whether it may be started again when the machine loses it
 * @param limitSeconds its time limit, 0 for none
 * @param steering what its client does with it afterwards
 * @param followed whether somebody follows its log
 * @param typed whether it is submitted by the command; else over the API
 * @param after how the job that was accepted before it has to end before it starts; empty where it waits for none
 * @param tasks those that it has as an array
 * @param retries how often it is to be tried again where its program fails
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
        String after,
        Tasks tasks,
        Retries retries) {
    private static final String PREFIX = "chaos-";
    private static final int GPUS_AT_MOST = 3;
    private static final int TASK_GPUS_AT_MOST = 1;

    /** More attempts than any has; a code stays below those of signals. */
    private static final int CODES = 25;

    private static final List<String> AFTER = List.of("afterok", "afterany", "afternotok");

    enum Steering {
        LEFT_ALONE,
        CANCELLED,
        HELD
    }

    /**
     * The tasks of an array, by indices from 0 on.
     *
     * @param count how many there are, 0 where the job is no array
     * @param atOnce how many of them may run at the same time, 0 for as many as there is room for
     * @param pack how many of them share a container, 0 where each has one of its own
     * @param parallel how many of those may run at the same time
     */
    record Tasks(int count, int atOnce, int pack, int parallel) {
        static final Tasks NONE = new Tasks(0, 0);

        /** Those of an array without packs. */
        Tasks(int count, int atOnce) {
            this(count, atOnce, 0, 0);
        }

        private static Tasks of(SplittableRandom random) {
            Tasks alone = new Tasks(random.nextInt(3, 7), chance(random, 60) ? random.nextInt(1, 3) : 0);
            if (!chance(random, 60)) {
                return alone;
            }
            int pack = random.nextInt(2, 5);
            int most = alone.atOnce() == 0 ? pack : Math.min(pack, alone.atOnce());
            return new Tasks(alone.count(), alone.atOnce(), pack, random.nextInt(1, most + 1));
        }

        boolean isPacked() {
            return pack > 0;
        }

        /** As the option and the API's field name them. */
        String text() {
            return "0-" + (count - 1) + (atOnce == 0 ? "" : "%" + atOnce);
        }
    }

    /**
     * How a job is to be tried again where its program ends with another code than 0.
     *
     * @param most how often at most, 0 for never
     * @param delaySeconds how long after that
     * @param atEnd whether at the end of the queue
     * @param failures how many attempts fail before one does not
     */
    record Retries(int most, int delaySeconds, boolean atEnd, int failures) {
        static final Retries NONE = new Retries(0, 0, false, Integer.MAX_VALUE);

        /** Of some the last attempt fails, too. */
        private static Retries of(SplittableRandom random) {
            int most = random.nextInt(1, 3);
            return new Retries(most, random.nextInt(2), chance(random, 50), random.nextInt(1, most + 2));
        }
    }

    /** A likely one; the tasks of an array are short, and as a rule some of them run at once. */
    static Wish of(int number, SplittableRandom random) {
        boolean lasting = chance(random, 20);
        int millis = lasting ? 5_000 + random.nextInt(7_000) : 300 + random.nextInt(3_000);
        Tasks tasks = lasting || !chance(random, 20) ? Tasks.NONE : Tasks.of(random);
        boolean isArray = !tasks.equals(Tasks.NONE);
        int code = chance(random, 60) ? 0 : random.nextInt(1, 100);
        Retries retries = lasting || code == 0 || !chance(random, 50) ? Retries.NONE : Retries.of(random);
        int steered = random.nextInt(100);
        return new Wish(
                number,
                random.nextInt(1 + (isArray ? TASK_GPUS_AT_MOST : GPUS_AT_MOST)),
                millis,
                code,
                chance(random, 90),
                chance(random, 35),
                lasting && chance(random, 25) ? 2 : 0,
                steered < 14 ? Steering.CANCELLED : steered < 22 ? Steering.HELD : Steering.LEFT_ALONE,
                (lasting || isArray) && chance(random, 50),
                chance(random, 50),
                chance(random, 15) ? AFTER.get(random.nextInt(AFTER.size())) : "",
                tasks,
                retries);
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

    boolean isArray() {
        return tasks.count() > 0;
    }

    /** The name of the notes that its program takes, as the server tells of the job, or the task. */
    String notes(JsonNode view) {
        return isArray() ? task(Integer.toString(number), view.path("taskIndex").asInt()) : Integer.toString(number);
    }

    /** The names of all notes that its programs may take. */
    List<String> notes() {
        String name = Integer.toString(number);
        return isArray()
                ? IntStream.range(0, tasks.count())
                        .mapToObj(index -> task(name, index))
                        .toList()
                : List.of(name);
    }

    /** What somebody follows the log of: the job, or of an array the task whose turn comes last. */
    String followed(long id) {
        return isArray() ? task(Long.toString(id), tasks.count() - 1) : Long.toString(id);
    }

    private static String task(String array, int index) {
        return array + "_" + index;
    }

    /** What an attempt ends with where nobody ends it: one that fails with another code than the one before. */
    int code(int attempt) {
        return code == 0 || attempt > retries.failures() ? 0 : code + attempt - 1;
    }

    List<String> command() {
        String codes = IntStream.rangeClosed(1, CODES)
                .mapToObj(attempt -> Integer.toString(code(attempt)))
                .collect(Collectors.joining(","));
        return List.of("chaos.py", "" + number, "" + millis, codes, heeds ? "heeds" : "ignores");
    }
}
