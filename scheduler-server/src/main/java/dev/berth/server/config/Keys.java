package dev.berth.server.config;

import static dev.berth.server.config.Types.ADDRESS;
import static dev.berth.server.config.Types.ALLOWED_HOST;
import static dev.berth.server.config.Types.BOOL;
import static dev.berth.server.config.Types.DURATION;
import static dev.berth.server.config.Types.DURATION_OR_OFF;
import static dev.berth.server.config.Types.FOREIGN_POLICY;
import static dev.berth.server.config.Types.GPU_COUNT;
import static dev.berth.server.config.Types.GPU_WORD;
import static dev.berth.server.config.Types.HOST;
import static dev.berth.server.config.Types.IMAGE;
import static dev.berth.server.config.Types.LOGIN;
import static dev.berth.server.config.Types.MAIL_ADDRESS;
import static dev.berth.server.config.Types.MEMBER;
import static dev.berth.server.config.Types.NETWORK;
import static dev.berth.server.config.Types.PATH;
import static dev.berth.server.config.Types.SIZE;
import static dev.berth.server.config.Types.decimal;
import static dev.berth.server.config.Types.list;
import static dev.berth.server.config.Types.number;
import static dev.berth.server.config.Types.word;

import dev.berth.core.job.PullPolicy;
import dev.berth.server.gpu.nvidia.GpuMode;
import dev.berth.server.gpu.nvidia.NvidiaReaders;
import dev.berth.server.gpu.occupy.ForeignPolicy;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Every setting there is. Parsing, suggestions, {@code berth config show} and the reference come from this table. */
public final class Keys {
    /** In the order in which the constants below stand, which is the one in which people see them. */
    private static final List<Key<?>> MADE = new ArrayList<>();

    private static final int MAX_COUNT = 1_000_000_000;
    private static final int MAX_CONNECTIONS = 65_536;

    public static final Key<Path> DATA_DIRECTORY = of(
            "server.data-dir",
            PATH,
            null,
            "Where everything of this server is. Without it `/var/lib/berth` for a server of root, else"
                    + " `$XDG_STATE_HOME/berth` (`~/.local/state/berth`)",
            "--data-dir");
    public static final Key<Path> SOCKET = of(
            "server.socket",
            PATH,
            null,
            "The Unix socket that commands use. Without it `berth.sock` in the data directory",
            "--socket");
    public static final Key<Boolean> GPUS = of(
            "server.gpus",
            BOOL,
            "false",
            "Whether the machine's GPUs are allocated, those that `CUDA_VISIBLE_DEVICES` leaves",
            "--gpus");
    public static final Key<Integer> WORKERS = of(
            "server.workers",
            number(1, 1_024),
            null,
            "How many jobs run at once. Without it the number of GPUs, at least 1",
            "--workers");
    public static final Key<Integer> CPU_WORKERS = of(
            "server.cpu-workers",
            number(0, 1_024),
            "0",
            "How many more jobs without a GPU run at once, in a queue of their own",
            "--cpu-workers");
    public static final Key<Integer> SIMULATE_GPUS = of(
            "server.simulate-gpus",
            number(0, 1_024),
            "0",
            "How many simulated GPUs are allocated in place of the machine's",
            "--simulate-gpus");
    public static final Key<InetAddress> BIND =
            of("server.bind", ADDRESS, "127.0.0.1", "The address of this machine to listen at over TCP", "--bind");
    public static final Key<Integer> PORT =
            of("server.port", number(0, 65_535), "5555", "The TCP port; 0 takes any free one", "--port");
    public static final Key<List<String>> HOSTS =
            of("server.hosts", list(HOST), "", "Further names of this machine that a request over TCP may be for");
    public static final Key<Boolean> ALLOW_INSECURE_BIND = of(
            "server.allow-insecure-bind",
            BOOL,
            "false",
            "Whether other machines may connect without TLS, so"
                    + " that everybody on the way can read and change what is said",
            "--allow-insecure-bind");
    public static final Key<Integer> MAX_CONNECTIONS_ALL = of(
            "server.max-connections", number(1, MAX_CONNECTIONS), "512", "How many connections there may be at once");
    public static final Key<Integer> MAX_CONNECTIONS_PER_USER = of(
            "server.max-connections-per-user", number(1, MAX_CONNECTIONS), "64", "How many of them one user may have");

