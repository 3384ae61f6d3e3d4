package dev.berth.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * One job, or one task of an array, as everybody tells of it.
 *
 * @param entry what its client wanted and was told
 * @param view what the server says at the end
 * @param starts what its programs noted, an attempt each
 * @param putOffs how many of its attempts were put off before anything of them was started
 * @param struck every fault of the run
 */
record Case(Ledger.Entry entry, JsonNode view, List<Notes> starts, int putOffs, List<Struck> struck)
        implements Awaited {
    /** How long after a fault something may still come of it. */
    private static final long AFTERMATH_NANOS = 3_000_000_000L;

    /** By how much two readings of two clocks may differ. */
    static final long SLACK_NANOS = 50_000_000L;

    private static final String START_LOST =
            "the container engine, a part of it or the connection to it ended while it was to start the program";

    static final Set<String> FINAL = Set.of("COMPLETED", "FAILED", "TIMEOUT", "OUT_OF_MEMORY", "LOST", "CANCELLED");

    @Override
    public long id() {
        return view.path("id").asLong();
    }

    /** As people name it. */
    String number() {
        return view.path("number").asText();
    }

    boolean isTask() {
        return view.path("arrayId").isNumber();
    }

    /** The array that it is a task of. */
    long array() {
        return view.path("arrayId").asLong();
    }

    @Override
    public String state() {
        return view.path("state").asText();
    }

    boolean isOver() {
        return FINAL.contains(state());
    }

    /** By its program's last note, and by the server's date where none ran. */
    @Override
    public long over() {
        return starts.isEmpty()
                ? monotonic(view.path("endedAt").asText()) - SLACK_NANOS
                : starts.getLast().last();
    }

    /** Whether the server says that it had ended by then. */
    boolean hadEnded(long at) {
        return monotonic(view.path("endedAt").asText()) <= at + SLACK_NANOS;
    }

    /** Whether it ended unstarted, by another job. */
    boolean failedByDependency() {
        return view.path("reason").asText().equals("DEPENDENCY_FAILED");
    }

    String sentence() {
        return view.path("sentence").asText();
    }

    /** Whether such a fault struck this job while this start of it lived. */
    boolean struck(Notes start, Predicate<Fault> faults) {
        return struck(start.begin(), start.last(), faults);
    }

    /** Whether the daemon, or the connection to it, ended while it was asked for this start, so that nobody listened to what came of it. */
    boolean startWasLost(Notes start) {
        boolean isLast = start.attempt() == view.path("attempt").asInt();
        return struckAtBegin(start, Fault::losesStarts)
                && (!isLast || sentence().startsWith(START_LOST));
    }

    /** Whether such a fault struck it between its start and its end, as the server tells of them. */
    boolean struck(Predicate<Fault> faults) {
        long end = monotonic(view.path("endedAt").asText());
        String startedAt = view.path("startedAt").asText("");
        return struck(startedAt.isEmpty() ? end : monotonic(startedAt), end, faults);
    }

    /** Whether such a fault struck it between its submit and its end. */
    boolean struckInItsLife(Predicate<Fault> faults) {
        return struck(
                monotonic(view.path("submittedAt").asText()),
                monotonic(view.path("endedAt").asText()),
                faults);
    }

    /** Whether such a fault struck it within a time before its end. */
    boolean struckBefore(Duration time, Predicate<Fault> faults) {
        long end = monotonic(view.path("endedAt").asText());
        return struck(end - time.toNanos(), end, faults);
    }

    /** Whether such a fault struck this job when this start of it began. */
    boolean struckAtBegin(Notes start, Predicate<Fault> faults) {
        return struck(start.begin(), start.begin(), faults);
    }

    private boolean struck(long from, long to, Predicate<Fault> faults) {
        return struck.stream()
                .anyMatch(one -> faults.test(one.fault())
                        && one.isOn(id())
                        && one.overlaps(from - AFTERMATH_NANOS, to + AFTERMATH_NANOS));
    }

    /** A date in nanoseconds of the machine's monotonic clock. */
    static long monotonic(String instant) {
        return System.nanoTime()
                - Duration.between(Instant.parse(instant), Instant.now()).toNanos();
    }

    @Override
    public String toString() {
        return "job " + number() + " (" + entry.wish() + ", attempt " + view.path("attempt") + ") is " + state() + ": "
                + sentence() + "; it noted " + starts;
    }
}
