package dev.berth.server.runner.docker;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.GpuShare;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Place.InContainer;
import dev.berth.core.job.Program;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Effect.CreateRun;
import dev.berth.core.parameter.TaskParameters;
import dev.berth.server.code.UserDatabase;
import dev.berth.server.code.Workspaces;
import dev.berth.server.log.LogStore;
import dev.berth.server.mount.Granted;
import dev.berth.server.runner.ArrayEnvironment;
import dev.berth.server.runner.docker.ContainerPlan.Limits;
import dev.berth.server.runner.docker.ContainerPlan.Mount;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Makes a container's plan from a launch.
 *
 * @param names how containers are named and labelled
 * @param workspaces where a job's files are
 * @param gpus how GPUs come into containers
 * @param shmBytes size of each container's /dev/shm
 */
public record ContainerPlans(ContainerNames names, Workspaces workspaces, GpuHandover gpus, long shmBytes) {
    public static final String WORKING_DIRECTORY = "/workspace";
    public static final String OUTPUT_DIRECTORY = "/output";

    /** The place of what a job keeps for its later attempts. */
    public static final String CHECKPOINT_DIRECTORY = "/checkpoint";

    /** Where the program of a sweep's task finds its parameters as JSON. */
    private static final String PARAMETERS = "/etc/berth-params.json";

    /** Where a program tells of its job. */
    static final String TRACK = "/etc/berth-track";

    /** The variables by which libraries for numbers learn how many threads to start. */
    private static final List<String> THREAD_COUNTS = List.of(
            "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS", "NUMEXPR_MAX_THREADS");

    /** The job's own cores by the machine's numbers, which it sees too: a cpuset renumbers nothing. */
    private static final String CPU_CORES = "BERTH_CPU_CORES";

    private static final int MILLI = 1_000;

    /** Enough for data loaders and thread pools, too few for a fork bomb to take the machine. */
    private static final long MAX_PIDS = 16_384;

    /** The engine's copy of the log: more than ours takes, by its JSON. Docker empties it when it is full. */
    private static final long ENGINE_LOG_BYTES = 4 * LogStore.MAX_BYTES;

    /**
     * The plan of a launch.
     *
     * @param granted the machine's paths that it was given
     */
    public ContainerPlan of(CreateRun launch, Program program, List<Granted.Source> granted) {
        return of(launch, program, granted, new PackPlan(List.of(), Duration.ZERO));
    }

    /**
     * The plan of the launch of a pack.
     *
     * @param tasks those that it has to run
     */
    public ContainerPlan ofPack(CreateRun launch, Program program, List<Granted.Source> granted, List<Job> tasks) {
        return of(launch, program, granted, new PackPlan(tasks, Duration.ZERO));
    }

    /**
     * The plan of a launch that may be a pack's.
     *
     * @param pack the tasks that a pack has to run
     */
    ContainerPlan of(CreateRun launch, Program program, List<Granted.Source> granted, PackPlan pack) {
        Job job = launch.launch();
        InContainer place = job.spec().container();
        TaskParameters parameters = program.of(job);
        GpuAccess access = gpus.access(launch.allocation());
        Optional<GpuShare> held = gpus.held(launch.allocation());
        return new ContainerPlan(
                names.of(launch.attempt()),
                launch.imageId(),
                command(job, program, parameters, pack),
                job.owner(),
                environment(launch, program, access, held),
                // Inside, the granted GPUs are 0, 1, ...: an index that an image bakes in means something else here.
                List.of("CUDA_VISIBLE_DEVICES"),
                access,
                mounts(job, granted, held.isPresent(), parameters != null, pack),
                Objects.requireNonNullElse(place.workingDirectory(), WORKING_DIRECTORY),
                place.network(),
                held.isPresent(),
                limits(job.spec(), launch.allocation()),
                labels(launch));
    }

    private static List<String> command(Job job, Program program, @Nullable TaskParameters parameters, PackPlan pack) {
        if (job.isPack()) {
            return pack.command(job);
        }
        return parameters == null ? program.command() : parameters.filled(program.command());
    }

    private Map<String, String> labels(CreateRun launch) {
        Map<String, String> labels = new HashMap<>(names.labels(launch.attempt(), launch.allocation()));
        labels.put(ContainerNames.DIRECTORY_LABEL, ContainerNames.directory(workspaces.dataDirectory()));
        return labels;
    }

