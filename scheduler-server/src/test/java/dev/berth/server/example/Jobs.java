package dev.berth.server.example;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.Dependency;
import dev.berth.core.job.EngineRun;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState;
import dev.berth.core.job.JobState.Deferred;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.JobState.Held;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.JobState.Running;
import dev.berth.core.job.JobState.Starting;
import dev.berth.core.job.JobState.Stopping;
import dev.berth.core.job.Label;
import dev.berth.core.job.Limits;
import dev.berth.core.job.Outcome;
import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.Place;
import dev.berth.core.job.Place.InContainer;
import dev.berth.core.job.Program;
import dev.berth.core.job.Resources;
import dev.berth.core.job.StateName;
import dev.berth.core.job.StopCause;
import dev.berth.core.job.Submitter;
import dev.berth.core.job.Unmet;
import dev.berth.core.machine.Change;
import dev.berth.core.machine.JobEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Jobs for tests, by number; those that run hold the GPUs whose indices are named. */
public final class Jobs {
    public static final Instant SUBMITTED = Instant.parse("2026-01-01T08:00:00.000001Z");
    public static final Instant STARTED = Instant.parse("2026-01-01T09:00:00.123456Z");
    public static final Instant ENDED = Instant.parse("2026-01-01T10:00:00Z");
    public static final String SNAPSHOT = "5a".repeat(32);
    public static final String IMAGE = "python:3.13";
    public static final String IMAGE_ID = "sha256:a1";
    public static final EngineRun ENGINE = new EngineRun("run 1");
    public static final Submitter ROOT = new Submitter(0, 0, List.of(), "root");
    public static final Submitter ADA = new Submitter(1000, 1000, List.of(27L, 4_294_967_294L), "ada");
    public static final Submitter BOB = new Submitter(1001, 100, List.of(), "bob");

    public static final Program PROGRAM = new Program(List.of("python3", "main.py"), Map.of("TOKEN", "hush"));

    private Jobs() {}

    /** As accepted: its image is not known yet. */
    public static Job accepted(long id, int gpus) {
        return job(id, spec(gpus), ADA, new Queued(1, new ImageState.Pending()));
    }

    public static Job accepted(long id, int gpus, Submitter owner) {
        return job(id, spec(gpus), owner, new Queued(1, new ImageState.Pending()));
    }

    public static Job queued(long id, int gpus) {
        return job(id, spec(gpus), ADA, new Queued(1, new ImageState.Ready(IMAGE_ID)));
    }

    public static Job running(long id, int... gpus) {
        return job(id, spec(gpus.length), ADA, runningOn(gpus));
    }

    public static Job job(long id, JobSpec spec, Submitter owner, JobState state) {
        return new Job(new JobId(id), spec, owner, SUBMITTED, state);
    }

    public static JobSpec spec(int gpus) {
        return spec(gpus, Duration.ofHours(2));
    }

    public static JobSpec spec(int gpus, @Nullable Duration timeLimit) {
        GpuRequest request = GpuRequest.whole(gpus);
        return new JobSpec(
                new Label("train", "ships", List.of()),
                InContainer.of(SNAPSHOT, IMAGE),
                Resources.of(request),
                new Limits(timeLimit, null),
                false,
                null);
    }

    /** The same for a target. */
    public static JobSpec at(String target, JobSpec spec) {
        return with(spec, new Place.AtTarget(target, spec.container()));
    }

    /** The same in another place. */
    public static JobSpec with(JobSpec spec, Place place) {
        return new JobSpec(spec.label(), place, spec.resources(), spec.limits(), spec.requeue(), spec.resubmitOf());
    }

    /** The same that needs something else of the machine. */
    public static JobSpec with(JobSpec spec, Resources resources) {
        return new JobSpec(spec.label(), spec.place(), resources, spec.limits(), spec.requeue(), spec.resubmitOf());
    }

    public static JobSpec with(JobSpec spec, Label label) {
        return new JobSpec(label, spec.place(), spec.resources(), spec.limits(), spec.requeue(), spec.resubmitOf());
    }

    public static JobSpec with(JobSpec spec, Limits limits) {
        return new JobSpec(spec.label(), spec.place(), spec.resources(), limits, spec.requeue(), spec.resubmitOf());
    }

    public static Starting startingOn(int... gpus) {
        return new Starting(1, IMAGE_ID, allocation(gpus), ENGINE);
    }

    public static Running runningOn(int... gpus) {
        return new Running(1, allocation(gpus), STARTED);
    }

    public static Stopping stoppingOn(int... gpus) {
        return new Stopping(1, allocation(gpus), STARTED, new StopCause.Cancelled("ada"));
    }

    public static Finished completed() {
        return new Finished(
                1, STARTED, ENDED, new Outcome(StateName.COMPLETED, OutcomeReason.EXITED, "it ended with code 0", 0));
    }

    public static Finished failed() {
        return new Finished(
                1, STARTED, ENDED, new Outcome(StateName.FAILED, OutcomeReason.EXITED_NONZERO, "it ended badly", 3));
    }

    public static Allocation allocation(int... gpus) {
        return Allocation.whole(Arrays.stream(gpus).mapToObj(Jobs::gpu).toList());
    }

    public static GpuId gpu(int index) {
        return new GpuId("GPU-51111111-0000-4000-8000-%012d".formatted(index));
    }

    public static Change.Accepted acceptance(Job job) {
        return new Change.Accepted(SUBMITTED, job, PROGRAM, null);
    }

    /** The writes that bring a job from its acceptance to a state, by one step through a start. */
    public static List<Change> upTo(Job job) {
        Job accepted = job.with(accepted(unmet(job.state())));
        List<Change> changes = new ArrayList<>(List.of(acceptance(accepted)));
        if (!job.equals(accepted)) {
            changes.add(advance(accepted, job.state()));
        }
        return changes;
    }

    /** A job that waits for what this one still waits for, or waited for in vain. */
    private static JobState accepted(Unmet unmet) {
        SortedSet<Dependency> pending = new TreeSet<>(unmet.pending());
        pending.addAll(unmet.broken());
        return unmet.isEmpty()
                ? new Queued(1, new ImageState.Pending())
                : new Deferred(1, new Unmet(unmet.begin(), pending, new TreeSet<>()));
    }

    private static Unmet unmet(JobState state) {
        return switch (state) {
            case Deferred deferred -> deferred.unmet();
            case Held held -> held.unmet();
            default -> Unmet.NONE;
        };
    }

    /** The write of one step; which event is kept beside it matters to nobody here. */
    public static Change.Advanced advance(Job before, JobState after) {
        return new Change.Advanced(STARTED, before, before.with(after), new JobEvent.CancelRequested("ada"));
    }
}
