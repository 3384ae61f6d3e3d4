package dev.berth.core.machine;

import static dev.berth.core.machine.Expectation.Owed.FETCH_IMAGE;
import static dev.berth.core.machine.Expectation.ends;
import static dev.berth.core.machine.Expectation.ignored;
import static dev.berth.core.machine.Expectation.impossible;
import static dev.berth.core.machine.Expectation.moves;
import static dev.berth.core.machine.News.ALLOCATED;
import static dev.berth.core.machine.News.BEGIN_REACHED;
import static dev.berth.core.machine.News.CANCEL_REQUESTED;
import static dev.berth.core.machine.News.CONTAINER_CREATED;
import static dev.berth.core.machine.News.CONTAINER_GONE;
import static dev.berth.core.machine.News.CONTAINER_STARTED;
import static dev.berth.core.machine.News.DEPENDENCIES_HANDED_OVER;
import static dev.berth.core.machine.News.DEPENDENCY_BROKEN;
import static dev.berth.core.machine.News.DEPENDENCY_MET;
import static dev.berth.core.machine.News.DEVICE_LOST;
import static dev.berth.core.machine.News.ENGINE_STOPPED;
import static dev.berth.core.machine.News.EXITED_BY_SIGNAL;
import static dev.berth.core.machine.News.EXITED_NONZERO;
import static dev.berth.core.machine.News.EXITED_OUT_OF_MEMORY;
import static dev.berth.core.machine.News.EXITED_TIMED;
import static dev.berth.core.machine.News.EXITED_ZERO;
import static dev.berth.core.machine.News.FOUND_TOO_LARGE;
import static dev.berth.core.machine.News.GPUS_CONFIRMED;
import static dev.berth.core.machine.News.GPUS_TAKEN;
import static dev.berth.core.machine.News.GPUS_WITHDRAWN;
import static dev.berth.core.machine.News.HOLD_REQUESTED;
import static dev.berth.core.machine.News.IDLE_TIMEOUT_REACHED;
import static dev.berth.core.machine.News.IMAGE_ARRIVED;
import static dev.berth.core.machine.News.IMAGE_REFUSED;
import static dev.berth.core.machine.News.IMAGE_VANISHED;
import static dev.berth.core.machine.News.LAUNCH_PUT_OFF;
import static dev.berth.core.machine.News.LAUNCH_REFUSED;
import static dev.berth.core.machine.News.MACHINE_REBOOTED;
import static dev.berth.core.machine.News.PACK_CANCELLED;
import static dev.berth.core.machine.News.PACK_COMPLETED;
import static dev.berth.core.machine.News.PACK_FAILED;
import static dev.berth.core.machine.News.PACK_GONE;
import static dev.berth.core.machine.News.PACK_REBOOTED;
import static dev.berth.core.machine.News.PACK_REFUSED;
import static dev.berth.core.machine.News.PACK_TIMED_OUT;
import static dev.berth.core.machine.News.PACK_UNBEGUN;
import static dev.berth.core.machine.News.RELEASE_REQUESTED;
import static dev.berth.core.machine.News.SIGNAL_DUE;
import static dev.berth.core.machine.News.SIGNAL_SENT;
import static dev.berth.core.machine.News.START_LOST;
import static dev.berth.core.machine.News.TASKS_TOLD;
import static dev.berth.core.machine.News.TIME_LIMIT_REACHED;
import static dev.berth.core.machine.Situation.DISPATCHED;
import static dev.berth.core.machine.Situation.DISPATCHED_CANCELLED;
import static dev.berth.core.machine.Situation.ENDED;
import static dev.berth.core.machine.Situation.PACKED;
import static dev.berth.core.machine.Situation.PACKED_CANCELLED;
import static dev.berth.core.machine.Situation.PACKED_CANCELLED_STARTED;
import static dev.berth.core.machine.Situation.PACKED_LATE;
import static dev.berth.core.machine.Situation.PACKED_LATE_STARTED;
import static dev.berth.core.machine.Situation.PACKED_STARTED;
import static dev.berth.core.machine.Situation.PENDING;
import static dev.berth.core.machine.Situation.STARTED;