    public static final Key<NvidiaReaders.Way> GPU_READER = of(
            "gpus.reader",
            word(NvidiaReaders.Way.class, "auto, nvml or nvidia-smi"),
            "auto",
            "What the GPUs are read by: NVIDIA's library, `nvidia-smi`, or `auto`, the library and `nvidia-smi` where"
                    + " there is none");
    public static final Key<Path> GPU_LIBRARY = optional(
            "gpus.library", PATH, "NVIDIA's library. Without it the `libnvidia-ml.so.1` that the driver installed");
    public static final Key<GpuMode> GPU_MODE = of(
            "gpus.mode",
            word(GpuMode.class, "runtime, device-request, cdi or auto"),
            "runtime",
            "By which of Docker's ways jobs come to their GPUs; `auto` takes the first that this machine has",
            "--gpu-mode");
    public static final Key<Boolean> GPU_MPS = of(
            "gpus.mps",
            BOOL,
            "false",
            "Whether jobs that share a GPU are held to their part by NVIDIA's Multi-Process Service, where its daemon"
                    + " runs; they then share the machine's IPC namespace");
    public static final Key<Path> GPU_MPS_PIPE = of(
            "gpus.mps-pipe", PATH, "/tmp/nvidia-mps", "Where that daemon's pipes are, its `CUDA_MPS_PIPE_DIRECTORY`");
    public static final Key<Duration> GPU_SAMPLE_EVERY = of(
            "gpus.sample-every",
            DURATION_OR_OFF,
            "1s",
            "How often the GPUs are looked at for what is shown and kept of their use; `off` keeps nothing, and ends no"
                    + " idle job");
    public static final Key<Duration> GPU_IDLE_WARNING = of(
            "gpus.idle-warning",
            DURATION_OR_OFF,
            "15m",
            "After how long a job that leaves all its GPUs idle gets a warning; `off` for never");
    public static final Key<Integer> GPU_SHARES = of(
            "gpus.shares",
            number(1, 64),
            "1",
            "How many jobs may share one GPU, each with a part of it (`--num-gpus 0.5`); 1 allocates GPUs"
                    + " whole. A share is kept by agreement alone: nothing keeps the jobs' memory apart",
            "--gpu-shares");
    public static final Key<List<GpuWord>> GPU_SHARES_OF =
            of("gpus.shares-of", list(GPU_COUNT), "", "The same for single GPUs, as in `0=4`");
    public static final Key<List<GpuWord>> GPU_LABELS = of(
            "gpus.labels",
            list(GPU_WORD),
            "",
            "Words for single GPUs that jobs can ask for (`--gpu-label`), as in `0=fast`");
    public static final Key<Integer> MAX_FAILED_STARTS = of(
            "gpus.max-failed-starts",
            number(1, 1_000),
            "3",
            "After so many starts in a row that failed on a GPU it is drained");
    public static final Key<Boolean> SAFE_GPU_LOCK = of(
            "gpus.safe-gpu-lock",
            BOOL,
            "true",
            "Whether GPUs are chosen under the lock of safe-gpu's users, so that neither takes what the other has just"
                    + " found free");
    public static final Key<ForeignPolicy> FOREIGN = of(
            "gpus.foreign",
            FOREIGN_POLICY,
            "any-process",
            "Which processes that are none of Berth's keep a GPU from being allocated: `any-process` that computes;"
                    + " `memory:N`, any that holds N MiB of its memory or more; `ignore-graphics`, any that computes and"
                    + " does not draw; `off`, none");
    public static final Key<Boolean> PLACEHOLDER = of(
            "gpus.placeholder",
            BOOL,
            "false",
            "Whether a process of Berth's keeps a job's place on its GPUs, so that safe-gpu's users see them taken"
                    + " before the job itself begins to use them; it takes a few hundred MiB of each GPU's memory, and"
                    + " `python3`");
    public static final Key<Duration> CLEAN_WITHIN = of(
            "gpus.clean-within",
            DURATION,
            "10s",
            "How long a GPU may take to be clean after a job: no process of it left, its memory back; then it is"
                    + " drained");

