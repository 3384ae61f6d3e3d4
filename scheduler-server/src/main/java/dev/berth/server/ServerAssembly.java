package dev.berth.server;

import dev.berth.core.job.GpuId;
import dev.berth.core.job.Job;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Capacity;
import dev.berth.core.machine.Effect;
import dev.berth.core.machine.Lane;
import dev.berth.core.machine.Machine;
import dev.berth.server.cgroup.LeaseCgroups;
import dev.berth.server.code.SnapshotArchive;
import dev.berth.server.code.SnapshotStore;
import dev.berth.server.code.UploadLimits;
import dev.berth.server.code.Workspaces;
import dev.berth.server.config.ByteSize;
import dev.berth.server.config.Keys;
import dev.berth.server.config.Settings;
import dev.berth.server.gpu.GpuReading;
import dev.berth.server.http.route.ApiParts;
import dev.berth.server.http.submit.SubmitParts;
import dev.berth.server.http.view.ServerFacts;
import dev.berth.server.linux.HostName;
import dev.berth.server.linux.ProcessUse;
import dev.berth.server.linux.Users;
import dev.berth.server.log.LogStore;
import dev.berth.server.loop.FoundAtStart;
import dev.berth.server.loop.FoundAtStart.Boot;
import dev.berth.server.loop.Scheduling;
import dev.berth.server.loop.SchedulingLoop;
import dev.berth.server.mount.Mounts;
import dev.berth.server.notify.CommandRules;
import dev.berth.server.notify.Notifications;
import dev.berth.server.notify.NotifyRules;
import dev.berth.server.notify.ServerReceivers;
import dev.berth.server.profile.Profiles;
import dev.berth.server.retention.JobDeletion;
import dev.berth.server.retention.Retention;
import dev.berth.server.retention.RetentionPolicy;
import dev.berth.server.runner.EffectParts;
import dev.berth.server.runner.EffectRunner;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineHealth;
import dev.berth.server.runner.Notices;
import dev.berth.server.runner.Runners;
import dev.berth.server.runner.StartForecasts;
import dev.berth.server.runner.docker.ContainerEngine;
import dev.berth.server.runner.docker.ContainerNames;
import dev.berth.server.runner.docker.ContainerNews;
import dev.berth.server.runner.docker.ContainerParts;
import dev.berth.server.runner.docker.ContainerPlans;
import dev.berth.server.runner.docker.CudaCheck;
import dev.berth.server.runner.docker.DockerRunner;
import dev.berth.server.runner.docker.EngineFacts;
import dev.berth.server.runner.docker.GpuHandover;
import dev.berth.server.runner.docker.check.TestStarts;
import dev.berth.server.runner.docker.image.Images;
import dev.berth.server.runner.host.HostRunner;
import dev.berth.server.runner.host.LeaseParts;
import dev.berth.server.runner.host.ProcessKernel;
import dev.berth.server.runner.target.HandoverLinks;
import dev.berth.server.runner.target.HandoverMarks;
import dev.berth.server.runner.target.TargetDirectory;
import dev.berth.server.runner.target.TargetParts;
import dev.berth.server.runner.target.TargetRunner;
import dev.berth.server.runner.target.Targets;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.JobStore;
import dev.berth.server.store.database.Backups;
import dev.berth.server.time.Clocks;
import dev.berth.server.track.Tracking;
import dev.berth.server.upkeep.BackgroundWork;
import dev.berth.server.usage.SimulatedReadings;
import dev.berth.server.usage.Usage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts of a server, connected; nothing runs yet. The server, the tests of its API and the simulation are made by
 * it alike.
 */