import dev.berth.core.job.JobState;
import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.StateName;
import dev.berth.core.machine.Expectation.Ends;
import dev.berth.core.machine.JobTable.Line;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The lines of {@link JobTable} about tasks in packs, and about what only packs and their tasks are told. */
final class PackTable {
    private static final Set<Situation> IN_PACK = EnumSet.of(
            PACKED, PACKED_STARTED, PACKED_CANCELLED, PACKED_CANCELLED_STARTED, PACKED_LATE, PACKED_LATE_STARTED);
    private static final Set<Situation> KNOWN_TO_RUN =
            EnumSet.of(PACKED_STARTED, PACKED_CANCELLED_STARTED, PACKED_LATE_STARTED);
    private static final Set<Situation> TO_GO_ON = EnumSet.of(PACKED, PACKED_STARTED);
    private static final Set<Situation> CANCELLED = EnumSet.of(PACKED_CANCELLED, PACKED_CANCELLED_STARTED);
    private static final Set<Situation> LATE = EnumSet.of(PACKED_LATE, PACKED_LATE_STARTED);
    private static final Set<Situation> TO_STOP =
            EnumSet.of(PACKED_CANCELLED, PACKED_CANCELLED_STARTED, PACKED_LATE, PACKED_LATE_STARTED);

    /** The exits, each with its code. */
    private static final Map<News, Integer> EXITS = Map.of(
            EXITED_ZERO, 0, EXITED_NONZERO, 3, EXITED_BY_SIGNAL, 137, EXITED_OUT_OF_MEMORY, 137, EXITED_TIMED, 0);

    private static final Set<News> OF_PACK = Arrays.stream(News.values())
            .filter(News::isOfPack)
            .collect(Collectors.toCollection(() -> EnumSet.noneOf(News.class)));

    private final List<Line> lines = new ArrayList<>();

    private PackTable() {}

    static List<Line> lines() {
        PackTable table = new PackTable();
        table.ofNoMatter();
        table.starts();
        table.stops();
        table.exits();
        table.endsWithPack();
        table.outsideOfPacks();
        return table.lines;
    }

    private void on(Set<Situation> situations, Set<News> news, Expectation expectation) {
        news.forEach(one -> lines.add(new Line(situations, one, expectation)));
    }

    private void on(Situation situation, News news, Expectation expectation) {
        on(Set.of(situation), Set.of(news), expectation);
    }

    private void ofNoMatter() {
        on(
                IN_PACK,
                EnumSet.of(DEPENDENCY_MET, DEPENDENCY_BROKEN, DEPENDENCIES_HANDED_OVER, BEGIN_REACHED),
                ignored("it does not wait for that"));
        on(IN_PACK, EnumSet.of(ALLOCATED, FOUND_TOO_LARGE), impossible());
        on(
                IN_PACK,
                EnumSet.of(
                        IMAGE_ARRIVED,
                        IMAGE_REFUSED,
                        HOLD_REQUESTED,
                        RELEASE_REQUESTED,
                        CONTAINER_CREATED,
                        GPUS_CONFIRMED,
                        GPUS_TAKEN,
                        LAUNCH_REFUSED,
                        IMAGE_VANISHED,
                        LAUNCH_PUT_OFF,
                        GPUS_WITHDRAWN,
                        START_LOST,
                        MACHINE_REBOOTED,
                        ENGINE_STOPPED,
                        DEVICE_LOST,
                        IDLE_TIMEOUT_REACHED,
                        SIGNAL_DUE,
                        SIGNAL_SENT),
                ignored("its pack has it"));
    }

