package dev.berth.core.machine;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.DependencyKind;
import dev.berth.core.job.EngineRun;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.GpuTraits;
import dev.berth.core.job.Guarantee;
import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState;
import dev.berth.core.job.JobState.Creating;
import dev.berth.core.job.JobState.Finished;
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
import dev.berth.core.job.Prerequisites;
import dev.berth.core.job.Program;
import dev.berth.core.job.PullPolicy;
import dev.berth.core.job.Resources;
import dev.berth.core.job.StateName;
import dev.berth.core.job.StopCause;
import dev.berth.core.job.Submitter;
import dev.berth.core.machine.Effect.FetchImage;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Jobs for tests, by number; those that run hold the GPUs whose indices are named. */
final class TestJobs {
    static final List<DependencyKind> KINDS =
            List.of(DependencyKind.AFTER_OK, DependencyKind.AFTER_ANY, DependencyKind.AFTER_NOT_OK);
    static final Instant SUBMITTED = Instant.parse("2026-01-01T08:00:00Z");
    static final Instant STARTED = Instant.parse("2026-01-01T09:00:00Z");
    static final String IMAGE = "python:3.13";
    static final String IMAGE_ID = "sha256:a1";
    static final EngineRun ENGINE = new EngineRun("b1:100@7");
    static final Submitter ADA = new Submitter(1000, 1000, List.of(27L), "ada");

    private TestJobs() {}

    static Job queued(long id) {
        return queued(id, 1);
    }

    static Job queued(long id, int gpus) {
        return job(id, spec(gpus), new Queued(1, new ImageState.Ready(IMAGE_ID)));
    }

    static Job pending(long id, int gpus) {
        return job(id, spec(gpus), new Queued(1, new ImageState.Pending()));
    }

    static Job creating(long id, int... gpus) {
        return job(id, spec(gpus.length), new Creating(1, IMAGE_ID, allocation(gpus)));
    }

    static Job starting(long id, int... gpus) {
        return job(id, spec(gpus.length), new Starting(1, IMAGE_ID, allocation(gpus), ENGINE));
    }

    static Job running(long id, int... gpus) {
        return job(id, spec(gpus.length), new Running(1, allocation(gpus), STARTED));
    }

    static Job stopping(long id, int... gpus) {
        return job(
                id, spec(gpus.length), new Stopping(1, allocation(gpus), STARTED, new StopCause.Cancelled(ADA.name())));
    }

    static Job finished(long id) {
        Outcome outcome = new Outcome(StateName.COMPLETED, OutcomeReason.EXITED, "it ended", 0);
        return job(id, spec(1), new Finished(1, STARTED, STARTED.plusSeconds(60), outcome));
    }

    static Job job(long id, JobSpec spec, JobState state) {
        return new Job(new JobId(id), spec, ADA, SUBMITTED, state);
    }

    static final Program PROGRAM = new Program(List.of("python", "main.py"), Map.of("TOKEN", "hush"));

    static JobSpec spec(int gpus) {
        return spec(gpus, Limits.NONE);
    }

    static JobSpec spec(int gpus, @Nullable Duration timeLimit) {
        return spec(gpus, new Limits(timeLimit, null));
    }

    static JobSpec spec(int gpus, Limits limits) {
        GpuRequest request = GpuRequest.whole(gpus);
        return new JobSpec(
                new Label("train", "ships", List.of()),
                InContainer.of("5a5a", IMAGE),
                Resources.of(request),
                limits,
                false,
                null);
    }

    /** A job that waits for these before it is ready. */
    static JobSpec after(int gpus, Prerequisites prerequisites) {
        JobSpec plain = spec(gpus);
        return new JobSpec(plain.label(), plain.place(), plain.resources(), plain.limits(), prerequisites, false, null);
    }

    /** A job that goes back to its place when the machine loses it. */
    static JobSpec requeued(int gpus) {
        return requeued(spec(gpus));
    }

    static JobSpec requeued(JobSpec plain) {
        return new JobSpec(plain.label(), plain.place(), plain.resources(), plain.limits(), true, null);
    }

    /** Of a job with GPUs. */
    static FetchImage fetch(long id) {
        return fetch(id, true);
    }

    static FetchImage fetch(long id, boolean onGpus) {
        return new FetchImage(new JobId(id), ADA.uid(), IMAGE, PullPolicy.MISSING, onGpus);
    }

    static Allocation allocation(int... gpus) {
        return Allocation.whole(Arrays.stream(gpus).mapToObj(TestJobs::gpu).toList());
    }

    static GpuId gpu(int index) {
        return new GpuId("GPU-" + index);
    }

    /** A queued job that asks for cores or memory of its own and for no GPU. */
    static Job booking(long id, @Nullable Integer cpuMilli, @Nullable Long memoryBytes) {
        return job(id, booking(cpuMilli, memoryBytes), new Queued(1, new ImageState.Ready(IMAGE_ID)));
    }

    /** One that has what it asked for. */
    static Job booked(long id, Allocation allocation, @Nullable Integer cpuMilli, @Nullable Long memoryBytes) {
        return job(id, booking(cpuMilli, memoryBytes), new Running(1, allocation, STARTED));
    }

    static JobSpec booking(@Nullable Integer cpuMilli, @Nullable Long memoryBytes) {
        return booking(spec(0), cpuMilli, memoryBytes);
    }

    /** The same with cores and memory of its own. */
    static JobSpec booking(JobSpec spec, @Nullable Integer cpuMilli, @Nullable Long memoryBytes) {
        return with(spec, new Resources(spec.gpus(), GpuTraits.ANY, cpuMilli, memoryBytes, 0));
    }

    /** One that may use more than it is guaranteed. */
    static JobSpec guaranteed(@Nullable Integer cpuMilli, @Nullable Long memoryBytes, Guarantee guarantee) {
        JobSpec spec = spec(0);
        return with(spec, new Resources(spec.gpus(), GpuTraits.ANY, cpuMilli, memoryBytes, 0, guarantee));
    }

    /** A share of one GPU, of one that will do. */
    static JobSpec share(int milli, GpuTraits traits) {
        return with(spec(0), new Resources(new GpuRequest(milli), traits, null, null, 0));
    }

    /** The same for other GPUs. */
    static JobSpec with(JobSpec spec, GpuTraits traits) {
        return with(spec, new Resources(spec.gpus(), traits, null, null, 0));
    }

    /** The same for a target. */
    static JobSpec at(String target, JobSpec spec) {
        return new JobSpec(
                spec.label(),
                new Place.AtTarget(target, spec.container()),
                spec.resources(),
                spec.limits(),
                spec.prerequisites(),
                spec.tasks(),
                spec.requeue(),
                spec.retry(),
                spec.notifications(),
                spec.resubmitOf());
    }

    static JobSpec with(JobSpec spec, Place place) {
        return new JobSpec(spec.label(), place, spec.resources(), spec.limits(), false, null);
    }

    private static JobSpec with(JobSpec spec, Resources resources) {
        return new JobSpec(spec.label(), spec.place(), resources, spec.limits(), false, null);
    }
}
