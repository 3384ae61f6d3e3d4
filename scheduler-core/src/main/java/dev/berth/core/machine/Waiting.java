package dev.berth.core.machine;

import dev.berth.core.job.Dependency;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobState.Held;
import dev.berth.core.job.Unmet;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The one true sentence about a queued job.
 *
 * @param reason the code for programs
 * @param sentence who or what it waits for, for people
 */
public record Waiting(QueueReason reason, String sentence) {
    /** The number of holders that a sentence names before it counts the rest. */
    private static final int MAX_NAMED = 4;

    private static final String FIRST = "first in the queue; ";

    /**
     * The reason why {@code job} waits on {@code machine}. Of other jobs it tells no more than their numbers and what
     * they hold.
     *
     * @param ahead how many queued jobs of its lane were accepted before it
     * @param pull how far the pull of its own image is, empty where nothing is known
     */
    public static Waiting of(Machine machine, Job job, long ahead, Optional<String> pull) {
        if (!machine.isStarting()) {
            return ofStarts(machine.starts());
        }
        if (machine.isThrottled(job)) {
            return new Waiting(QueueReason.ARRAY_THROTTLE, throttle(machine, job));
        }
        String target = job.spec().target();
        if (target != null) {
            return machine.isTargetFull(job)
                    ? new Waiting(QueueReason.TARGET_FULL, full(target, machine.atTarget(target)))
                    : new Waiting(QueueReason.AT_TARGET, "goes to target " + target + " now");
        }
        boolean isNext = machine.next(machine.laneOf(job))
                .filter(next -> next.id().equals(job.id()))
                .isPresent();
        if (machine.capacity().order().passesPulling() && !Machine.hasImage(job)) {
            return new Waiting(QueueReason.PULLING_IMAGE, (ahead == 0 ? FIRST : "") + ofImage(job, pull));
        }
        if (ahead == 0 || isNext) {
            Waiting own = ofHead(machine, job, ofImage(job, pull));
            String place = ahead == 0 ? FIRST : "first of those " + passing(machine, job) + "; ";
            return new Waiting(own.reason, place + own.sentence);
        }
        // It may be another user's: its image, and what a registry says of it, are theirs.
        Waiting head = ofHead(machine, headBefore(machine, job), "waits for its image");
        String others = ahead == 1 ? "one job is" : ahead + " jobs are";
        String first = machine.next(machine.laneOf(job))
                .map(front -> "; job " + front.number() + " is first and " + head.sentence)
                .orElse("");
        return new Waiting(QueueReason.BEHIND_HEAD, others + " ahead of it" + first);
    }

    private static String full(String target, long jobs) {
        return target + " has " + (jobs == 1 ? "one job" : jobs + " jobs")
                + " of this server, as many as it may; it goes there once "
                + (jobs == 1 ? "that" : "one of them") + " has ended";
    }

    /** Those among which a job is first that has others before it. */
    private static String passing(Machine machine, Job job) {
        return machine.inTurn(machine.laneOf(job))
                        .takeWhile(other -> other.place() < job.place())
                        .anyMatch(machine.passedOver(machine.laneOf(job)))
                ? "that may start"
                : "whose image is here";
    }

    /**
     * The reason why a task waits that is no job of its own.
     *
     * @param before the number of tasks of its array that come before it
     * @param array the reason why the array waits
     */
    public static Waiting ofTask(Machine machine, Job task, Waiting array, long before) {
        if (before == 0) {
            return array.reason == QueueReason.ARRAY_THROTTLE
                    ? new Waiting(array.reason, throttle(machine, task))
                    : array;
        }
        boolean isOfArray = array.reason == QueueReason.ARRAY_THROTTLE
                || array.reason == QueueReason.SERVER_PAUSED
                || array.reason == QueueReason.SERVER_STOPPING;
        String tasks = before == 1 ? "one task of its array comes" : before + " tasks of its array come";
        return new Waiting(
                isOfArray ? array.reason : QueueReason.ARRAY, tasks + " before it; the array: " + array.sentence);
    }