    private void starts() {
        on(PACKED, CONTAINER_STARTED, moves(PACKED_STARTED));
        on(PACKED_CANCELLED, CONTAINER_STARTED, moves(PACKED_CANCELLED_STARTED));
        on(PACKED_LATE, CONTAINER_STARTED, moves(PACKED_LATE_STARTED));
        on(KNOWN_TO_RUN, Set.of(CONTAINER_STARTED), ignored("it is known to run"));
    }

    private void stops() {
        on(PACKED, CANCEL_REQUESTED, moves(PACKED_CANCELLED));
        on(PACKED_STARTED, CANCEL_REQUESTED, moves(PACKED_CANCELLED_STARTED));
        on(PACKED_LATE, CANCEL_REQUESTED, moves(PACKED_CANCELLED));
        on(PACKED_LATE_STARTED, CANCEL_REQUESTED, moves(PACKED_CANCELLED_STARTED));
        on(CANCELLED, Set.of(CANCEL_REQUESTED), ignored("it is being stopped already"));
        on(PACKED, TIME_LIMIT_REACHED, moves(PACKED_LATE));
        on(PACKED_STARTED, TIME_LIMIT_REACHED, moves(PACKED_LATE_STARTED));
        on(TO_STOP, Set.of(TIME_LIMIT_REACHED), ignored("it is being stopped already"));
        on(TO_GO_ON, Set.of(CONTAINER_GONE), ignored("nobody asked for its end"));
        on(PACKED_CANCELLED, CONTAINER_GONE, cancelled());
        on(PACKED_CANCELLED_STARTED, CONTAINER_GONE, cancelled().ran(STARTED, Situation.NOW));
        on(PACKED_LATE, CONTAINER_GONE, timedOut());
        on(PACKED_LATE_STARTED, CONTAINER_GONE, timedOut().ran(STARTED, Situation.NOW));
    }

    private void exits() {
        Map<News, Ends> own = Map.of(
                EXITED_ZERO, completed(),
                EXITED_TIMED, completed(),
                EXITED_NONZERO, exited("3"),
                EXITED_BY_SIGNAL, exited("137 (SIGKILL)"),
                EXITED_OUT_OF_MEMORY, outOfMemory());
        EXITS.forEach((news, code) -> {
            for (Situation situation : IN_PACK) {
                Ends end = CANCELLED.contains(situation)
                        ? cancelled()
                        : LATE.contains(situation) ? timedOut() : own.getOrDefault(news, completed());
                boolean isStartKnown = KNOWN_TO_RUN.contains(situation) || news == EXITED_TIMED;
                on(situation, news, end.code(code).ran(isStartKnown ? STARTED : ENDED, ENDED));
            }
        });
    }

    /** The container of the pack is gone, and with it whatever ran of them. */
    private void endsWithPack() {
        on(Set.of(PACKED), Set.of(PACK_COMPLETED, PACK_FAILED, PACK_TIMED_OUT), moves(PENDING, FETCH_IMAGE));
        on(PACKED, PACK_UNBEGUN, beganNothing());
        on(PACKED, PACK_REFUSED, withPack(StateName.FAILED, OutcomeReason.START_FAILED, "", null));
        on(PACKED, PACK_CANCELLED, withPack(StateName.CANCELLED, OutcomeReason.CANCELLED_BY_USER, "", null));
        on(PACKED, PACK_REBOOTED, rebooted(null));
        on(PACKED, PACK_GONE, withPack(StateName.LOST, OutcomeReason.CONTAINER_LOST, "", null));
        on(Set.of(PACKED_STARTED), Set.of(PACK_COMPLETED, PACK_FAILED, PACK_UNBEGUN, PACK_REFUSED), untold());
        on(PACKED_STARTED, PACK_TIMED_OUT, withPack(StateName.TIMEOUT, OutcomeReason.TIME_LIMIT, "", STARTED));
        on(PACKED_STARTED, PACK_CANCELLED, withPack(StateName.CANCELLED, OutcomeReason.CANCELLED_BY_USER, "", STARTED));
        on(PACKED_STARTED, PACK_REBOOTED, rebooted(STARTED));
        on(PACKED_STARTED, PACK_GONE, withPack(StateName.LOST, OutcomeReason.CONTAINER_LOST, "", STARTED));
        on(Set.of(PACKED_CANCELLED), OF_PACK, cancelled().ran(null, ENDED));
        on(Set.of(PACKED_CANCELLED_STARTED), OF_PACK, cancelled().ran(STARTED, ENDED));
        on(Set.of(PACKED_LATE), OF_PACK, timedOut().ran(null, ENDED));
        on(Set.of(PACKED_LATE_STARTED), OF_PACK, timedOut().ran(STARTED, ENDED));
    }

