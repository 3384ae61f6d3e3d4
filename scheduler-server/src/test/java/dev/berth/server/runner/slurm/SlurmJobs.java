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
import java.lang.reflect.RecordComponent;
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
        return changed(settings, "partition", partition);
    }

    static SlurmSettings from(SlurmSettings settings, String account) {
        return changed(settings, "account", account);
    }

    static SlurmSettings withQos(SlurmSettings settings, String qos) {
        return changed(settings, "qos", qos);
    }

    static SlurmSettings asking(SlurmSettings settings, String option) {
        return changed(settings, "options", List.of(option));
    }

    static SlurmSettings below(SlurmSettings settings, Path directory) {
        return changed(settings, "directory", directory.toString());
    }

    static SlurmSettings with(SlurmSettings settings, Launcher launcher) {
        return changed(settings, "launcher", launcher);
    }

    static SlurmSettings programs(SlurmSettings settings, Path folder) {
        return changed(settings, "programs", folder.toString());
    }

    static SlurmSettings over(SlurmSettings settings, String host) {
        return changed(settings, "host", host);
    }

    static SlurmSettings within(SlurmSettings settings, Duration deadline) {
        return changed(settings, "deadline", deadline);
    }

    /** The same but for one component. */
    private static SlurmSettings changed(SlurmSettings settings, String name, Object value) {
        try {
            RecordComponent[] components = SlurmSettings.class.getRecordComponents();
            Object[] values = new Object[components.length];
            for (int i = 0; i < components.length; i++) {
                values[i] = components[i].getName().equals(name)
                        ? value
                        : components[i].getAccessor().invoke(settings);
            }
            return (SlurmSettings) SlurmSettings.class.getDeclaredConstructors()[0].newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
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
