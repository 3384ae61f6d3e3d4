package dev.berth.server.simulation;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.OutcomeReason;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What became of tasks in packs, held against what their packs did. */
final class PackTruth {
    /** The ends of packs after which nobody knows of a task whether it had begun. */
    private static final Set<OutcomeReason> UNKNOWN =
            EnumSet.of(OutcomeReason.MACHINE_REBOOTED, OutcomeReason.CONTAINER_LOST);

    private final World world;

    /** The tasks that ever were in a pack. */
    private final Set<Long> packed;

    /** Those that left it for the queue before they had begun. */
    private final Set<Long> leftOver;

    /** Those that have left it for the queue after they had, or may have. */
    private final Set<Long> retried;

    PackTruth(World world) {
        this.world = world;
        this.packed = world.books
                .pairs("SELECT job, 0 FROM job_event WHERE event = 'TaskPacked'")
                .keySet();
        this.leftOver = world.books
                .pairs("SELECT job, 0 FROM job_event WHERE event = 'PackEnded' AND to_state = 'QUEUED' AND attempt = 1")
                .keySet();
        this.retried = world.books
                .pairs("SELECT job, 0 FROM job_event WHERE to_state = 'QUEUED' AND attempt > 1")
                .keySet();
        world.tally.add("tasks in packs", packed.size());
        world.tally.add("tasks that their packs did not come to", leftOver.size());
    }

    /** Whether a task was in a pack of a time that the books know nothing of. */
    boolean isForgotten(JobId task) {
        return fates(task).stream().anyMatch(fate -> fate.forgotten);
    }

    private List<Fate> fates(JobId task) {
        return world.clients.packOf(task).map(world.ground::of).orElse(List.of());
    }

    /** Whether an end of a task, which may be that of an earlier attempt, was that in its pack. */
    boolean endedInPack(Job task, Finished end) {
        long id = task.id().value();
        // What ends in the queue is said to have ended with its attempt before.
        boolean isLater = end.attempt() > 1 || (end.equals(task.state()) && retried.contains(id));
        return packed.contains(id) && !leftOver.contains(id) && !isLater;
    }

    /** How a task ended in its pack, against what its program did there. */
    void checkEnd(JobSpec spec, Job task, Finished end, List<Fate> attempts) {
        Fate program =
                attempts.stream().filter(fate -> fate.pack != null).findFirst().orElse(null);
        Job pack = world.clients.packOf(task.id()).flatMap(world.store()::find).orElseThrow();
        String what =
                task.number() + " " + end + " with " + attempts + " in " + pack.state() + " with " + fates(task.id());
        OutcomeReason reason = end.outcome().reason();
        boolean isCancelled = reason == OutcomeReason.CANCELLED_BY_USER;
        boolean isWithPack = isWithPack(program, pack, reason);
        boolean hasBegunNone = hasBegunNone(pack.id());
        world.tally.count("task in a pack ended: " + reason);
        switch (reason) {
            case EXITED, EXITED_NONZERO -> Truth.endedAsItDid(world, end, program, what);
            case CANCELLED_BY_USER -> Law.TRUE_END.require(world.clients.wantedTheEndOf(task.id()), () -> what);
            case TIME_LIMIT -> Law.TRUE_END.require(isWithPack || hasReached(spec.timeLimit(), program), () -> what);
            case CONTAINER_LOST ->
                Law.LOST_IS_LOST.require(isWithPack || (program != null && program.isUntold()), () -> what);
            case START_FAILED -> Law.TRUE_END.require(program == null && (isWithPack || hasBegunNone), () -> what);
            default -> Law.TRUE_END.require(isWithPack, () -> what);
        }
        Law.TRUE_END.require(isCancelled || isAsTold(program, reason), () -> what);
        Law.WHOLE_PACK.require(program != null || isCancelled || UNKNOWN.contains(reason) || hasBegunNone, () -> what);
    }

    /** Whether it is said of a task that it has ended as its files say, where they do, or did when they were read. */
    private static boolean isAsTold(@Nullable Fate program, OutcomeReason reason) {
        boolean isExit = reason == OutcomeReason.EXITED || reason == OutcomeReason.EXITED_NONZERO;
        return switch (program == null ? null : program.told) {
            case EXIT -> isExit;
            case TIMEOUT -> reason == OutcomeReason.TIME_LIMIT;
            case CANCELLED, SKIPPED -> false;
            case STOPPED -> !isExit;
            case null -> !isExit || (program != null && program.toldBefore == PackScript.How.EXIT);
        };
    }

    private static boolean hasReached(@Nullable Duration limit, @Nullable Fate program) {
        return limit != null && program != null && program.ran.compareTo(limit) >= 0;
    }

    /** Whether what is said of a task is what is said of its pack, which may be said of one alone that told no end. */
    private static boolean isWithPack(@Nullable Fate program, Job pack, OutcomeReason reason) {
        return pack.state() instanceof Finished end
                && end.outcome().reason() == reason
                && (program == null || program.isUntold());
    }

    private boolean hasBegunNone(JobId pack) {
        return world.ground.fates().stream().noneMatch(fate -> fate.pack != null && fate.pack.job.equals(pack));
    }
}
