package dev.berth.server.runner.slurm;

import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.GpuTraits;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Limits;
import dev.berth.core.job.Program;
import dev.berth.core.job.Resources;
import dev.berth.core.job.Submitter;
import dev.berth.core.machine.Attempt;
import dev.berth.server.example.Jobs;
import dev.berth.server.runner.slurm.SlurmSettings.Container;
import dev.berth.server.runner.slurm.SlurmSettings.Launcher;
import dev.berth.server.runner.target.Handed;
import dev.berth.server.runner.target.Handover;
import dev.berth.server.runner.target.Snapshot;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Jobs that are handed over to Slurm in tests. */
final class SlurmJobs {
    static final Submitter ADA = Jobs.ADA;

    private SlurmJobs() {}

    static SlurmSettings settings(Map<String, String> environment, String directory) {
        return new SlurmSettings(
                null,
                null,
                environment,
                directory,
                null,
                null,
                null,
                List.of(),
                new Launcher(Container.NONE, null),
                Duration.ofSeconds(20));
    }

    static SlurmSettings in(SlurmSettings settings, String partition) {
        return new SlurmSettings(
                settings.host(),
                settings.programs(),
                settings.environment(),
                settings.directory(),
                partition,
                settings.account(),
                settings.qos(),
                settings.options(),
                settings.launcher(),
                settings.deadline());
    }

    static SlurmSettings with(SlurmSettings settings, Launcher launcher) {
        return new SlurmSettings(
                settings.host(),
                settings.programs(),
                settings.environment(),
                settings.directory(),
                settings.partition(),
                settings.account(),
                settings.qos(),
                settings.options(),
                launcher,
                settings.deadline());
    }

    static SlurmSettings programs(SlurmSettings settings, Path folder) {
        return new SlurmSettings(
                settings.host(),
                folder.toString(),
                settings.environment(),
                settings.directory(),
                settings.partition(),
                settings.account(),
                settings.qos(),
                settings.options(),
                settings.launcher(),
                settings.deadline());
    }

    static SlurmSettings within(SlurmSettings settings, Duration deadline) {
        return new SlurmSettings(
                settings.host(),
                settings.programs(),
                settings.environment(),
                settings.directory(),
                settings.partition(),
                settings.account(),
                settings.qos(),
                settings.options(),
                settings.launcher(),
                deadline);
    }

    static Handed handed(long id, Submitter owner) {
        Job job = job(id, Jobs.spec(0), owner);
        return new Handed(Attempt.of(job), "berth-test-" + id + "-1", owner, Instant.now());
    }

    static Job job(long id, JobSpec spec, Submitter owner) {
        return Jobs.job(id, spec, owner, Jobs.accepted(id, 0).state());
    }

    static JobSpec spec(int gpus) {
        return Jobs.spec(gpus, null);
    }

    static JobSpec ofType(int gpus, String type) {
        return Jobs.with(
                spec(gpus), new Resources(GpuRequest.whole(gpus), new GpuTraits(null, type, List.of()), null, null, 0));
    }

    static JobSpec limited(Duration time) {
        return Jobs.with(spec(0), new Limits(time, null));
    }

    static Handover handover(Handed handed, JobSpec spec, Program program, @Nullable Snapshot snapshot) {
        return new Handover(
                handed,
                job(handed.attempt().job().value(), spec, handed.owner()),
                program,
                Map.of("BERTH_JOB_ID", handed.attempt().job().toString()),
                snapshot);
    }

    /** A program of the shell's. */
    static Program shell(String line) {
        return new Program(List.of("sh", "-c", line), Map.of());
    }
}