    public static final Key<Path> KEY_STORE =
            optional("tls.key-store", PATH, "A PKCS #12 file with the server's certificate and its key");
    public static final Key<Path> KEY_STORE_PASSWORD_FILE =
            optional("tls.key-store-password-file", PATH, "A file whose first line is the key store's password");
    public static final Key<Path> CERTIFICATE = of(
            "tls.certificate",
            PATH,
            null,
            "A PEM file with the server's certificate and those above it",
            "--tls-certificate");
    public static final Key<Path> CERTIFICATE_KEY =
            of("tls.key", PATH, null, "A PEM file with the certificate's private key", "--tls-key");

    public static final Key<String> JOB_IMAGE =
            of("jobs.image", IMAGE, "berth-job:latest", "The image of a job that names none", "--image");
    public static final Key<Duration> TIME_LIMIT =
            optional("jobs.time-limit", DURATION, "How long a job may run that names no limit");
    public static final Key<Duration> MAX_TIME_LIMIT =
            optional("jobs.max-time-limit", DURATION, "The longest limit that a job may name");
    public static final Key<ByteSize> MEMORY =
            optional("jobs.memory", SIZE, "How much memory a job may use that names no limit");
    public static final Key<BigDecimal> CPUS =
            optional("jobs.cpus", decimal(1_024), "How many CPUs a job may use that names no limit");
    public static final Key<ByteSize> SHM_SIZE = optional(
            "jobs.shm-size", SIZE, "The size of `/dev/shm` in a job. Without it a share of half the machine's memory");
    public static final Key<String> JOB_NETWORK =
            of("jobs.network", NETWORK, "bridge", "The network of a job that names none");
    public static final Key<List<String>> NETWORKS =
            of("jobs.networks", list(NETWORK), "bridge,none", "The networks that a job may name");
    public static final Key<PullPolicy> PULL = of(
            "jobs.pull",
            word(PullPolicy.class, "missing, always or never"),
            "missing",
            "When a job's image is fetched");
    public static final Key<Integer> MAX_QUEUED_PER_USER =
            of("jobs.max-queued-per-user", number(1, MAX_COUNT), "100000", "How many jobs of one user may wait");
    public static final Key<ByteSize> MAX_SPEC_BYTES = of(
            "jobs.max-spec-bytes",
            SIZE,
            "256KiB",
            "How large what is submitted for one job may be: its command, its variables and its options together");
    public static final Key<ByteSize> MAX_QUEUED_BYTES_PER_USER = of(
            "jobs.max-queued-bytes-per-user",
            SIZE,
            "256MiB",
            "How much that may be for all jobs of one user that have not ended");
    public static final Key<Duration> STOP_GRACE =
            of("jobs.stop-grace", DURATION, "10s", "How long a program that is stopped has after `SIGTERM`");
    public static final Key<Duration> MAX_STOP_GRACE = of(
            "jobs.max-stop-grace",
            DURATION,
            "10m",
            "The longest such time that a job may ask for, for its end at a limit (`--grace`)");
    public static final Key<Duration> ORPHAN_GRACE = of(
            "jobs.orphan-grace",
            DURATION,
            "5m",
            "How long a container of this server's that belongs to no job is left alone before it is stopped and"
                    + " removed");
    public static final Key<Duration> TARGET_LOOK_EVERY = of(
            "jobs.target-look-every",
            DURATION,
            "5s",
            "How often each of the `targets` is asked how far its jobs are, and for what they have written");