    private static String throttle(Machine machine, Job job) {
        long busy = machine.busyTasks(job);
        String tasks = job.isArray()
                ? (busy == 1 ? "one" : busy) + " of its tasks"
                : (busy == 1 ? "one task" : busy + " tasks") + " of its array";
        return tasks + (busy == 1 ? " runs, " : " run, ") + untilRoom(job, busy)
                + " at the same time; it keeps its place and holds nobody up";
    }

    /** A pack starts only once all that it runs at the same time may. */
    private static String untilRoom(Job job, long busy) {
        int most = Objects.requireNonNull(job.spec().tasks()).atOnce();
        String pack = job.isArray() ? "its next pack" : job.isPack() ? "this pack" : "its pack";
        return busy >= most
                ? "as many as may"
                : "and with " + pack + " it would be more than the " + most + " that may";
    }

    /**
     * The reason why a job that was set aside waits.
     *
     * @param unmet what it waits for beside its release as of now
     * @param begin the date before which it is not to start, for people; null for none
     */
    public static Waiting of(Machine machine, Job job, Held held, Unmet unmet, @Nullable String begin) {
        if (held.isByServer()) {
            String why = machine.capacity().refusal(job.spec()).orElse("it asked for more than the server had");
            return new Waiting(
                    QueueReason.HELD,
                    cannotRun(why)
                            + "; it keeps its place, and goes on by itself once a"
                            + " server is started that can; berth cancel " + job.number() + " gives it up");
        }
        return new Waiting(
                QueueReason.HELD,
                "held by " + held.by() + "; it keeps its place, and berth release " + job.number() + " lets it go on"
                        + (unmet.isEmpty() ? "" : "; after that it " + inWords(job, unmet, begin)));
    }

    /**
     * The reason why a job waits that is not ready.
     *
     * @param begin the date before which it is not to start, for people; null for none
     */
    public static Waiting of(Job job, Unmet unmet, @Nullable String begin) {
        if (job.retried() > 0 && begin != null) {
            return new Waiting(
                    QueueReason.RETRY_DELAY,
                    "attempt " + (job.state().attempt() - 1) + " failed; " + job.retryInWords() + " may start from "
                            + begin + "; it "
                            + (job.spec().retry().atEnd() ? "went to the end of the queue" : "keeps its place")
                            + " and holds nobody up");
        }
        boolean isForJobs = !unmet.pending().isEmpty() || !unmet.broken().isEmpty();
        return new Waiting(
                isForJobs ? QueueReason.DEPENDENCY : QueueReason.BEGIN_TIME,
                inWords(job, unmet, begin) + "; it keeps its place and holds nobody up");
    }

    private static String inWords(Job job, Unmet unmet, @Nullable String begin) {
        List<String> reasons = new ArrayList<>();
        if (!unmet.broken().isEmpty()) {
            reasons.add("waits for somebody to decide, as "
                    + named(unmet.broken().stream().map(Dependency::toString).toList())
                    + " cannot be met any more: berth release " + job.number() + " lets it go on, berth cancel "
                    + job.number()
                    + " gives it up");
        }
        if (!unmet.pending().isEmpty()) {
            reasons.add(
                    unmet.isTaskByTask()
                            ? "waits with each of its tasks for that of the same index: " + others(unmet)
                            : "waits for the end of " + others(unmet));
        }
        if (begin != null) {
            reasons.add("does not start before " + begin);
        }
        return String.join("; ", reasons);
    }

    private static String others(Unmet unmet) {
        List<String> jobs =
                unmet.pending().stream().map(Dependency::number).distinct().toList();
        return (jobs.size() == 1 ? "job " : "jobs ") + named(jobs) + " ("
                + named(unmet.pending().stream().map(Dependency::toString).toList()) + ")";
    }

    static String cannotRun(String refusal) {
        return "set aside, as this server cannot run it: " + reason(refusal);
    }

