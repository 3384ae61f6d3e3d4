package dev.berth.core.option;

import dev.berth.core.job.Packing;
import dev.berth.core.job.Resources;
import dev.berth.core.job.Retry;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Every option of a job there is, in the order in which people see them. */
public enum JobOption {
    GPUS(
            OptionKind.GPUS,
            "gpus",
            Place.ANY,
            "",
            "N",
            "How many GPUs the job needs; below 1 a share of one. Default: 0.",
            Elsewhere.slurm("--gres", "--gpus", "-G", "--gpus-per-node", "--gpus-per-task")
                    .andAtlas("num_gpus")
                    .andQhub("extra_resource_limits", "extra_resource_guarantees"),
            "--num-gpus"),
    GPU_MEMORY(
            OptionKind.SIZE,
            "gpuMemoryBytes",
            Place.ANY,
            "GPU memory",
            "SIZE",
            "How much memory each GPU must have for it: " + Forms.SIZE + ".",
            Elsewhere.NOWHERE,
            "--gpu-memory"),
    GPU_TYPE(
            OptionKind.TEXT,
            "gpuType",
            Place.ANY,
            "GPU type",
            "TYPE",
            "Only GPUs with this word in their name, for example a100.",
            Elsewhere.slurm("--gres", "--gpus", "-G", "--gpus-per-node", "--gpus-per-task")
                    .andQhub("node_selector"),
            "--gpu-type"),
    GPU_LABELS(
            OptionKind.TEXTS,
            "gpuLabels",
            Place.ANY,
            "GPU labels",
            "LABEL",
            "Only GPUs that the operator labelled so; may be repeated.",
            Elsewhere.slurm("--constraint", "-C"),
            "--gpu-label"),
    NAME(
            OptionKind.TEXT,
            "name",
            Place.ANY,
            "",
            "NAME",
            "What to call the job. Default: the command's first word.",
            Elsewhere.slurm("--job-name", "-J"),
            "--name"),
    PROJECT(
            OptionKind.TEXT,
            "project",
            Place.ANY,
            "project",
            "PROJECT",
            "What it belongs to. Default: the directory's name.",
            Elsewhere.atlas("project_name"),
            "--project"),
    TAGS(
            OptionKind.TEXTS,
            "tags",
            Place.ANY,
            "tags",
            "WORD",
            "A word to keep with the job; may be repeated. berth status shows it.",
            Elsewhere.NOWHERE,
            "--tag"),
    PROFILE(
            OptionKind.TEXT,
            "profile",
            Place.CONTAINER,
            "profile",
            "NAME",
            "Take what the line does not say from this profile; berth profiles lists yours.",
            Elsewhere.NOWHERE.andQhub("display_name"),
            "--profile"),
    IMAGE(
            OptionKind.TEXT,
            "image",
            Place.CONTAINER,
            "image",
            "IMAGE",
            "The container image. Default: the server's; a target with containers needs one named.",
            Elsewhere.atlas("worker.image").andQhub("image"),
            "--image"),
    PULL(
            OptionKind.PULL,
            "pull",
            Place.CONTAINER,
            "pull",
            "WHEN",
            "When to pull the image: missing, always, never.",
            Elsewhere.NOWHERE.andQhub("image_pull_policy"),
            "--pull"),
    ENVIRONMENT(
            OptionKind.VARIABLES,
            "environment",
            Place.CONTAINER,
            "",
            "K=V",
            "A variable for the program; -e K passes the value it has here.",
            Elsewhere.slurm("--export").andAtlas("worker.environment").andQhub("environment"),
            "-e",
            "--env"),
    ENVIRONMENT_FILES(
            OptionKind.VARIABLE_FILES,
            "environment",
            Place.CONTAINER,
            "",
            "FILE",
            "Variables from a file, NAME=VALUE a line; -e beats it.",
            Elsewhere.NOWHERE,
            "--env-file"),
    VOLUMES(
            OptionKind.VOLUMES,
            "volumes",
            Place.CONTAINER,
            "volumes",
            "SRC:DST[:ro]",
            "A directory of the machine for the program to see.",
            Elsewhere.atlas("worker.volumes"),
            "-v",
            "--volume"),
    WORKING_DIRECTORY(
            OptionKind.TEXT,
            "workingDirectory",
            Place.CONTAINER,
            "work dir",
            "DIR",
            "Where in the container the program starts. Default: the directory.",
            Elsewhere.atlas("worker.working_dir"),
            "-w",
            "--workdir"),
    ENTRYPOINT(
            OptionKind.TEXT,
            "entrypoint",
            Place.CONTAINER,
            "",
            "PROGRAM",
            "A program to put before the command.",
            Elsewhere.atlas("entrypoint", "worker.entrypoint"),
            "--entrypoint"),
    CPUS(
            OptionKind.CPUS,
            "cpuMilli",
            Place.ANY,
            "CPUs",
            "N",
            "How many CPUs it may use, for example 1.5; of berth run and lease, how many cores of its own it keeps to.",
            Elsewhere.slurm("--cpus-per-task", "-c").andQhub("cpu_limit"),
            "--cpus"),
    CPU_GUARANTEE(
            OptionKind.CPUS,
            "cpuGuaranteeMilli",
            Place.CONTAINER,
            "CPUs kept",
            "N",
            "How many of them are kept for it, where it may use more. Default: all.",
            Elsewhere.NOWHERE.andQhub("cpu_guarantee"),
            "--cpu-guarantee"),
    NICE(
            new Bounds(0, Resources.MAX_NICE),
            "nice",
            Place.PROGRAM,
            "nice",
            "N",
            "How far it stands back where others want the CPUs too, 0 to 19, as nice(1) has it. Default: 0.",
            Elsewhere.NOWHERE,
            "--nice"),
    MEMORY(
            OptionKind.MEMORY,
            "memoryBytes",
            Place.CONTAINER,
            "memory",
            "SIZE",
            "How much memory it may use: " + Forms.SIZE + "; a plain number is GB.",
            Elsewhere.slurm("--mem").andAtlas("ram").andQhub("mem_limit"),
            "--memory",
            "--ram"),
    MEMORY_GUARANTEE(
            OptionKind.MEMORY,
            "memoryGuaranteeBytes",
            Place.CONTAINER,
            "memory kept",
            "SIZE",
            "How much of it is kept for it, where it may use more. Default: all.",
            Elsewhere.NOWHERE.andQhub("mem_guarantee"),
            "--memory-guarantee"),
    SHM(
            OptionKind.SIZE,
            "shmBytes",
            Place.CONTAINER,
            "/dev/shm",
            "SIZE",
            "How large its /dev/shm is: " + Forms.SIZE + ".",
            Elsewhere.NOWHERE.andQhub("volumes", "volume_mounts", "extra_pod_config", "extra_container_config"),
            "--shm-size"),
    TIME(
            OptionKind.DURATION,
            "timeLimitSeconds",
            Place.ANY,
            "time limit",
            "DURATION",
            "End the program after this time: " + Forms.DURATION + ".",
            Elsewhere.slurm("--time", "-t"),
            "--time",
            "--time-limit"),
    IDLE(
            OptionKind.DURATION,
            "idleTimeoutSeconds",
            Place.ANY,
            "idle limit",
            "DURATION",
            "End it once all its GPUs were idle so long. Default: never.",
            Elsewhere.NOWHERE,
            "--idle-timeout"),
    SIGNAL(
            OptionKind.SIGNAL,
            "signal",
            Place.PROGRAM,
            "signal",
            "NAME[@TIME]",
            "Send the program this signal so long before its time limit: " + Forms.SIGNAL + ".",
            Elsewhere.slurm("--signal"),
            "--signal"),
    GRACE(
            OptionKind.DURATION,
            "graceSeconds",
            Place.PROGRAM,
            "grace",
            "DURATION",
            "How long it has between TERM and KILL where a limit ends it. Default: the server's.",
            Elsewhere.NOWHERE,
            "--grace"),
    NETWORK(
            OptionKind.TEXT,
            "network",
            Place.CONTAINER,
            "network",
            "NAME",
            "The network of Docker's that it is on.",
            Elsewhere.NOWHERE,
            "--network"),
    REQUEUE(
            OptionKind.FLAG,
            "requeue",
            Place.CONTAINER,
            "requeue",
            "",
            "Queue it again, in its place, when the machine loses it.",
            Elsewhere.slurm("--requeue"),
            "--requeue"),
    RETRIES(
            new Bounds(0, Retry.MAX),
            "retries",
            Place.CONTAINER,
            "retries",
            "N",
            "Start it again when it fails, up to N times, from the same files. Default: 0.",
            Elsewhere.NOWHERE,
            "--retries"),
    RETRY_ON(
            OptionKind.TEXTS,
            "retryOn",
            Place.CONTAINER,
            "retry on",
            "CAUSE[,...]",
            "After which ends: " + Forms.RETRY_ON + ". Default: exit,oom,lost.",
            Elsewhere.NOWHERE,
            "--retry-on"),
    RETRY_DELAY(
            OptionKind.TEXT,
            "retryDelay",
            Place.CONTAINER,
            "retry delay",
            "DURATION",
            "How long to wait before that: " + Forms.RETRY_DELAY + ". Default: not at all.",
            Elsewhere.NOWHERE,
            "--retry-delay"),
    RETRY_PLACE(
            OptionKind.TEXT,
            "retryPlace",
            Place.CONTAINER,
            "retry place",
            "PLACE",
            "Where in the queue: keep, its old place, or end. Default: keep.",
            Elsewhere.NOWHERE,
            "--retry-place"),
    TRACK(
            OptionKind.TEXTS,
            "track",
            Place.CONTAINER,
            "track",
            "SOURCE[,...]",
            "What to read for metrics beside the file $BERTH_TRACK: " + Forms.TRACK
                    + ". Default: tensorboard,csv; none at a target.",
            Elsewhere.NOWHERE,
            "--track"),
    AFTER(
            OptionKind.JOBS,
            "dependencies",
            Place.CONTAINER,
            "",
            "ID[,ID...]",
            "Start once these jobs have COMPLETED: ids, ranges, names, last. If one ends otherwise, the job fails unstarted.",
            Elsewhere.NOWHERE,
            "--after"),
    DEPENDENCY(
            OptionKind.DEPENDENCIES,
            "dependencies",
            Place.CONTAINER,
            "after",
            "KIND:ID[:ID...]",
            "Start once each has COMPLETED (afterok), ended (afterany), ended otherwise (afternotok); aftercorr: task by task.",
            Elsewhere.slurm("--dependency", "-d"),
            "--dependency"),
    KEEP_WAITING(
            OptionKind.FLAG,
            "keepWaiting",
            Place.CONTAINER,
            "keep waiting",
            "",
            "When one of them ends otherwise than asked for, wait for berth release; default: fail.",
            Elsewhere.slurm("--kill-on-invalid-dep"),
            "--keep-waiting"),
    BEGIN(
            OptionKind.DATE,
            "begin",
            Place.CONTAINER,
            "begin",
            "WHEN",
            "Do not start before: " + Forms.DATE + ".",
            Elsewhere.slurm("--begin", "-b"),
            "--begin"),
    ARRAY(
            OptionKind.TASKS,
            "array",
            Place.CONTAINER,
            "array",
            "INDICES",
            "Run it once for each index, as one array of tasks: " + Forms.TASKS + ".",
            Elsewhere.slurm("--array", "-a"),
            "--array"),
    REPEAT(
            OptionKind.TASK_COUNT,
            "array",
            Place.CONTAINER,
            "",
            "N",
            "Run it N times, as an array of the tasks 0 to N-1; N%4 runs 4 at a time.",
            Elsewhere.NOWHERE,
            "--repeat"),
    SWEEP(
            OptionKind.TEXTS,
            "sweep",
            Place.CONTAINER,
            "",
            "NAME=VALUES",
            "Run it once for each value, as an array: " + Forms.VALUES + ". Repeated: each value with each.",
            Elsewhere.NOWHERE,
            "--sweep"),
    ZIP(
            OptionKind.TEXTS,
            "zip",
            Place.CONTAINER,
            "",
            "NAME=VALUES",
            "The same, but all parameters given so take their first values together, then their second ones.",
            Elsewhere.NOWHERE,
            "--zip"),
    SAMPLE(
            new Bounds(1, TaskForms.MAX_TASKS),
            "sample",
            Place.CONTAINER,
            "",
            "N",
            "Run N sets of values drawn at random from the sweep, also from ranges: lr=log:1e-5..1e-1, p=0.1..0.5.",
            Elsewhere.NOWHERE,
            "--sample"),
    SEED(
            Forms.SEEDS,
            "seed",
            Place.CONTAINER,
            "",
            "N",
            "Draw others; the same number draws the same sets each time. Default: 0.",
            Elsewhere.NOWHERE,
            "--seed"),
    PACK(
            new Bounds(1, Packing.MAX_SIZE),
            "pack",
            Place.CONTAINER,
            "",
            "K",
            "Run the tasks of an array in packs of K, each pack in one container. Default: a container for each task.",
            Elsewhere.NOWHERE,
            "--pack"),
    PARALLEL(
            new Bounds(1, Packing.MAX_SIZE),
            "parallel",
            Place.CONTAINER,
            "",
            "P",
            "How many tasks of a pack run at the same time, on the same GPUs. Default: 1, one after the other.",
            Elsewhere.NOWHERE,
            "--parallel"),
    NOTIFY(
            OptionKind.TEXTS,
            "notify",
            Place.ANY,
            "notify",
            "[MOMENT,...:]WHERE",
            "Tell others of it: " + Forms.NOTIFY + ". May be repeated.",
            Elsewhere.NOWHERE,
            "--notify"),
    NO_WAIT(
            OptionKind.FLAG,
            "noWait",
            Place.HOST,
            "no wait",
            "",
            "Do not wait: end with code 75, and say what is free, where it cannot start at once.",
            Elsewhere.NOWHERE,
            "--no-wait");

