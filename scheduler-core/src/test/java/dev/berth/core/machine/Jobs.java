package dev.berth.core.machine;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.EngineRun;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.GpuTraits;
import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobOptions;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState;
import dev.berth.core.job.JobState.Creating;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.JobState.Running;
import dev.berth.core.job.JobState.Starting;
import dev.berth.core.job.JobState.Stopping;
import dev.berth.core.job.Outcome;
import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.Program;
import dev.berth.core.job.PullPolicy;
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
final class Jobs {
    static final Instant SUBMITTED = Instant.parse("2026-01-01T08:00:00Z");
    static final Instant STARTED = Instant.parse("2026-01-01T09:00:00Z");
    static final String IMAGE = "python:3.13";
    static final String IMAGE_ID = "sha256:a1";
    static final EngineRun ENGINE = new EngineRun("b1:100@7");
    static final Submitter ADA = new Submitter(1000, 1000, List.of(27L), "ada");

    private Jobs() {}

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
        return spec(gpus, null);
    }

    static JobSpec spec(int gpus, @Nullable Duration timeLimit) {
        GpuRequest request = GpuRequest.whole(gpus);
        return new JobSpec("train", "ships", "5a5a", IMAGE, request, timeLimit, JobOptions.NONE);
    }

    /** A job that goes back to its place when the machine loses it. */
    static JobSpec requeued(int gpus) {
        JobSpec plain = spec(gpus);
        JobOptions options = new JobOptions(
                List.of(), PullPolicy.MISSING, null, null, null, null, JobOptions.BRIDGE, List.of(), true, null);
        return new JobSpec(plain.name(), plain.project(), plain.snapshot(), plain.image(), plain.gpus(), null, options);
    }

    /** Of a job with GPUs. */
    static FetchImage fetch(long id) {
        return fetch(id, true);
    }

    static FetchImage fetch(long id, boolean onGpus) {
        return new FetchImage(new JobId(id), ADA.uid(), IMAGE, PullPolicy.MISSING, onGpus);
    }

    static Allocation allocation(int... gpus) {
        return Allocation.whole(Arrays.stream(gpus).mapToObj(Jobs::gpu).toList());
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
        JobOptions none = JobOptions.NONE;
        return with(
                spec(0),
                new JobOptions(
                        none.tags(),
                        none.pull(),
                        null,
                        cpuMilli,
                        memoryBytes,
                        null,
                        none.network(),
                        none.mounts(),
                        false,
                        null));
    }

    /** A share of one GPU, of one that will do. */
    static JobSpec share(int milli, GpuTraits traits) {
        return with(spec(0), new GpuRequest(milli), JobOptions.NONE.with(traits));
    }

    static JobSpec with(JobSpec spec, JobOptions options) {
        return with(spec, spec.gpus(), options);
    }

    private static JobSpec with(JobSpec spec, GpuRequest gpus, JobOptions options) {
        return new JobSpec(spec.name(), spec.project(), spec.snapshot(), spec.image(), gpus, spec.timeLimit(), options);
    }
}
