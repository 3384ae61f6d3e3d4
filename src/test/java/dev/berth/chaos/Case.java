package dev.berth.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

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

    /** How long after the last note of a program its pack may be told of its end. */
    private static final long END_NANOS = 1_000_000_000L;

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

    /** The number of the pack that it is, or was, to run in; 0 for none. Those of an array's packs follow those of its tasks. */
    private long pack() {
        Wish.Tasks tasks = entry.wish().tasks();
        return isTask() && tasks.isPacked() ? array() + tasks.count() + 1 + block() : 0;
    }

    /** Which of its array's packs that is, from 0 on. */
    private int block() {
        return view.path("taskIndex").asInt() / entry.wish().tasks().pack();
    }

    /** The same as people name it. */
    String packNumber() {
        Wish.Tasks tasks = entry.wish().tasks();
        int first = block() * tasks.pack();
        int last = Math.min(tasks.count(), first + tasks.pack()) - 1;
        return array() + "_[" + first + (first == last ? "" : "-" + last) + "]";
    }

    /** Those of its earlier attempts that were followed by a retry, as the server tells of them. */
    List<JsonNode> retried() {
        return earlier().filter(attempt -> attempt.path("retried").asBoolean()).toList();
    }

    /** The attempts that were followed by another, as the server tells of them. */
    Stream<JsonNode> earlier() {
        return StreamSupport.stream(view.path("earlierAttempts").spliterator(), false);
    }

    /** Whether its last attempt took notes. */
    boolean lastHasRun() {
        return !starts.isEmpty()
                && starts.getLast().attempt() == view.path("attempt").asInt();
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
        return struck(start, start.begin() - AFTERMATH_NANOS, start.last() + AFTERMATH_NANOS, faults);
    }

    /** Whether such a fault struck the container of this start about when its program ended. */
    boolean struckAtEnd(Notes start, Predicate<Fault> faults) {
        return struck(start, start.last() - SLACK_NANOS, start.last() + END_NANOS, faults);
    }

    private boolean struck(Notes start, long from, long to, Predicate<Fault> faults) {
        long container = start.isPacked() ? pack() : id();
        return struck.stream()
                .anyMatch(one -> faults.test(one.fault()) && one.isOn(container) && one.overlaps(from, to));
    }

    /** Whether the daemon, or the connection to it, ended while it was asked for this start, so that nobody listened to what came of it. */
    boolean startWasLost(Notes start) {
        boolean isLast = start.attempt() == view.path("attempt").asInt();
        return struckAtBegin(start, Fault::losesStarts)
                && (!isLast || sentence().contains(START_LOST));
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

    /**
     * Whether something is known to have ended its pack, since it was submitted and before a time, or may have lost the start of it.
     *
     * @param begun the tasks that have begun in the pack
     */
    boolean packWasStruck(long before, List<Notes> begun) {
        long submitted = monotonic(view.path("submittedAt").asText());
        return struck.stream()
                .filter(one -> one.isOn(pack()) && one.overlaps(submitted, before))
                .anyMatch(one -> one.fault().endsJobs()
                        || one.fault() == Fault.CONTAINER_REMOVED
                        || one.fault() == Fault.ENGINE_STOPPED_KEEPING
                        || (one.fault().losesStarts() && isAtStart(one, begun)));
    }

    private static boolean isAtStart(Struck one, List<Notes> begun) {
        return begun.stream().mapToLong(Notes::begin).min().stream()
                .allMatch(first -> one.overlaps(first - AFTERMATH_NANOS, first + AFTERMATH_NANOS));
    }

    /** Whether such a fault struck it within a time before an end of it, which the server tells of. */
    boolean struckBefore(JsonNode end, Duration time, Predicate<Fault> faults) {
        long at = monotonic(end.path("endedAt").asText());
        return struck(at - time.toNanos(), at, faults);
    }

    /** Whether such a fault struck this job when this start of it began. */
    boolean struckAtBegin(Notes start, Predicate<Fault> faults) {
        return struck(start, start.begin() - AFTERMATH_NANOS, start.begin() + AFTERMATH_NANOS, faults);
    }

    private boolean struck(long from, long to, Predicate<Fault> faults) {
        return struck.stream()
                .anyMatch(one -> faults.test(one.fault())
                        && (one.isOn(id()) || one.isOn(pack()))
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
