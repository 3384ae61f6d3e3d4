package dev.berth.core.machine;

import static dev.berth.core.machine.Expectation.Owed.HOLD_AT_TARGET;
import static dev.berth.core.machine.Expectation.Owed.RELEASE_AT_TARGET;
import static dev.berth.core.machine.Expectation.Owed.RELEASE_CONTAINER;
import static dev.berth.core.machine.Expectation.Owed.STOP_CONTAINER;
import static dev.berth.core.machine.Expectation.ends;
import static dev.berth.core.machine.Expectation.ignored;
import static dev.berth.core.machine.Expectation.impossible;
import static dev.berth.core.machine.Expectation.moves;
import static dev.berth.core.machine.News.ALLOCATED;
import static dev.berth.core.machine.News.BEGIN_REACHED;
import static dev.berth.core.machine.News.CANCELLED_AT_TARGET;
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
import static dev.berth.core.machine.News.HANDED_OVER;
import static dev.berth.core.machine.News.HOLD_REQUESTED;
import static dev.berth.core.machine.News.HOLD_SEEN;
import static dev.berth.core.machine.News.IDLE_TIMEOUT_REACHED;
import static dev.berth.core.machine.News.IMAGE_ARRIVED;
import static dev.berth.core.machine.News.IMAGE_REFUSED;
import static dev.berth.core.machine.News.IMAGE_VANISHED;
import static dev.berth.core.machine.News.LAUNCH_PUT_OFF;
import static dev.berth.core.machine.News.LAUNCH_REFUSED;
import static dev.berth.core.machine.News.MACHINE_REBOOTED;
import static dev.berth.core.machine.News.NODE_LOST;
import static dev.berth.core.machine.News.PREEMPTED;
import static dev.berth.core.machine.News.RELEASE_REQUESTED;
import static dev.berth.core.machine.News.RELEASE_SEEN;
import static dev.berth.core.machine.News.SIGNAL_DUE;
import static dev.berth.core.machine.News.SIGNAL_SENT;
import static dev.berth.core.machine.News.START_LOST;
import static dev.berth.core.machine.News.TARGET_LOST;
import static dev.berth.core.machine.News.TIME_LIMIT_REACHED;
import static dev.berth.core.machine.Situation.CANCELLING;
import static dev.berth.core.machine.Situation.CANCELLING_STARTED;
import static dev.berth.core.machine.Situation.CREATING;
import static dev.berth.core.machine.Situation.CREATING_LAST_TRY;
import static dev.berth.core.machine.Situation.DISPATCHED;
import static dev.berth.core.machine.Situation.DISPATCHED_CANCELLED;
import static dev.berth.core.machine.Situation.ENDED;
import static dev.berth.core.machine.Situation.HANDED_OVER_HELD;
import static dev.berth.core.machine.Situation.IDLING;
import static dev.berth.core.machine.Situation.LOSING_DEVICE;
import static dev.berth.core.machine.Situation.RUNNING;
import static dev.berth.core.machine.Situation.SIGNALLED;
import static dev.berth.core.machine.Situation.SIGNALLING;
import static dev.berth.core.machine.Situation.STARTED;
import static dev.berth.core.machine.Situation.STARTING;
import static dev.berth.core.machine.Situation.TIMING_OUT;
import static dev.berth.core.machine.Situation.UNDECIDED;

import dev.berth.core.job.JobState;
import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.StateName;
import dev.berth.core.machine.Expectation.Ends;
import dev.berth.core.machine.JobTable.Line;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The lines of {@link JobTable} about jobs in the queues of targets, and about what only targets tell. */
final class TargetTable {
    private static final Set<Situation> AT_TARGET = EnumSet.of(Situation.HANDED_OVER, HANDED_OVER_HELD);
    private static final Set<Situation> CREATING_ANY = EnumSet.of(UNDECIDED, CREATING, CREATING_LAST_TRY);
    private static final Set<Situation> RUNNING_ANY = EnumSet.of(RUNNING, SIGNALLING, SIGNALLED);
    private static final Set<Situation> STOPPING_ANY =
            EnumSet.of(CANCELLING, CANCELLING_STARTED, TIMING_OUT, IDLING, LOSING_DEVICE);
    private static final Set<News> HOLDS = EnumSet.of(HOLD_SEEN, RELEASE_SEEN);

    /** How an engine of a target may have ended a job. */
    private static final Map<News, Ends> ENDS = Map.of(
            NODE_LOST, ended(StateName.LOST, OutcomeReason.NODE_LOST).ran(STARTED, ENDED),
            PREEMPTED, ended(StateName.LOST, OutcomeReason.PREEMPTED).ran(STARTED, ENDED),
            CANCELLED_AT_TARGET,
                    ended(StateName.CANCELLED, OutcomeReason.CANCELLED_AT_TARGET)
                            .ran(null, ENDED),
            TARGET_LOST, ended(StateName.LOST, OutcomeReason.TARGET_LOST).ran(null, ENDED));

    private final List<Line> lines = new ArrayList<>();

    private TargetTable() {}