    public static final Key<Path> PROFILES = of(
            "profiles.file",
            PATH,
            null,
            "The file of the profiles that jobs can name (`--profile`), in QHub's form; it is read anew when it has changed."
                    + " Without it `profiles.yaml` beside the machine's configuration, which need not be there",
            null);

    public static final Key<Boolean> PASS_WHILE_PULLING = of(
            "queue.pass-while-pulling",
            BOOL,
            "false",
            "Whether a job whose image is still being fetched lets the ones behind it by, of the first 256 that wait;"
                    + " it keeps its place, and is next once its image is here");
    public static final Key<Boolean> START_ONE_BY_ONE = of(
            "queue.start-one-by-one",
            BOOL,
            "false",
            "Whether a job has its turn only once the program of the one before it has started. Without it jobs are"
                    + " given their GPUs in order, and their launches overlap: programs that start together may begin out"
                    + " of order by a fraction of a second");
    public static final Key<Boolean> DROP_UNFIT = of(
            "queue.drop-unfit",
            BOOL,
            "false",
            "Whether a queued job that asks for more than this server has fails; else it is set aside, and goes on"
                    + " once a server is started that has it",
            "--drop-unfit");

    public static final Key<Boolean> BOOKING_CORES = of(
            "booking.cores",
            BOOL,
            "true",
            "Whether a job that names a number of CPUs gets cores of its own, of those that this server may use, and"
                    + " waits until they are free; else it gets a share of time");
    public static final Key<ByteSize> BOOKING_MEMORY = optional(
            "booking.memory",
            SIZE,
            "How much memory is promised at once to jobs that name a limit; a job that does not fit waits. Without it"
                    + " the machine's, or what the server's own cgroup or the engine leaves of it");

    public static final Key<List<Member>> ADMINISTRATORS =
            of("access.administrators", list(MEMBER), "", "Who may do what root may; `@NAME` stands for a group");
    public static final Key<List<Member>> READERS =
            of("access.readers", list(MEMBER), "", "Who may see the jobs of everybody; `@NAME` stands for a group");
    public static final Key<AnonymousAccess> ANONYMOUS = of(
            "access.anonymous",
            word(AnonymousAccess.class, "none or read"),
            "none",
            "Whether whoever reaches the server over TCP may see GPUs, queue and jobs as a reader does, without a login");

    public static final Key<Boolean> PAGE =
            of("page.enabled", BOOL, "true", "Whether browsers get the page at the server's address over TCP");

    public static final Key<Boolean> MOUNTS_ENABLED =
            of("mounts.enabled", BOOL, "true", "Whether jobs may use directories of this machine");
    public static final Key<List<Path>> MOUNTS_ALLOW = of(
            "mounts.allow",
            list(PATH),
            "",
            "The directories below which jobs may use them. Without one, whatever the"
                    + " submitter may reach, but for places that are never allowed");
    public static final Key<List<Path>> MOUNTS_READ_ONLY =
            of("mounts.read-only", list(PATH), "", "The directories below which jobs may read only");

    public static final Key<Boolean> ROOT_JOBS =
            of("privileges.root-jobs", BOOL, "true", "Whether root's jobs may run as root in their containers");
    public static final Key<Boolean> HOST_NETWORK =
            of("privileges.host-network", BOOL, "false", "Whether jobs may use the machine's own network");
    public static final Key<Boolean> DOCKER_SOCKET = of(
            "privileges.docker-socket",
            BOOL,
            "false",
            "Whether jobs may be given the engine's socket, which makes them root on this machine");

    public static final Key<ByteSize> SNAPSHOT_MAX_BYTES =
            of("snapshots.max-bytes", SIZE, "1GiB", "How large a submitted directory may be");
    public static final Key<Integer> SNAPSHOT_MAX_FILES =
            of("snapshots.max-files", number(1, MAX_COUNT), "100000", "How many files a submitted directory may have");
    public static final Key<ByteSize> SNAPSHOT_QUOTA =
            of("snapshots.quota", SIZE, "20GiB", "How much one user's submitted directories may take");