    /** The jobs that have an option: those in a container, those of the machine itself, or both. */
    public enum Place {
        ANY,
        /** Both, but for a shell that is there already. */
        PROGRAM,
        CONTAINER,
        HOST
    }

    private final OptionKind kind;
    /** Two numbers, which nobody can change. */
    @SuppressWarnings("ImmutableEnumChecker")
    private final Bounds bounds;

    private final String field;
    private final Place place;
    private final String title;
    private final String label;
    private final String help;
    /** Its lists are made by {@link List#of}, which nobody can change. */
    @SuppressWarnings("ImmutableEnumChecker")
    private final Elsewhere elsewhere;
    /** Made by {@link List#of}, which nobody can change. */
    @SuppressWarnings("ImmutableEnumChecker")
    private final List<String> names;

    JobOption(
            OptionKind kind,
            String field,
            Place place,
            String title,
            String label,
            String help,
            Elsewhere elsewhere,
            String... names) {
        this(kind, Bounds.ANY, field, place, title, label, help, elsewhere, names);
    }

    /** A whole number within bounds. */
    JobOption(
            Bounds bounds,
            String field,
            Place place,
            String title,
            String label,
            String help,
            Elsewhere elsewhere,
            String... names) {
        this(OptionKind.NUMBER, bounds, field, place, title, label, help, elsewhere, names);
    }