    /** The submitter's variables first and Berth's own over them, so that nothing they set changes what they get. */
    private Map<String, String> environment(
            CreateRun launch, Program program, GpuAccess access, Optional<GpuShare> held) {
        Job job = launch.launch();
        Allocation allocation = launch.allocation();
        Map<String, String> environment = new LinkedHashMap<>();
        environment.put("PYTHONUNBUFFERED", "1");
        int cores = cores(job.spec(), allocation);
        if (cores > 0) {
            // Libraries count the machine's CPUs, and would start a thread for each.
            THREAD_COUNTS.forEach(name -> environment.put(name, Integer.toString(cores)));
        }
        environment.putAll(program.environment());
        environment.put("HOME", UserDatabase.home(job.owner()));
        environment.put("USER", job.owner().name());
        environment.put("BERTH_JOB_ID", job.number());
        environment.putAll(ArrayEnvironment.of(job));
        TaskParameters parameters = program.of(job);
        if (parameters != null) {
            environment.putAll(parameters.variables());
            environment.put("BERTH_PARAMS", PARAMETERS);
        }
        environment.put("BERTH_ATTEMPT", Integer.toString(launch.attempt().number()));
        if (job.retried() > 0) {
            // As Slurm tells a job that it has requeued (sbatch(1), "OUTPUT ENVIRONMENT VARIABLES").
            environment.put("SLURM_RESTART_COUNT", Integer.toString(job.retried()));
        }
        environment.put("BERTH_NUM_GPUS", Integer.toString(job.spec().gpus().count()));
        environment.put("BERTH_GPU_UUIDS", allocation.uuids());
        environment.put("BERTH_PROJECT", job.spec().project());
        environment.put("BERTH_OUTPUT_DIR", OUTPUT_DIRECTORY);
        environment.put("BERTH_CHECKPOINT_DIR", CHECKPOINT_DIRECTORY);
        environment.put("BERTH_TRACK", TRACK);
        environment.put(GpuEnvironment.VISIBLE_DEVICES, access.visibleDevices());
        environment.remove("CUDA_VISIBLE_DEVICES");
        if (allocation.cpus().isEmpty()) {
            environment.remove(CPU_CORES);
        } else {
            environment.put(CPU_CORES, joined(allocation.cpus()));
        }
        Mps.VARIABLES.forEach(environment::remove);
        Mps mps = gpus.mps();
        if (mps != null) {
            held.ifPresent(share -> environment.putAll(mps.environment(share, gpus.memoryMiB(share))));
        }
        return environment;
    }

    /** The number of cores that a job runs on at once: those of its own, or as many as it may use; 0 for all. */
    private static int cores(JobSpec spec, Allocation allocation) {
        int milli = Objects.requireNonNullElse(spec.resources().cpuMilli(), 0);
        return allocation.cpus().isEmpty()
                ? Math.ceilDiv(milli, MILLI)
                : allocation.cpus().size();
    }

    private static String joined(List<Integer> cpus) {
        return cpus.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    private Limits limits(JobSpec spec, Allocation allocation) {
        return new Limits(
                Objects.requireNonNullElse(spec.resources().cpuMilli(), 0),
                spec.resources().nice(),
                allocation.cpus(),
                Objects.requireNonNullElse(spec.resources().memoryBytes(), 0L),
                Objects.requireNonNullElse(spec.container().shmBytes(), shmBytes),
                MAX_PIDS,
                ENGINE_LOG_BYTES);
    }

    private List<Mount> mounts(
            Job job, List<Granted.Source> granted, boolean held, boolean hasParameters, PackPlan pack) {
        Path place = workspaces.of(Attempt.of(job));
        // Berth had no such directory when a job was accepted that mounts something there.
        boolean isTaken = granted.stream().anyMatch(source -> source.target().equals(CHECKPOINT_DIRECTORY));
        List<Mount> kept = job.isPack()
                ? pack.mounts(workspaces, workspaces.pack(Attempt.of(job)))
                : List.of(
                        new Mount(workspaces.output(job), OUTPUT_DIRECTORY, false),
                        new Mount(workspaces.checkpoint(job), CHECKPOINT_DIRECTORY, false),
                        new Mount(workspaces.track(job), TRACK, false));
        List<Mount> own = List.of(
                new Mount(place.resolve("home"), UserDatabase.home(job.owner()), false),
                new Mount(place.resolve("passwd"), "/etc/passwd", true),
                new Mount(place.resolve("group"), "/etc/group", true));
        Mount file = new Mount(workspaces.parameters(Attempt.of(job)), PARAMETERS, true);
        return Stream.of(
                        Stream.of(new Mount(place.resolve("workspace"), WORKING_DIRECTORY, false)),
                        kept.stream()
                                .filter(mount -> !isTaken || !mount.target().equals(CHECKPOINT_DIRECTORY)),
                        own.stream(),
                        Stream.ofNullable(hasParameters ? file : null),
                        Stream.ofNullable(held ? gpus.mps() : null).map(Mps::mount),
                        granted.stream().map(source -> new Mount(source.path(), source.target(), source.readOnly())))
                .flatMap(mounts -> mounts)
                .toList();
    }
}