public record ServerAssembly(
        JobStore store,
        JobQueries queries,
        Backups backups,
        SnapshotStore snapshots,
        Workspaces workspaces,
        LogStore logs,
        SubmitParts submits,
        ContainerEngine engine,
        ContainerNames names,
        ContainerNews news,
        Images images,
        EngineHealth health,
        StartForecasts forecasts,
        HostRunner hosts,
        TargetRunner targets,
        Runners runners,
        Scheduling scheduling,
        Occupancy occupancy,
        EffectRunner effects,
        Usage usage,
        Tracking tracking,
        Notifications notices,
        BackgroundWork background,
        TargetDirectory directory,
        HandoverLinks links,
        Clocks clock)
        implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ServerAssembly.class);
    private static final long MIN_SHM_BYTES = 64L << 20;

    /** The longest time from KILL until a program is gone and its end is known. */
    private static final Duration AFTER_KILL = Duration.ofSeconds(20);

    /** The places of a server's files. */
    public record Places(Path database, Path snapshots, Path jobs) {}

    /**
     * The parts that a server is made of.
     *
     * @param scheduling on that store
     * @param news takes to it what the runners have to tell
     * @param boot under which the machine runs; null where it does not say
     * @param isRoot whether files may be given to others
     * @param fatal hears of what ends the server against its will
     */
    public record Parts(
            Settings settings,
            Places places,
            Scheduling scheduling,
            Notices news,
            Machinery machinery,
            JobStore store,
            @Nullable Boot boot,
            boolean isRoot,
            Consumer<Throwable> fatal) {}

    /**
     * The machine outside of a server, of which tests have another.
     *
     * @param readings what a GPU shows, now
     * @param occupancy looks after the GPUs
     * @param gpus how GPUs come into containers
     * @param kernel has the programs on the machine itself
     * @param cgroups hold what comes of them
     * @param commands whose are run, to be told of jobs
     * @param targets beyond it, to which jobs are handed over
     * @param links by which they fetch what jobs were submitted with
     * @param background does all that is done beside the loop and the requests
     */
    public record Machinery(
            ContainerEngine engine,
            Function<GpuId, GpuReading> readings,
            Function<Occupancy.Parts, Occupancy> occupancy,
            GpuHandover gpus,
            Mounts mounts,
            ProcessKernel kernel,
            LeaseCgroups cgroups,
            CommandRules commands,
            Targets targets,
            HandoverLinks links,
            BackgroundWork background,
            Clocks clock) {}

    /**
     * Connects the parts. The engine is called for what an earlier server left, before anything is opened.
     *
     * @throws EngineException where it does not answer
     */
    public static ServerAssembly of(Parts parts, ContainerNames names) {
        Settings settings = parts.settings();
        Machinery machinery = parts.machinery();
        ContainerEngine engine = machinery.engine();
        Clocks clock = machinery.clock();
        BackgroundWork background = machinery.background();
        JobStore store = parts.store();
        Scheduling scheduling = parts.scheduling();
        Notices notices = parts.news();
        EngineFacts facts = engine.facts();
        TestStarts starts =
                new TestStarts(engine, machinery.gpus(), names, settings.get(Keys.JOB_IMAGE), clock.steady());
        starts.remove();
        Path database = parts.places().database();
        JobQueries queries = new JobQueries(database, parts.fatal()::accept);
        SnapshotStore snapshots = new SnapshotStore(parts.places().snapshots(), limits(settings), clock.dates());
        Workspaces workspaces = new Workspaces(parts.places().jobs(), snapshots, parts.isRoot());
        takeOver(workspaces);
        LogStore logs = new LogStore(
                workspaces::of, clock, settings.get(Keys.LOG_MAX_BYTES).bytes());
        ContainerPlans plans = new ContainerPlans(
                names,
                workspaces,
                machinery.gpus(),
                shmBytes(facts, scheduling.machine().capacity()));
        HostRunner hosts = new HostRunner(leases(parts, names, workspaces));
        Occupancy occupancy = machinery
                .occupancy()
                .apply(new Occupancy.Parts(
                        engine,
                        names,
                        background,
                        clock,
                        scheduling,
                        List.of(new LeasedProcesses(hosts, scheduling)),
                        queries::number));
        CudaCheck cuda = new CudaCheck(engine, machinery.gpus().driver());
        Images images = new Images(
                engine,
                new Images.Parts(starts, cuda, queries::readableProgram, clock.steady()),
                background.tasks("pulls of images"),
                notices);
        ContainerParts containerParts = new ContainerParts(
                plans,
                workspaces,
                machinery.mounts(),
                logs,
                queries::program,
                queries::packed,
                occupancy.gate(),
                starts,
                settings.get(Keys.STOP_GRACE),
                clock);
        DockerRunner containers =
                new DockerRunner(engine, containerParts, notices, background.tasks("removal of late containers"));
        TargetRunner targets = targets(parts, names, queries, workspaces, snapshots, logs);
        Runners runners = new Runners(containers, hosts, targets);
        EngineHealth health = new EngineHealth(engine::outage, clock);
        EffectParts effectParts = new EffectParts(
                runners,
                images::accept,
                occupancy.gate(),
                occupancy.cleaning(),
                health,
                settings.get(Keys.ORPHAN_GRACE));
        EffectRunner effects = new EffectRunner(effectParts, background.tasks("starts and ends of jobs"), notices);
        return new ServerAssembly(
                store,
                queries,
                Backups.beside(database, parts.fatal()::accept),
                snapshots,
                workspaces,
                logs,
                new SubmitParts(settings, facts, machinery.mounts(), plans, engine, cuda, profiles(settings)),
                engine,
                names,
                new ContainerNews(
                        engine, names.server(), notices, scheduling::machine, containers::isGivenUp, scheduling::seen),
                images,
                health,
                new StartForecasts(health, freeing(settings)),
                hosts,
                targets,
                runners,
                scheduling,
                occupancy,
                effects,
                usage(parts, queries, names, occupancy),
                new Tracking(new Tracking.Parts(
                        database.resolveSibling("tracking.db"),
                        workspaces,
                        logs,
                        scheduling::machine,
                        queries,
                        warning -> Occupancy.warn(scheduling, warning),
                        clock)),
                notices(parts, queries, names),
                background,
                new TargetDirectory(
                        names.server(),
                        machinery.targets(),
                        new Users()::isMember,
                        (name, owner) -> atTarget(scheduling.machine(), name, owner)),
                machinery.links(),
                clock);
    }

    /** The number of a target's jobs that have not ended. */
    private static long atTarget(Machine machine, String target, @Nullable Long owner) {
        return Stream.concat(machine.live().values().stream(), machine.inTurn(Lane.TARGET))
                .filter(job -> target.equals(job.spec().target()))
                .filter(job -> owner == null || job.owner().uid() == owner)
                .count();
    }

    private static TargetRunner targets(
            Parts parts,
            ContainerNames names,
            JobQueries queries,
            Workspaces workspaces,
            SnapshotStore snapshots,
            LogStore logs) {
        Machinery machinery = parts.machinery();
        return new TargetRunner(
                machinery.targets(),
                new TargetParts(
                        new HandoverMarks(parts.places().database().resolveSibling("handovers"), names::of),
                        queries::find,
                        queries::program,
                        workspaces,
                        new SnapshotArchive(snapshots),
                        logs,
                        parts.news(),
                        account -> {
                            var _ = parts.scheduling().write(store -> store.keep(account));
                        },
                        machinery.clock()),
                machinery.background(),
                parts.settings().get(Keys.STOP_GRACE));
    }

    /** Looks at once, so that the log says at the start where their file is wrong. */
    private static Profiles profiles(Settings settings) {
        Profiles profiles = Profiles.of(settings);
        Profiles.State _ = profiles.now();
        return profiles;
    }

    /** The longest time from the end of a time limit until others can have the GPUs. */
    private static Duration freeing(Settings settings) {
        return settings.get(Keys.STOP_GRACE).plus(AFTER_KILL).plus(settings.get(Keys.CLEAN_WITHIN));
    }

    private static LeaseParts leases(Parts parts, ContainerNames names, Workspaces workspaces) {
        JobStore store = parts.store();
        Boot boot = parts.boot();
        boolean isSameBoot = boot != null && store.boot().equals(Optional.of(boot.id()));
        return new LeaseParts(
                names.server(),
                parts.machinery().kernel(),
                parts.machinery().cgroups(),
                () -> boot == null ? List.of() : store.processes(),
                isSameBoot,
                store::live,
                job -> madeTrack(workspaces, job),
                parts.news(),
                parts.scheduling().changes()::raise,
                parts.machinery().background().tasks("host jobs"),
                parts.settings().get(Keys.STOP_GRACE),
                parts.machinery().clock());
    }

    /** A program without it can tell nothing, and runs all the same. */
    private static String madeTrack(Workspaces workspaces, Job job) {
        try {
            workspaces.makeTrack(job);
            return workspaces.track(job).toAbsolutePath().toString();
        } catch (IOException e) {
            LOG.warn("job={} the file for its metrics cannot be made: {}", job.id(), e.toString());
            return "";
        }
    }

    private static Notifications notices(Parts parts, JobQueries queries, ContainerNames names) {
        Settings settings = parts.settings();
        NotifyRules rules = new NotifyRules(settings, parts.machinery().commands());
        Path receivers = settings.get(Keys.NOTIFY) ? settings.find(Keys.NOTIFY_RECEIVERS) : null;
        try {
            return new Notifications(new Notifications.Parts(
                    parts.scheduling(),
                    queries,
                    rules,
                    receivers == null ? List.of() : ServerReceivers.read(receivers, rules),
                    HostName.ofThisMachine().orElse(names.server()),
                    parts.machinery().background(),
                    parts.machinery().clock()));
        } catch (IOException e) {
            throw StartException.failed(Keys.NOTIFY_RECEIVERS.name() + ": " + e.getMessage());
        }
    }

    private static Usage usage(Parts parts, JobQueries queries, ContainerNames names, Occupancy occupancy) {
        Settings settings = parts.settings();
        Scheduling scheduling = parts.scheduling();
        return Usage.of(
                new Usage.Parts(
                        scheduling,
                        settings.simulatesGpus()
                                ? new SimulatedReadings(scheduling::machine)::read
                                : parts.machinery().readings(),
                        occupancy.who(),
                        job -> use(parts.machinery(), names, job),
                        queries,
                        parts.machinery().clock()),
                settings.unlessOff(Keys.GPU_SAMPLE_EVERY),
                settings.unlessOff(Keys.GPU_IDLE_WARNING),
                occupancy.listeners());
    }

    /** What cannot be told is told by others: an engine that does not answer, a program that has just ended. */
    private static Optional<ProcessUse> use(Machinery machinery, ContainerNames names, Job job) {
        Attempt attempt = Attempt.of(job);
        try {
            return job.spec().isHost()
                    ? machinery.cgroups().use(attempt)
                    : machinery.engine().use(names.of(attempt));
        } catch (EngineException | UncheckedIOException e) {
            LOG.debug("job={} what it uses is not known: {}", job.id(), e.getMessage());
            return Optional.empty();
        }
    }

    /**
     * Listens to the engine's containers from now on. To be called before {@link #recover}: an exit between is told
     * twice.
     */
    public AutoCloseable watch() {
        return engine.watch(names.server(), news);
    }

    /**
     * Takes up where the server before left off; to be called once.
     *
     * @param owed takes on what the loop owes after a commit, as {@link #effects} does
     * @return the loop, which is to be run on the same thread or a later one
     */
    public SchedulingLoop recover(@Nullable Boot boot, Consumer<List<Effect>> owed) {
        store.endSeenWarnings(clock.instant());
        SchedulingLoop loop = new SchedulingLoop(scheduling, store, owed, clock);
        loop.recover(new FoundAtStart(runners.list(), boot));
        occupancy.retain(scheduling.machine());
        return loop;
    }

    /** Whether a job is at a target that does not answer now. */
    boolean isAtAbsentTarget(Job job) {
        return targets.standings().outage(job).isPresent();
    }

    Sweeper sweeper(Settings settings) {
        return new Sweeper(
                retention(settings)::apply,
                new DailyBackup(backups, settings.get(Keys.BACKUPS_KEEP), settings.get(Keys.BACKUPS_EVERY))::apply,
                snapshots,
                queries,
                clock);
    }

    private Retention retention(Settings settings) {
        ByteSize size = settings.find(Keys.RETENTION_SIZE);
        return new Retention(
                new RetentionPolicy(
                        settings.find(Keys.RETENTION_AGE),
                        settings.find(Keys.RETENTION_JOBS),
                        size == null ? null : size.bytes()),
                queries,
                workspaces,
                new JobDeletion(scheduling, workspaces, logs, tracking));
    }

    /** The parts that the API uses. */
    public ApiParts api(ServerFacts facts, ApiParts.Stop stop) {
        return new ApiParts(
                names.server(),
                facts,
                scheduling,
                queries,
                images,
                hosts,
                directory,
                links,
                health,
                forecasts,
                targets.standings(),
                workspaces,
                snapshots,
                logs,
                submits,
                backups,
                usage,
                tracking,
                notices,
                background,
                clock,
                stop);
    }

    /**
     * Closes the database: its readers first, so that the writer is the last to leave. To be called where no loop
     * runs.
     */
    @Override
    public void close() {
        occupancy.close();
        tracking.close();
        queries.close();
        store.close();
    }

    private static void takeOver(Workspaces workspaces) {
        try {
            workspaces.takeOver();
        } catch (IOException e) {
            throw StartException.failed("the outputs of jobs cannot be brought into their places: " + e.getMessage());
        }
    }

    private static UploadLimits limits(Settings settings) {
        return UploadLimits.of(
                settings.get(Keys.SNAPSHOT_MAX_FILES),
                settings.get(Keys.SNAPSHOT_MAX_BYTES).bytes(),
                settings.get(Keys.SNAPSHOT_QUOTA).bytes());
    }

    /**
     * The shared memory of a job: its share of half the machine's memory, as Docker's own 64 MB starve data loaders.
     */
    private static long shmBytes(EngineFacts facts, Capacity capacity) {
        return Math.max(MIN_SHM_BYTES, facts.memoryBytes() / 2 / (capacity.workers() + capacity.cpuWorkers()));
    }
}