    /** The reason in a refusal. What a refusal asks its submitter to do is too late for a job that waits. */
    public static String reason(String refusal) {
        return refusal.split(";", 2)[0];
    }

    /**
     * The reason while the container engine does not answer: anyone who is first waits for that before all else.
     *
     * @param outage since when, and what is known about it
     */
    public Waiting without(String outage) {
        return switch (reason) {
            case AT_TARGET,
                    TARGET_FULL,
                    IN_PACK,
                    DEPENDENCY,
                    BEGIN_TIME,
                    RETRY_DELAY,
                    HELD,
                    SERVER_PAUSED,
                    SERVER_STOPPING -> this;
            case BEHIND_HEAD, ARRAY, ARRAY_THROTTLE -> new Waiting(reason, sentence + "; " + outage);
            case AT_HEAD_WAITING_FOR_GPUS,
                    BEHIND_START,
                    GPU_BUSY_FOREIGN,
                    GPU_DRAINED,
                    GPU_LOCK_HELD,
                    WAITING_FOR_CPUS,
                    WAITING_FOR_MEMORY,
                    WAITING_FOR_WORKER,
                    PULLING_IMAGE,
                    ENGINE_UNREACHABLE,
                    ENGINE_FAILING -> new Waiting(QueueReason.ENGINE_UNREACHABLE, "first in the queue; " + outage);
        };
    }

    private static Waiting ofStarts(Starts starts) {
        return switch (starts) {
            case Starts.Paused(String by, Instant _) ->
                new Waiting(
                        QueueReason.SERVER_PAUSED,
                        "the server was paused by " + by
                                + " and starts nothing new until berth server resume; it keeps its place");
            case Starts.Stopping() ->
                new Waiting(
                        QueueReason.SERVER_STOPPING,
                        "the server is stopping and starts nothing new; it keeps its place");
            case Starts.Allowed() -> throw new IllegalStateException("starts are allowed");
        };
    }

    private static Job headBefore(Machine machine, Job job) {
        return machine.next(machine.laneOf(job)).orElse(job);
    }

    private static String ofImage(Job job, Optional<String> pull) {
        String image = job.spec().image();
        return pull.map(progress -> "waits for image " + image + ": " + progress)
                .orElse("its image " + image + " is being looked for");
    }

    private static Waiting ofHead(Machine machine, Job head, String image) {
        if (!Machine.hasImage(head)) {
            return new Waiting(QueueReason.PULLING_IMAGE, image);
        }
        Lane lane = machine.laneOf(head);
        if (!machine.hasWorker(lane)) {
            return new Waiting(QueueReason.WAITING_FOR_WORKER, "waits for a worker: " + busy(machine, lane));
        }
        return switch (Allotment.of(machine, head)) {
            case Allotment.Granted _ ->
                machine.undecided(lane)
                        .map(before -> new Waiting(QueueReason.BEHIND_START, "waits until " + start(machine, before)))
                        .orElseGet(() -> new Waiting(QueueReason.WAITING_FOR_WORKER, "starts now"));
            case Allotment.Missing(QueueReason reason) -> new Waiting(reason, Shortage.sentence(machine, head, reason));
        };
    }

    private static String start(Machine machine, Job before) {
        String job = "job " + before.number() + ", which had its turn before it, ";
        return machine.capacity().order().startsOneByOne()
                ? job + "has started: jobs start one by one here (queue.start-one-by-one)"
                : job + "is known to get its GPUs";
    }

    private static String busy(Machine machine, Lane lane) {
        List<String> jobs = machine.live().values().stream()
                .filter(job -> machine.laneOf(job) == lane)
                .map(job -> "job " + job.number())
                .toList();
        int workers = machine.capacity().workers(lane);
        return (workers == 1 ? "the only one has " : "all " + workers + " have jobs, ") + named(jobs);
    }

    static String named(List<String> items) {
        String first = items.stream().limit(MAX_NAMED).collect(Collectors.joining(", "));
        return items.size() <= MAX_NAMED ? first : first + " and " + (items.size() - MAX_NAMED) + " more";
    }
}