    JobOption(
            OptionKind kind,
            Bounds bounds,
            String field,
            Place place,
            String title,
            String label,
            String help,
            Elsewhere elsewhere,
            String... names) {
        this.kind = kind;
        this.bounds = bounds;
        this.field = field;
        this.place = place;
        this.title = title;
        this.label = label;
        this.help = help;
        this.elsewhere = elsewhere;
        this.names = List.of(names);
    }

    public OptionKind kind() {
        return kind;
    }

    /** Those of a number; what is of another kind has none. */
    public Bounds bounds() {
        return bounds;
    }

    /** The option's name in the API, in requests and in what is shown of a job. */
    public String field() {
        return field;
    }

    public boolean isOf(boolean host) {
        return place != (host ? Place.CONTAINER : Place.HOST);
    }

    /** Whether a shell that is there already has it, too. */
    public boolean isOfShell() {
        return isOf(true) && place != Place.PROGRAM;
    }

    /** The title by which {@code berth status} calls it; empty where that has another way to show it. */
    public String title() {
        return title;
    }

    /** The word for its value in the help. */
    public String label() {
        return label;
    }

    public String help() {
        return help;
    }

    /** The option's names on a command line, the usual one first. */
    public List<String> names() {
        return names;
    }

    /** Its key in a job file, which is its long name without the dashes. */
    public String key() {
        return keys().getFirst();
    }

    /** The keys under which a job file may have it, the usual one first. */
    public List<String> keys() {
        List<String> keys = new ArrayList<>();
        for (String name : names) {
            if (name.startsWith("--")) {
                keys.add(name.substring(2));
            }
        }
        return keys;
    }

    /** What other systems call it. */
    public Elsewhere elsewhere() {
        return elsewhere;
    }

    /** The options behind a field of the API; none where a field has no option. */
    public static List<JobOption> of(@Nullable String field) {
        List<JobOption> options = new ArrayList<>();
        for (JobOption option : values()) {
            if (option.field.equals(field) || (option == GPUS && "gpuMilli".equals(field))) {
                options.add(option);
            }
        }
        return options;
    }
}