    static List<Line> lines() {
        TargetTable table = new TargetTable();
        table.ofNoMatter();
        table.holds();
        table.goesOn();
        table.exits();
        table.endsHere();
        table.newsOfTargets();
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
                AT_TARGET,
                EnumSet.of(DEPENDENCY_MET, DEPENDENCY_BROKEN, DEPENDENCIES_HANDED_OVER, BEGIN_REACHED),
                ignored("it does not wait for that"));
        on(AT_TARGET, EnumSet.of(ALLOCATED, FOUND_TOO_LARGE), impossible());
        on(AT_TARGET, Set.of(IMAGE_ARRIVED), ignored("the image is known"));
        on(AT_TARGET, Set.of(IMAGE_REFUSED), ignored("the image was here"));
        on(
                AT_TARGET,
                EnumSet.of(
                        HANDED_OVER,
                        CONTAINER_CREATED,
                        GPUS_CONFIRMED,
                        GPUS_TAKEN,
                        IMAGE_VANISHED,
                        LAUNCH_PUT_OFF,
                        GPUS_WITHDRAWN),
                ignored("its target has it"));
        on(
                AT_TARGET,
                EnumSet.of(DEVICE_LOST, IDLE_TIMEOUT_REACHED, TIME_LIMIT_REACHED, SIGNAL_DUE, SIGNAL_SENT),
                ignored("the program does not run yet"));
    }

    private void holds() {
        on(Situation.HANDED_OVER, HOLD_REQUESTED, moves(HANDED_OVER_HELD, HOLD_AT_TARGET));
        on(Situation.HANDED_OVER, RELEASE_REQUESTED, ignored("it is not held"));
        on(HANDED_OVER_HELD, HOLD_REQUESTED, ignored("it is held already"));
        on(HANDED_OVER_HELD, RELEASE_REQUESTED, moves(Situation.HANDED_OVER, RELEASE_AT_TARGET));
        on(Situation.HANDED_OVER, HOLD_SEEN, moves(HANDED_OVER_HELD));
        on(Situation.HANDED_OVER, RELEASE_SEEN, ignored("that is known"));
        on(HANDED_OVER_HELD, HOLD_SEEN, ignored("that is known"));
        on(HANDED_OVER_HELD, RELEASE_SEEN, moves(Situation.HANDED_OVER));
    }

    private void goesOn() {
        on(AT_TARGET, Set.of(CONTAINER_STARTED), moves(RUNNING));
        on(AT_TARGET, Set.of(CANCEL_REQUESTED), moves(CANCELLING, STOP_CONTAINER));
    }

    private void exits() {
        on(AT_TARGET, Set.of(EXITED_ZERO), JobTable.exitedZero().ran(ENDED, ENDED));
        on(AT_TARGET, Set.of(EXITED_NONZERO), JobTable.exitedThree().ran(ENDED, ENDED));
        on(AT_TARGET, Set.of(EXITED_BY_SIGNAL), JobTable.exitedBySignal().ran(ENDED, ENDED));
        on(AT_TARGET, Set.of(EXITED_OUT_OF_MEMORY), JobTable.outOfMemory().ran(ENDED, ENDED));
        on(AT_TARGET, Set.of(EXITED_TIMED), JobTable.exitedZero().ran(STARTED, ENDED));
    }

    /** The last three are what an engine of this machine tells; no target does. */
    private void endsHere() {
        on(AT_TARGET, Set.of(LAUNCH_REFUSED), JobTable.launchRefused());
        on(
                AT_TARGET,
                Set.of(CONTAINER_GONE),
                ends(StateName.LOST, OutcomeReason.CONTAINER_LOST, "its target does not have it")
                        .owing(RELEASE_CONTAINER));
        on(AT_TARGET, Set.of(START_LOST), JobTable.startLost());
        on(AT_TARGET, Set.of(MACHINE_REBOOTED), JobTable.rebooted());
        on(AT_TARGET, Set.of(ENGINE_STOPPED), JobTable.endedWithEngine());
    }

    private void newsOfTargets() {
        Set<News> all = EnumSet.of(HANDED_OVER, HOLD_SEEN, RELEASE_SEEN);
        on(CREATING_ANY, Set.of(HANDED_OVER), moves(Situation.HANDED_OVER));
        on(CREATING_ANY, HOLDS, ignored("its target does not have it yet"));
        on(Set.of(STARTING), all, ignored("its container is made"));
        on(RUNNING_ANY, all, ignored("it is known to run"));
        on(STOPPING_ANY, all, ignored("it is being stopped already"));
        all.addAll(ENDS.keySet());
        on(those(state -> state instanceof JobState.Waiting), all, ignored("no attempt has begun"));
        on(those(state -> state instanceof JobState.Packed), all, ignored("its pack has it"));
        on(EnumSet.of(DISPATCHED, DISPATCHED_CANCELLED), all, ignored("its tasks have it"));
        on(Situation.ended(), all, ignored("the job has ended"));
        on(AT_TARGET, ENDS);
        on(CREATING_ANY, ENDS);
        on(Set.of(STARTING), ENDS);
        ENDS.forEach((news, end) -> on(RUNNING_ANY, Set.of(news), end.ran(STARTED, ENDED)));
        Set<News> ended = ENDS.keySet();
        on(Set.of(CANCELLING), ended, JobTable.cancelled().ran(null, ENDED));
        on(Set.of(CANCELLING_STARTED), ended, JobTable.cancelled().ran(STARTED, ENDED));
        on(Set.of(TIMING_OUT), ended, JobTable.timedOut().ran(STARTED, ENDED));
        on(Set.of(IDLING), ended, JobTable.idle().ran(STARTED, ENDED));
        on(Set.of(LOSING_DEVICE), ended, JobTable.deviceLost().ran(STARTED, ENDED));
    }

    private void on(Set<Situation> situations, Map<News, Ends> ends) {
        ends.forEach((news, end) -> on(situations, Set.of(news), end));
    }

    private static Set<Situation> those(Predicate<JobState> test) {
        return Arrays.stream(Situation.values())
                .filter(situation -> test.test(situation.state()))
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(Situation.class)));
    }

    private static Ends ended(StateName state, OutcomeReason reason) {
        return ends(state, reason, News.TARGET_SENTENCE).owing(RELEASE_CONTAINER);
    }
}
