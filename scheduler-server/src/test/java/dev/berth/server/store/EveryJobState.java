package dev.berth.server.store;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.Dependency;
import dev.berth.core.job.DependencyKind;
import dev.berth.core.job.EngineRun;
import dev.berth.core.job.GpuShare;
import dev.berth.core.job.ImageState;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState;
import dev.berth.core.job.JobState.Creating;
import dev.berth.core.job.JobState.Deferred;
import dev.berth.core.job.JobState.Dispatched;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.JobState.HandedOver;
import dev.berth.core.job.JobState.Held;
import dev.berth.core.job.JobState.Packed;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.JobState.Running;
import dev.berth.core.job.JobState.Starting;
import dev.berth.core.job.JobState.Stopping;
import dev.berth.core.job.Outcome;
import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.SignalState;
import dev.berth.core.job.StateName;
import dev.berth.core.job.StopCause;
import dev.berth.core.job.Unmet;
import dev.berth.server.example.Jobs;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/** Every state with every kind of data that it can carry; what is new stands last, as the kept databases hold the rest. */
final class EveryJobState {
    private static final List<SignalState> SIGNALS_OF_SCHEMA_11 = List.of(SignalState.DUE, SignalState.SENT);

    private static final List<JobState> PACKED = List.of(
            new Packed(null, null),
            new Packed(Jobs.STARTED, null),
            new Packed(null, new StopCause.Cancelled("ada")),
            new Packed(Jobs.STARTED, new StopCause.Cancelled("root")));

    private static final String ODD_TEXT = "it's \"over\"; -- \n\t\u00e9\u4e16\ud83d\udea2 100% ?1";

    /** What a job can be in at a target. */
    private static final List<JobState> AT_TARGET = List.of(
            new HandedOver(1, false),
            new HandedOver(2, true),
            endedFor(OutcomeReason.NODE_LOST),
            endedFor(OutcomeReason.PREEMPTED),
            endedFor(OutcomeReason.CANCELLED_AT_TARGET),
            endedFor(OutcomeReason.TARGET_LOST));

    private static final int FIRST_WITH_TARGETS = 18;

    private static final OutcomeReason LAST_OF_SCHEMA_2 = OutcomeReason.CONTAINER_LOST;
    private static final OutcomeReason LAST_OF_SCHEMA_7 = OutcomeReason.DEVICE_LOST;

    private EveryJobState() {}

    static List<JobState> all() {
        Allocation share = new Allocation(List.of(new GpuShare(Jobs.gpu(2), 250)));
        List<JobState> states = new ArrayList<>(List.of(
                new Queued(1, new ImageState.Pending()),
                new Queued(3, new ImageState.Ready("sha256:b2")),
                new Starting(1, "sha256:b2", Allocation.NONE, EngineRun.UNKNOWN),
                new Starting(2, "sha256:b2", Jobs.allocation(3, 0, 2), Jobs.ENGINE),
                new Running(1, Allocation.NONE, Jobs.STARTED),
                new Running(7, Jobs.allocation(1, 0), Jobs.STARTED),
                new Running(1, share, Jobs.STARTED),
                new Stopping(1, Jobs.allocation(0), null, new StopCause.Cancelled(ODD_TEXT)),
                new Stopping(1, share, Jobs.STARTED, new StopCause.Cancelled("root")),
                new Stopping(1, Allocation.NONE, Jobs.STARTED, new StopCause.TimeLimit())));
        for (StateName name : StateName.values()) {
            if (name.isFinal()) {
                states.add(new Finished(
                        1, Jobs.STARTED, Jobs.ENDED, new Outcome(name, OutcomeReason.EXITED, ODD_TEXT, 255)));
                states.add(new Finished(
                        0, null, Jobs.ENDED, new Outcome(name, OutcomeReason.NEVER_FITS, "it never ran", null)));
            }
        }
        for (OutcomeReason reason : OutcomeReason.values()) {
            if (reason.compareTo(LAST_OF_SCHEMA_2) <= 0) {
                states.add(endedFor(reason));
            }
        }
        states.add(new Held(1, new ImageState.Pending(), ODD_TEXT, Jobs.SUBMITTED));
        states.add(new Held(2, new ImageState.Ready("sha256:b2"), "root", Jobs.SUBMITTED));
        states.add(new Creating(1, "sha256:b2", Allocation.NONE));
        states.add(new Creating(2, "sha256:b2", Jobs.allocation(3, 0, 2)));
        for (OutcomeReason reason : OutcomeReason.values()) {
            if (reason.compareTo(LAST_OF_SCHEMA_2) > 0 && reason.compareTo(LAST_OF_SCHEMA_7) <= 0) {
                states.add(endedFor(reason));
            }
        }
        Instant counted = Jobs.STARTED.minusSeconds(7_200);
        states.add(new Running(1, share, Jobs.STARTED, counted));
        states.add(new Starting(1, "sha256:b2", share, new EngineRun("run 1"), counted));
        states.add(new Stopping(1, share, Jobs.STARTED, counted, new StopCause.TimeLimit()));
        states.add(endedFor(OutcomeReason.EXITED_NONZERO).lasting(Duration.ofHours(3)));
        states.add(endedFor(OutcomeReason.DEPENDENCY_FAILED));
        SortedSet<Dependency> some = new TreeSet<>();
        for (DependencyKind kind :
                List.of(DependencyKind.AFTER_OK, DependencyKind.AFTER_ANY, DependencyKind.AFTER_NOT_OK)) {
            some.add(new Dependency(kind, new JobId(3)));
        }
        SortedSet<Dependency> other = new TreeSet<>(Set.of(new Dependency(DependencyKind.AFTER_OK, new JobId(4))));
        states.add(new Deferred(1, new Unmet(Jobs.ENDED, new TreeSet<>(), new TreeSet<>())));
        states.add(new Deferred(1, new Unmet(null, some, new TreeSet<>())));
        states.add(new Deferred(1, new Unmet(Jobs.ENDED, some, other)));
        states.add(new Deferred(1, new Unmet(null, new TreeSet<>(), other)));
        Unmet all = new Unmet(Jobs.ENDED, some, other);
        states.add(new Held(1, new ImageState.Pending(), all, "root", Jobs.SUBMITTED));
        states.add(endedFor(OutcomeReason.TASKS_FAILED));
        states.add(new Dispatched(1, null));
        states.add(new Dispatched(
                1,
                new Finished(
                        0,
                        null,
                        Jobs.ENDED,
                        new Outcome(StateName.CANCELLED, OutcomeReason.CANCELLED_BY_USER, ODD_TEXT, null))));
        for (SignalState signal : SIGNALS_OF_SCHEMA_11) {
            states.add(new Running(1, share, Jobs.STARTED).with(signal));
        }
        states.addAll(AT_TARGET);
        states.addAll(PACKED);
        return states;
    }

    /** Those that a database of this schema could have, but for those of tasks in packs, which no other job is in. */
    static List<JobState> of(int schema) {
        List<JobState> all = all();
        int later = PACKED.size()
                + (schema < FIRST_WITH_TARGETS ? AT_TARGET.size() : 0)
                + (schema < 11 ? SIGNALS_OF_SCHEMA_11.size() : 0);
        return all.subList(0, all.size() - later);
    }

    private static Finished endedFor(OutcomeReason reason) {
        return new Finished(1, Jobs.STARTED, Jobs.ENDED, new Outcome(StateName.FAILED, reason, "it ended", -1));
    }
}