    private void outsideOfPacks() {
        Set<Situation> arrays = EnumSet.of(DISPATCHED, DISPATCHED_CANCELLED);
        Set<Situation> waiting = those(state -> state instanceof JobState.Waiting);
        Set<Situation> live = those(state -> state instanceof JobState.Live);
        Set<News> all = EnumSet.copyOf(OF_PACK);
        all.add(TASKS_TOLD);
        on(arrays, all, ignored("its tasks have it"));
        on(Situation.ended(), all, ignored("the job has ended"));
        on(waiting, OF_PACK, ignored("it is in no pack"));
        on(live, OF_PACK, ignored("it is in no pack"));
        on(waiting, Set.of(TASKS_TOLD), ignored("no attempt has begun"));
        on(live, Set.of(TASKS_TOLD), ignored("it is no pack that has ended"));
        on(IN_PACK, Set.of(TASKS_TOLD), ignored("it is no pack that has ended"));
    }

    private static Set<Situation> those(Predicate<JobState> test) {
        return Arrays.stream(Situation.values())
                .filter(situation -> test.test(situation.state()))
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(Situation.class)));
    }

    private static Ends completed() {
        return ends(StateName.COMPLETED, OutcomeReason.EXITED, "the program ended with exit code 0");
    }

    private static Ends exited(String code) {
        return ends(StateName.FAILED, OutcomeReason.EXITED_NONZERO, "the program ended with exit code " + code);
    }

    private static Ends outOfMemory() {
        return ends(
                StateName.OUT_OF_MEMORY,
                OutcomeReason.OUT_OF_MEMORY,
                "the kernel ended the program because it used more memory than it may");
    }

    private static Ends cancelled() {
        return ends(StateName.CANCELLED, OutcomeReason.CANCELLED_BY_USER, "cancelled by grace");
    }

    private static Ends timedOut() {
        return ends(StateName.TIMEOUT, OutcomeReason.TIME_LIMIT, "stopped at its time limit of 1h");
    }

    private static Ends beganNothing() {
        return ends(
                        StateName.FAILED,
                        OutcomeReason.START_FAILED,
                        "the container of its pack began none of its tasks; its image must have /bin/sh, sleep and mkdir:"
                                + " it is over")
                .ran(null, ENDED);
    }

    private static Ends untold() {
        return ends(
                        StateName.LOST,
                        OutcomeReason.CONTAINER_LOST,
                        "nobody knows how its program ended: the container of its pack ended before it told of that; it"
                                + " is over")
                .ran(STARTED, ENDED);
    }

    private static Ends rebooted(@Nullable Instant startedAt) {
        String wayOut = "; berth resubmit 7 starts it anew, and submit --requeue lets Berth do that by itself";
        return withPack(StateName.LOST, OutcomeReason.MACHINE_REBOOTED, wayOut, startedAt);
    }

    private static Ends withPack(StateName state, OutcomeReason reason, String wayOut, @Nullable Instant startedAt) {
        return ends(state, reason, "with its pack: " + News.PACK_SENTENCE + wayOut)
                .ran(startedAt, ENDED);
    }
}
