package dev.berth.core.machine;

import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobState.Held;
import dev.berth.core.job.JobState.Queued;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The one true sentence about a queued job.
 *
 * @param reason the code for programs
 * @param sentence who or what it waits for, for people
 */
public record Waiting(QueueReason reason, String sentence) {
    /** How many holders a sentence names before it counts the rest. */
    private static final int MAX_NAMED = 4;

    /**
     * Why {@code job} waits on {@code machine}.
     *
     * @param ahead how many queued jobs of its lane were accepted before it
     * @param pull how far the pull of the head's image is, empty where nothing is known
     */
    public static Waiting of(Machine machine, Job job, long ahead, Optional<String> pull) {
        if (!machine.isStarting()) {
            return ofStarts(machine.starts());
        }
        Waiting head = ofHead(machine, ahead == 0 ? job : headBefore(machine, job), pull);
        if (ahead == 0) {
            return new Waiting(head.reason, "first in the queue; " + head.sentence);
        }
        String others = ahead == 1 ? "one job is" : ahead + " jobs are";
        String first = machine.window(machine.laneOf(job))
                .head()
                .map(front -> "; job " + front.id() + " is first and " + head.sentence)
                .orElse("");
        return new Waiting(QueueReason.BEHIND_HEAD, others + " ahead of it" + first);
    }

    /** Why a job that was set aside waits. */
    public static Waiting of(Job job, Held held) {
        return new Waiting(
                QueueReason.HELD,
                "held by " + held.by() + "; it keeps its place, and berth release " + job.id() + " lets it go on");
    }

    /**
     * The same while the container engine does not answer: whoever is first waits for that before all else.
     *
     * @param outage since when, and what is known about it
     */
    public Waiting without(String outage) {
        return switch (reason) {
            case HELD, SERVER_PAUSED, SERVER_STOPPING -> this;
            case BEHIND_HEAD -> new Waiting(reason, sentence + "; " + outage);
            case AT_HEAD_WAITING_FOR_GPUS,
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
        return machine.window(machine.laneOf(job)).head().orElse(job);
    }

    private static Waiting ofHead(Machine machine, Job head, Optional<String> pull) {
        if (head.state() instanceof Queued(int _, ImageState.Pending _)) {
            String image = head.spec().image();
            return new Waiting(
                    QueueReason.PULLING_IMAGE,
                    pull.map(progress -> "waits for image " + image + ": " + progress)
                            .orElse("its image " + image + " is being looked for"));
        }
        Lane lane = machine.laneOf(head);
        if (machine.busyWorkers(lane) >= machine.capacity().workers(lane)) {
            return new Waiting(QueueReason.WAITING_FOR_WORKER, "waits for a worker: " + busy(machine, lane));
        }
        return switch (Allotment.of(machine, head)) {
            case Allotment.Granted _ -> new Waiting(QueueReason.WAITING_FOR_WORKER, "starts now");
            case Allotment.Missing(QueueReason reason) -> new Waiting(reason, Shortage.sentence(machine, head, reason));
        };
    }

    private static String busy(Machine machine, Lane lane) {
        List<String> jobs = machine.live().values().stream()
                .filter(job -> machine.laneOf(job) == lane)
                .map(job -> "job " + job.id())
                .toList();
        int workers = machine.capacity().workers(lane);
        return (workers == 1 ? "the only one has " : "all " + workers + " have jobs, ") + named(jobs);
    }

    static String named(List<String> items) {
        String first = items.stream().limit(MAX_NAMED).collect(Collectors.joining(", "));
        return items.size() <= MAX_NAMED ? first : first + " and " + (items.size() - MAX_NAMED) + " more";
    }
}