    public static final Key<ByteSize> LOG_MAX_BYTES =
            of("logs.max-bytes", SIZE, "1GiB", "How much of what a job writes is kept");

    public static final Key<Duration> RETENTION_AGE =
            optional("retention.age", DURATION, "How long ended jobs are kept");
    public static final Key<ByteSize> RETENTION_SIZE =
            optional("retention.size", SIZE, "How much the files of ended jobs may take");
    public static final Key<Integer> RETENTION_JOBS =
            optional("retention.jobs", number(1, MAX_COUNT), "How many ended jobs are kept");

    public static final Key<Integer> BACKUPS_KEEP = of(
            "backups.keep",
            number(0, 1_000),
            "7",
            "How many of the backups that the server makes by itself are kept; with 0 it makes none");
    public static final Key<Duration> BACKUPS_EVERY = of(
            "backups.every",
            DURATION,
            "1d",
            "How long after the last of them it makes the next; it looks once an hour");

    public static final Key<Boolean> NOTIFY = of(
            "notify.enabled",
            BOOL,
            "true",
            "Whether others are told of jobs: `--notify`, `berth notify` and `notify.receivers`");
    public static final Key<Boolean> NOTIFY_COMMANDS = of(
            "notify.commands",
            BOOL,
            "true",
            "Whether users may have commands of theirs run on this machine, with their own rights: `--notify cmd:COMMAND`");
    public static final Key<Path> NOTIFY_RECEIVERS = optional(
            "notify.receivers",
            PATH,
            "A file that no other user can read, of a line `MOMENT[,MOMENT...]:RECEIVER` for each receiver that is told of"
                    + " everybody's jobs");
    public static final Key<List<AllowedHost>> NOTIFY_ALLOW = of(
            "notify.allow",
            list(ALLOWED_HOST),
            "",
            "Hosts and networks beside the public internet that notices may be sent to, also without TLS, as in"
                    + " `chat.example.org:8443,10.1.0.0/16`");
    public static final Key<String> MAIL_SERVER =
            optional("notify.mail-server", HOST, "The mail server that sends notices as mail; without it none are");
    public static final Key<Integer> MAIL_PORT =
            of("notify.mail-port", number(1, 65_535), "587", "Its port for mail of users and programs");
    public static final Key<MailSecurity> MAIL_SECURITY = of(
            "notify.mail-security",
            word(MailSecurity.class, "starttls, tls or none"),
            "starttls",
            "How it is spoken to: by TLS after a greeting, from the beginning, or in plain text, with which no password is sent");
    public static final Key<String> MAIL_FROM =
            optional("notify.mail-from", MAIL_ADDRESS, "The address that mail comes from");
    public static final Key<String> MAIL_USER =
            optional("notify.mail-user", LOGIN, "Who sends it, where the server wants to know");
    public static final Key<Path> MAIL_PASSWORD_FILE =
            optional("notify.mail-password-file", PATH, "A file whose first line is that user's password");

    static final List<Key<?>> ALL = List.copyOf(MADE);

    static final List<String> NAMES = ALL.stream().<String>map(Key::name).toList();

    static final List<String> SECTIONS =
            ALL.stream().<String>map(Key::section).distinct().toList();

    private Keys() {}

    /** A setting that always has a value. */
    private static <T> Key<T> of(String name, ValueType<T> type, String otherwise, String description) {
        return of(name, type, otherwise, description, null);
    }

    /** A setting that may have none. */
    private static <T> Key<T> optional(String name, ValueType<T> type, String description) {
        return of(name, type, null, description, null);
    }

    private static <T> Key<T> of(
            String name, ValueType<T> type, @Nullable String otherwise, String description, @Nullable String flag) {
        Key<T> key = new Key<>(name, type, otherwise, description, flag);
        MADE.add(key);
        return key;
    }
}
